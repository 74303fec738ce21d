/* Parses the words of -symbolize: the sources of names, and the form of demangled names. */
#include "symbolize/mode.h"

#include <stdarg.h>
#include <stdio.h>

void symbolize_warn(const struct symbolize_options *options, const char *format, ...) {
  char message[4096];
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

static void mode_none(struct mode *mode) {
  mode->none = true;
}

static void mode_local(struct mode *mode) {
  mode->local = true;
  mode->remote = false;
}

static void mode_fast(struct mode *mode) {
  mode->local = mode->fast = true;
  mode->remote = false;
}

static void mode_remote(struct mode *mode) {
  mode->local = false;
  mode->remote = true;
}

static void mode_force(struct mode *mode) {
  mode->force = true;
}

static const struct {
  const char *word;
  void (*apply)(struct mode *mode);
} mode_words[] = {{"none", mode_none},      {"no", mode_none},       {"local", mode_local},
                  {"fastlocal", mode_fast}, {"remote", mode_remote}, {"force", mode_force}};

static bool mode_word(pprofc_str word, struct mode *mode) {
  for (size_t i = 0; i < sizeof mode_words / sizeof *mode_words; i++) {
    if (!str_equal(word, str_of(mode_words[i].word))) continue;
    mode_words[i].apply(mode);
    return true;
  }
  return demangle_word(word, mode);
}

/* Copies the text in lower case, at most `size` bytes of it. */
static pprofc_str mode_lower(const char *text, char *room, size_t size) {
  size_t n = 0;
  for (; n < size && text[n]; n++) {
    bool upper = text[n] >= 'A' && text[n] <= 'Z';
    room[n] = (char)(upper ? text[n] + 32 : text[n]);
  }
  return (pprofc_str){room, n};
}

void mode_parse(const struct symbolize_options *options, struct mode *mode) {
  *mode = (struct mode){.local = true, .remote = true};
  char lower[255];
  pprofc_str rest = mode_lower(options->mode ? options->mode : "", lower, sizeof lower), word;
  while (!mode->none && str_next(&rest, ':', &word)) {
    if (!word.size || mode_word(word, mode)) continue;
    symbolize_warn(options, "ignoring unrecognized symbolization option: %s", options->mode);
    symbolize_warn(options, "expecting -symbolize=[local|fastlocal|remote|none][:force]"
                            "[:demangle=[none|full|templates|default]");
  }
}
