/* Parses the words of -symbolize: the sources of names, and the form of demangled names. */
#include "symbolize/mode.h"

#include "core/chars.h"

#include <stdarg.h>
#include <stdio.h>

void symbolize_warn(const struct symbolize_options *options, const char *format, ...) {
  char message[4096 + 512]; /* space for a path */
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  if (options->warn) options->warn(options->warn_context, message);
}

static const struct {
  const char *word;
  enum demangle_mode mode;
} demangle_words[] = {
    {"full", DEMANGLE_FULL}, {"none", DEMANGLE_NONE}, {"templates", DEMANGLE_TEMPLATES}};

/* Parses a word such as "demangle=full" or "full". Both forms also force demangling. */
static bool demangle_word(pprofc_str word, struct mode *mode) {
  bool prefixed = str_starts(word, STR("demangle="));
  if (prefixed) word = str_slice(word, 9, word.size);
  if (str_equal(word, STR("default"))) return true;
  for (size_t i = 0; i < sizeof demangle_words / sizeof *demangle_words; i++) {
    bool bare_none = !prefixed && demangle_words[i].mode == DEMANGLE_NONE;
    if (bare_none || !str_equal(word, str_of(demangle_words[i].word))) continue;
    mode->demangle = demangle_words[i].mode;
    mode->force = true;
    return true;
  }
  return false;
}

/* Applies a word that names the sources of names, or the form of demangled names. */
static bool mode_word(pprofc_str word, struct mode *mode) {
  bool fast = str_equal(word, STR("fastlocal")), local = fast || str_equal(word, STR("local"));
  bool none = str_equal(word, STR("none")) || str_equal(word, STR("no"));
  bool remote = str_equal(word, STR("remote")), force = str_equal(word, STR("force"));
  mode->none |= none;
  mode->fast |= fast;
  mode->force |= force;
  if (local || remote) {
    mode->local = local;
    mode->remote = remote;
  }
  return local || remote || none || force || demangle_word(word, mode);
}

void mode_parse(const struct symbolize_options *options, struct mode *mode) {
  *mode = (struct mode){.local = true, .remote = true};
  char lower[255];
  size_t size = 0;
  for (const char *c = options->mode ? options->mode : ""; *c && size < sizeof lower; c++)
    lower[size++] = char_lower(*c);
  pprofc_str rest = {lower, size}, word;
  while (!mode->none && str_next(&rest, ':', &word)) {
    if (!word.size || mode_word(word, mode)) continue;
    symbolize_warn(options, "ignoring unrecognized symbolization option: %s", options->mode);
    symbolize_warn(options, "expecting -symbolize=[local|fastlocal|remote|none][:force]"
                            "[:demangle=[none|full|templates|default]");
  }
}
