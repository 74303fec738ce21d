/* Makes a random profile and random options of the input, and makes every report. No
 * control byte may get into text but newline and tab, JSON, XML and dot must be well-formed, and
 * memory stays in proportion. */
#include "core/escape.h"
#include "fuzz.h"
#include "pprofc/pprofc.h"

#include <stdalign.h>
#include <string.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

/* ---- memory that is counted -------------------------- */

struct meter {
  size_t live, peak;
};

#define HEADER alignof(max_align_t)

static void *meter_alloc(void *context, size_t size) {
  struct meter *m = context;
  char *block = malloc(size + HEADER);
  if (!block) return NULL;
  *(size_t *)(void *)block = size;
  m->live += size;
  if (m->live > m->peak) m->peak = m->live;
  return block + HEADER;
}

static void meter_release(void *context, void *block, size_t size) {
  struct meter *m = context;
  char *start = (char *)block - HEADER;
  REQUIRE(*(size_t *)(void *)start == size);
  m->live -= size;
  free(start);
}

static void *meter_resize(void *context, void *block, size_t old_size, size_t new_size) {
  void *moved = meter_alloc(context, new_size);
  if (!moved) return NULL;
  memcpy(moved, block, old_size < new_size ? old_size : new_size);
  meter_release(context, block, old_size);
  return moved;
}

/* ---- what the bytes of the input decide -------------- */

struct bytes {
  const uint8_t *at, *end;
};

static unsigned take(struct bytes *in) {
  return in->at < in->end ? *in->at++ : 0;
}
static unsigned take_below(struct bytes *in, unsigned limit) {
  return take(in) % limit;
}

static int64_t take_value(struct bytes *in) {
  static const int64_t odd[] = {0, 1, -1, INT64_MAX, INT64_MIN, 1000000007, 1 << 30, -4096};
  unsigned b = take(in);
  if (b < 16) return odd[b % 8];
  return (int64_t)(b * 1000 + take(in)) - (b & 1 ? 60000 : 0);
}

/* A name of a few: ordinary, empty, long, with what terminals, XML, JSON and dot could trip over,
 * or bytes of the input itself. Lives in `room`. */
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

static const char *const units[] = {"nanoseconds", "bytes", "count", "", "kb", "%", "x\ny", "GCU"};
#define TAKE_OF(in, table) (table)[take_below(in, sizeof(table) / sizeof *(table))]

static uint32_t add_location(pprofc_builder *b, struct bytes *in, uint32_t mapping) {
  char name[64], file[64];
  pprofc_line lines[3];
  size_t count = take_below(in, 4);
  for (size_t i = 0; i < count; i++) {
    uint32_t function =
        pprofc_builder_function(b, take_name(in, name), NULL, take_name(in, file), take_value(in));
    lines[i] = (pprofc_line){function, take_value(in), take_below(in, 3)};
  }
  uint64_t address = take_below(in, 2) ? (uint64_t)take_value(in) : 0x1000 + take(in);
  return pprofc_builder_location(b, mapping, address, lines, count);
}

static void add_samples(pprofc_builder *b, struct bytes *in, const uint32_t *locations,
                        size_t location_count) {
  char key[64], value[64];
  unsigned samples = take_below(in, 40);
  for (unsigned i = 0; i < samples; i++) {
    uint32_t frames[24];
    size_t depth = location_count ? take_below(in, 24) : 0;
    for (size_t k = 0; k < depth; k++)
      frames[k] = locations[take_below(in, (unsigned)location_count)];
    int64_t values[3] = {take_value(in), take_value(in), take_value(in)};
    pprofc_builder_sample(b, frames, depth, values);
    for (unsigned labels = take_below(in, 3); labels; labels--)
      if (take_below(in, 2))
        pprofc_builder_label(b, take_name(in, key), take_name(in, value));
      else
        pprofc_builder_number_label(b, take_name(in, key), take_value(in), TAKE_OF(in, units));
  }
}

static pprofc_profile *take_profile(struct bytes *in, const pprofc_allocator *mem) {
  char name[64], other[64];
  pprofc_builder *b = pprofc_builder_new(mem);
  REQUIRE(b);
  for (unsigned types = 1 + take_below(in, 3); types; types--)
    pprofc_builder_type(b, take_name(in, name), TAKE_OF(in, units));
  pprofc_builder_period(b, take_name(in, name), TAKE_OF(in, units), take_value(in));
  pprofc_builder_time(b, take_value(in), take_value(in));
  pprofc_builder_comment(b, take_name(in, name));
  pprofc_builder_doc_url(b, take_name(in, name));
  uint32_t mappings[3] = {PPROFC_NONE};
  for (size_t i = 1; i < 3; i++)
    mappings[i] = pprofc_builder_mapping(b, 0x1000 * i, 0x1000 * i + 0x1000, take(in),
                                         take_name(in, name), take_name(in, other), take(in));
  uint32_t locations[32];
  size_t count = take_below(in, 32);
  for (size_t i = 0; i < count; i++) locations[i] = add_location(b, in, TAKE_OF(in, mappings));
  add_samples(b, in, locations, count);
  pprofc_profile *profile = NULL;
  REQUIRE(pprofc_builder_finish(b, &profile, NULL) == PPROFC_OK);
  pprofc_builder_free(b);
  return profile;
}

static void take_options(struct bytes *in, pprofc_report_options *o) {
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
  const char **const filters[] = {&o->focus,     &o->ignore,     &o->hide,    &o->show,
                                  &o->show_from, &o->prune_from, &o->tagshow, &o->taghide};
  for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
    *filters[i] = TAKE_OF(in, expressions);
  const char **const tag_filters[] = {&o->tagfocus, &o->tagignore, &o->tagroot, &o->tagleaf};
  for (size_t i = 0; i < sizeof tag_filters / sizeof *tag_filters; i++)
    *tag_filters[i] = TAKE_OF(in, tags);
  o->argument = "main|std|.";
  o->source_path = "/nowhere";
  o->trim_path = TAKE_OF(in, paths);
}

/* Options of the exports and the drawings; `room` holds the title. */
static void take_drawing(struct bytes *in, pprofc_report_options *o, char room[64]) {
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
  o->group_by_label = flags & 16 ? "main" : "";
  o->cut_depth = (int)take_below(in, 5) - 1;
  o->min_weight = TAKE_OF(in, weights);
}

/* ---- what must hold for what is printed -------------- */

static int collect(void *context, const void *data, size_t size) {
  buffer_add(context, data, size);
  return 0;
}

static void check_text(pprofc_str text) {
  for (size_t at = 0; at < text.size;) {
    int32_t c = utf8_next(text, &at);
    REQUIRE(c >= 0);
    REQUIRE((c >= 0x20 && c != 0x7F && !(c >= 0x80 && c < 0xA0)) || c == '\n' || c == '\t');
  }
}

static void check_json(pprofc_str text) {
  check_text(text);
#ifdef HAVE_JANSSON
  json_error_t why;
  json_t *json = json_loadb(text.data, text.size, JSON_DECODE_INT_AS_REAL, &why);
  if (!json) fprintf(stderr, "%s\n", why.text);
  REQUIRE(json);
  json_decref(json);
#endif
}

/* Strings end, and braces are in pairs. */
static void check_dot(pprofc_str text) {
  check_text(text);
  bool quoted = false;
  int depth = 0;
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if (quoted && c == '\\')
      i++;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == '{')
      depth++;
    else if (!quoted && c == '}')
      depth--;
    REQUIRE(depth >= 0);
  }
  REQUIRE(!quoted && depth == 0);
}

/* Goes behind `end`, which must come. */
static size_t skip_past(pprofc_str text, size_t from, pprofc_str end) {
  size_t at = str_find(str_slice(text, from, text.size), end);
  REQUIRE(from + at < text.size);
  return from + at + end.size;
}

/* Every tag ends, and as many are closed as are opened, never more of them. */
static void check_xml(pprofc_str text) {
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

/* A profile that is written can be read. */
static void check_profile(pprofc_str bytes) {
  pprofc_profile *profile = NULL;
  REQUIRE(pprofc_profile_read_memory(bytes.data, bytes.size, NULL, &profile, NULL) == PPROFC_OK);
  pprofc_profile_release(profile);
}

/* A page ends, and what it shows cannot end its data or run. */
static void check_page(pprofc_str text) {
  check_text(text);
  REQUIRE(str_ends(str_trim(text), STR("</html>")));
  REQUIRE(str_find(text, STR("</script><!--")) == text.size);
}

/* Each report that reads no other files, and what its output must be. */
static const struct {
  const char *format;
  void (*check)(pprofc_str text);
} reports[] = {
    {"top", check_text},       {"tree", check_text},        {"peek", check_text},
    {"traces", check_text},    {"tags", check_text},        {"raw", check_text},
    {"comments", check_text},  {"folded", check_text},      {"callgrind", check_text},
    {"list", check_text},      {"dot", check_dot},          {"speedscope", check_json},
    {"flamegraph", check_xml}, {"json", check_json},        {"flamebearer", check_json},
    {"proto", check_profile},  {"topproto", check_profile}, {"flame", check_page},
    {"disasm", check_text},    {"otlp", check_profile},
};

static void ignore_warning(void *context, const char *message) {
  (void)context;
  REQUIRE(message[0]); /* names are in it as they are: the program escapes them when it prints */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct meter meter = {0, 0};
  const pprofc_allocator mem = {meter_alloc, meter_resize, meter_release, &meter};
  struct bytes in = {data, data + size};
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  take_options(&in, &options);
  char title[64];
  take_drawing(&in, &options, title);
  options.threads = 1;
  options.warn = ignore_warning;
  size_t chosen = take_below(&in, sizeof reports / sizeof *reports);
  options.format = reports[chosen].format;
  pprofc_profile *profile = take_profile(&in, &mem);

  struct buffer out;
  buffer_init(&out, &mem_default, PTRDIFF_MAX);
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_status status = pprofc_report(profile, &options, collect, &out, &error);
  if (status == PPROFC_OK)
    reports[chosen].check(buffer_str(&out));
  else
    REQUIRE(error.status == status && error.message[0]);
  buffer_free(&out);
  pprofc_profile_release(profile);
  REQUIRE(meter.live == 0);
  REQUIRE(meter.peak <= 64 * size + ((size_t)16 << 20));
  return 0;
}
