/* Creates random report options from the bytes of an input, and checks each format. Text must not
 * contain control bytes except newline and tab. JSON, XML and dot must be well-formed. dot must
 * have only the statements and attributes that the report writes. */
#ifndef TESTS_FUZZ_REPORT_TARGET_H
#define TESTS_FUZZ_REPORT_TARGET_H

#include "core/buffer.h"
#include "core/escape.h"
#include "fuzz.h"
#include "pipeline/pipeline.h"
#include "pprofc/pprofc.h"

#include <ctype.h>
#include <string.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

/* ---- choices made by the bytes of the input ---------- */

struct bytes {
  const uint8_t *at, *end;
};

static unsigned take(struct bytes *in) {
  return in->at < in->end ? *in->at++ : 0;
}
static unsigned take_below(struct bytes *in, unsigned limit) {
  return take(in) % limit;
}

/* Returns a name: ordinary, empty, long, with special characters of terminals, XML, JSON or dot, or
 * made of bytes of the input. The buffer `room` stores the name. */
static const char *take_name(struct bytes *in, char room[64]) {
  static const char *const names[] = {
      "main",
      "runtime.mallocgc",
      "std::vector<int, std::allocator<int> >::push_back(int&&)",
      "",
      "a\x1b[31mred",
      "quote\"back\\slash",
      "<&>'",
      "line\nbreak\ttab",
      "\xff\xfe bad \xc3",
      "\u202e rtl",
      "]]>",
      "github.com/x/y.(*T).method",
      "\x7f\x01",
      "%s%n",
      "</script><!--",
      "f(g)",
      "{}|<>",
      "operator()",
  };
  unsigned b = take_below(in, sizeof names / sizeof *names + 6);
  if (b < sizeof names / sizeof *names) return names[b];
  size_t size = take_below(in, 63);
  for (size_t i = 0; i < size; i++) {
    unsigned c = take(in);
    room[i] = (char)(c ? c : '.');
  }
  room[size] = '\0';
  return room;
}

#define TAKE_OF(in, table) (table)[take_below(in, sizeof(table) / sizeof *(table))]

static inline void take_options(struct bytes *in, pprofc_report_options *o) {
  static const char *const expressions[] = {"",    "",   "",         "",       ".",       "main",
                                            "a|b", "^$", "mallocgc", "[^a-z]", "(?i)STD", "x{2,3}"};
  static const char *const tags[] = {"", "", "", "main", "1kb:", ":5ms", "main=a", "8", "a,b", "="};
  static const char *const granularities[] = {"",      "functions", "filefunctions",
                                              "files", "lines",     "addresses"};
  static const char *const outputs[] = {"minimum", "auto", "ms", "kb", "bytes", "x"};
  static const char *const fractions_text[] = {"", "0", "1", "2"};
  static const double fractions[] = {0, 0.005, 0.5, 1, 2};
  static const char *const paths[] = {"", "/", "main:std"};
  unsigned flags = take(in) | take(in) << 8;
  o->call_tree = flags & 1;
  o->relative_percentages = flags & 2;
  o->compact_labels = flags & 4;
  o->mean = flags & 8;
  o->drop_negative = flags & 16;
  o->noinlines = flags & 32;
  o->showcolumns = flags & 64;
  o->trim = flags & 128;
  o->sort = flags & 256 ? "cum" : "flat";
  o->divide_by = flags & 512 ? 3 : 1;
  o->unit = TAKE_OF(in, outputs);
  o->sample_index = TAKE_OF(in, fractions_text);
  o->nodecount = (int)take_below(in, 20) - 1;
  o->nodefraction = TAKE_OF(in, fractions);
  o->edgefraction = TAKE_OF(in, fractions);
  o->granularity = TAKE_OF(in, granularities);
  for (size_t i = 0; i < FILTER_COUNT; i++) {
    const struct filter_option *f = &filter_options[i];
    const char *text = f->flags & FILTER_REGEX ? TAKE_OF(in, expressions) : TAKE_OF(in, tags);
    memcpy((char *)o + f->option.offset, &text, sizeof text);
  }
  o->argument = "main|std|.";
  o->source_path = "/nowhere";
  o->trim_path = TAKE_OF(in, paths);
}

/* Creates random options of exports and drawings. The buffer `room` stores the title. */
static inline void take_drawing(struct bytes *in, pprofc_report_options *o, char room[64]) {
  static const char *const colors[] = {"", "hot", "change", "origin", "package", "x"};
  static const char *const widths[] = {"", "0.1", "2", "5%", "x"};
  static const char *const rules[] = {"", "library name std::*\n", "user file *\nsystem name *\n",
                                      "x"};
  static const char *const links[] = {"", "https://example.com/{file}#L{line}",
                                      "javascript:{file}"};
  static const double weights[] = {0, 0.01, 0.5, 2};
  unsigned flags = take(in);
  o->inverted = flags & 1;
  o->reverse = flags & 2;
  o->normalize = flags & 4;
  o->safe = flags & 16;
  o->intel_syntax = flags & 8;
  o->title = take_name(in, room);
  o->colors = TAKE_OF(in, colors);
  o->width = (int)take_below(in, 4) * 300;
  o->minwidth = TAKE_OF(in, widths);
  o->origin_rules = TAKE_OF(in, rules);
  o->source_link = TAKE_OF(in, links);
  o->source_diff = flags & 32 ? "-no such ref" : "";
  o->group_by_label = flags & 16 ? "main" : "";
  o->cut_depth = (int)take_below(in, 5) - 1;
  o->min_weight = TAKE_OF(in, weights);
  o->calls = flags & 64 ? 1 : 0;
  o->frame_marks = flags & 64;
}

/* ---- text -------------------------------------------- */

/* Maximum bytes of a report that the check stores. A name of 1 MB in many stacks would make a
 * larger report. */
#define REPORT_MOST ((size_t)128 << 20)

static int report_collect(void *context, const void *data, size_t size) {
  struct buffer *out = context;
  if (out->size + size > REPORT_MOST) return -1;
  buffer_add(out, data, size);
  return 0;
}

static inline void check_text(pprofc_str text) {
  for (size_t at = 0; at < text.size;) {
    int32_t c = utf8_next(text, &at);
    REQUIRE(c >= 0);
    REQUIRE((c >= 0x20 && c != 0x7F && !(c >= 0x80 && c < 0xA0)) || c == '\n' || c == '\t');
  }
}

static inline void check_json(pprofc_str text) {
  check_text(text);
#ifdef HAVE_JANSSON
  json_error_t why;
  json_t *json = json_loadb(text.data, text.size, JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, &why);
  if (!json) fprintf(stderr, "%s\n", why.text);
  REQUIRE(json);
  json_decref(json);
#endif
}

/* ---- dot --------------------------------------------- */

/* Skips white space, and skips the byte `c` if it comes next. Returns true if it did. */
static bool dot_take(pprofc_str *rest, char c) {
  *rest = str_trim(*rest);
  if (!rest->size || rest->data[0] != c) return false;
  *rest = str_slice(*rest, 1, rest->size);
  return true;
}

/* Removes a word of letters, digits and "_.#" from the text and returns it. Returns an empty string
 * if no word comes next. */
static pprofc_str dot_take_word(pprofc_str *rest) {
  size_t size = 0;
  *rest = str_trim(*rest);
  while (size < rest->size && (isalnum((unsigned char)rest->data[size]) ||
                               (rest->data[size] && strchr("_.#", rest->data[size]))))
    size++;
  pprofc_str word = str_slice(*rest, 0, size);
  *rest = str_slice(*rest, size, rest->size);
  return word;
}

static bool dot_take_quoted(pprofc_str *rest) {
  if (!dot_take(rest, '"')) return false;
  size_t at = 0;
  while (at < rest->size && rest->data[at] != '"') at += rest->data[at] == '\\' ? 2 : 1;
  REQUIRE(at < rest->size);
  *rest = str_slice(*rest, at + 1, rest->size);
  return true;
}

/* Skips attributes, which must be attributes that the dot report writes. An attribute that opens a
 * URL or a file is not permitted. */
static void dot_take_attributes(pprofc_str *rest) {
  static const char *const known[] = {
      "label", "shape",  "fontsize", "tooltip",      "id",       "color",   "fillcolor",
      "style", "weight", "penwidth", "labeltooltip", "fontname", "bgcolor", "minlen"};
  REQUIRE(dot_take(rest, '['));
  while (!dot_take(rest, ']')) {
    pprofc_str name = dot_take_word(rest);
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      found |= str_equal(name, str_of(known[i]));
    REQUIRE(found);
    REQUIRE(dot_take(rest, '='));
    if (dot_take_quoted(rest)) continue;
    dot_take(rest, '-');
    REQUIRE(dot_take_word(rest).size > 0);
  }
}

/* True if a word is the name of a node: "N" or "NN" and a number. */
static bool dot_is_node(pprofc_str word) {
  size_t at = 0;
  while (at < word.size && word.data[at] == 'N') at++;
  if (at == 0 || at > 2 || at == word.size) return false;
  while (at < word.size && (isdigit((unsigned char)word.data[at]) || word.data[at] == '_')) at++;
  return at == word.size;
}

static void dot_take_statement(pprofc_str *rest) {
  pprofc_str word = dot_take_word(rest);
  if (str_equal(word, STR("subgraph"))) {
    REQUIRE(str_equal(dot_take_word(rest), STR("cluster_L")) && dot_take(rest, '{'));
    REQUIRE(dot_take_quoted(rest));
    dot_take_attributes(rest);
    REQUIRE(dot_take(rest, '}'));
    return;
  }
  bool all =
      str_equal(word, STR("node")) || str_equal(word, STR("edge")) || str_equal(word, STR("graph"));
  REQUIRE(all || dot_is_node(word));
  if (dot_take(rest, '-')) REQUIRE(dot_take(rest, '>') && dot_is_node(dot_take_word(rest)));
  dot_take_attributes(rest);
}

/* Checks that the graph has only the statements and attributes that the report writes, whatever
 * strings it quotes. */
static inline void check_dot(pprofc_str text) {
  check_text(text);
  REQUIRE(str_equal(dot_take_word(&text), STR("digraph")) && dot_take_quoted(&text));
  REQUIRE(dot_take(&text, '{'));
  while (!dot_take(&text, '}')) dot_take_statement(&text);
  REQUIRE(!str_trim(text).size);
}

/* ---- documents --------------------------------------- */

/* Returns the position after `end`, which must occur. Does not use memmem, because ThreadSanitizer
 * marks the whole text at each call. */
static size_t skip_past(pprofc_str text, size_t from, pprofc_str end) {
  size_t at = from;
  while (at < text.size && !str_starts(str_slice(text, at, text.size), end)) at++;
  REQUIRE(at < text.size);
  return at + end.size;
}

/* Checks that each tag ends, and that each opened element is closed. */
static inline void check_xml(pprofc_str text) {
  check_text(text);
  long open = 0;
  for (size_t at = 0;;) {
    at += str_find_char(str_slice(text, at, text.size), '<');
    if (at >= text.size) break;
    pprofc_str rest = str_slice(text, at, text.size);
    if (str_starts(rest, STR("<![CDATA["))) {
      at = skip_past(text, at, STR("]]>"));
    } else if (str_starts(rest, STR("<!--"))) {
      at = skip_past(text, at, STR("-->"));
    } else {
      size_t end = skip_past(text, at, STR(">"));
      bool declaration = str_starts(rest, STR("<?")) || str_starts(rest, STR("<!"));
      if (str_starts(rest, STR("</")))
        open--;
      else if (!declaration && text.data[end - 2] != '/')
        open++;
      REQUIRE(open >= 0);
      at = end;
    }
  }
  REQUIRE(open == 0);
}

/* Checks that a written profile can be read. */
static inline void check_profile(pprofc_str bytes) {
  pprofc_profile *profile = NULL;
  REQUIRE(pprofc_profile_read_memory(bytes.data, bytes.size, NULL, &profile, NULL) == PPROFC_OK);
  pprofc_profile_release(profile);
}

/* Checks that a page is complete, and that its content neither ends its data nor runs as a
 * script. */
static inline void check_page(pprofc_str text) {
  check_text(text);
  REQUIRE(str_ends(str_trim(text), STR("</html>")));
  REQUIRE(str_find(text, STR("</script><!--")) == text.size);
}

/* A report that reads no other files, and a check for its output. */
struct checked_report {
  const char *format;
  void (*check)(pprofc_str text);
};

static const struct checked_report reports[] = {
    {"top", check_text},       {"tree", check_text},        {"peek", check_text},
    {"traces", check_text},    {"tags", check_text},        {"raw", check_text},
    {"comments", check_text},  {"folded", check_text},      {"callgrind", check_text},
    {"list", check_text},      {"dot", check_dot},          {"speedscope", check_json},
    {"flamegraph", check_xml}, {"json", check_json},        {"flamebearer", check_json},
    {"proto", check_profile},  {"topproto", check_profile}, {"flame", check_page},
    {"disasm", check_text},    {"otlp", check_profile},     {"weblist", check_page},
};

#define REPORT_COUNT (sizeof reports / sizeof *reports)

static void ignore_warning(void *context, const char *message) {
  (void)context;
  REQUIRE(message[0]); /* the message may contain unescaped names, because the program escapes them
                          when it prints the message */
}

/* Creates one report with the options, and checks its output. Returns its status. */
static inline pprofc_status report_make(const pprofc_profile *profile,
                                        pprofc_report_options *options, size_t chosen) {
  struct buffer out;
  buffer_init(&out, &mem_default, PTRDIFF_MAX);
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  const char *expression = options->argument;
  options->format = reports[chosen].format;
  /* The argument of flame selects a variant. Use the page; fuzz_flame_text tests the text. */
  if (strcmp(options->format, "flame") == 0) options->argument = "";
  options->warn = ignore_warning;
  pprofc_status status = pprofc_report(profile, options, report_collect, &out, &error);
  options->argument = expression;
  if (status == PPROFC_OK)
    reports[chosen].check(buffer_str(&out));
  else
    REQUIRE(error.status == status && error.message[0]);
  buffer_free(&out);
  return status;
}

#endif
