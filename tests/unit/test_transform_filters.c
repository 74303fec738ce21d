/* Tests filters by name and label, pruning, granularity and pseudo frames. */
#include "check_profile.h"
#include "pprofc/transform.h"
#include "profile_text.h"
#include "transform/transform.h"
#include "unit.h"

static struct regex *regex(const char *pattern) {
  struct regex *compiled = NULL;
  pprofc_error error;
  if (!pattern) return NULL;
  if (regex_compile(&mem_default, str_of(pattern), &compiled, &error) != PPROFC_OK)
    CU_FAIL_FATAL("the expression does not compile");
  return compiled;
}

/* ---- focus, ignore, hide, show ----------------------- */

/* Returns stacks with inlined frames, an unsymbolized frame of a library, and an empty stack. */
static pprofc_profile *stacks(void) {
  pprofc_builder *b = cpu_builder();
  pprofc_builder_mapping(b, 0x1000, 0x2000, 0, "/bin/prog", NULL, 0);
  uint32_t libc = pprofc_builder_mapping(b, 0x9000, 0xa000, 0, "/lib/libc.so", NULL, 0);
  uint32_t inner = pprofc_builder_function(b, "Cinl", NULL, "/src/c.go", 0);
  uint32_t outer = pprofc_builder_function(b, "C", NULL, "/src/c.go", 0);
  pprofc_line lines[] = {{inner, 5, 0}, {outer, 30, 0}};
  uint32_t c = pprofc_builder_location(b, 0, 0x1300, lines, 2);
  uint32_t unknown = pprofc_builder_location(b, libc, 0x9100, NULL, 0);
  uint32_t a = pprofc_builder_frame(b, "A", "/src/a.go", 10);
  uint32_t main_frame = pprofc_builder_frame(b, "main", "/src/main.go", 3);
  int64_t value = 1;
  pprofc_builder_sample(b, (uint32_t[]){a, main_frame}, 2, &value), value *= 2;
  pprofc_builder_sample(b, (uint32_t[]){c, main_frame}, 2, &value), value *= 2;
  pprofc_builder_sample(b, (uint32_t[]){unknown, a, main_frame}, 3, &value), value *= 2;
  pprofc_builder_sample(b, NULL, 0, &value), value *= 2;
  pprofc_builder_sample(b, (uint32_t[]){unknown}, 1, &value);
  return finish(b);
}

struct names_case {
  const char *focus, *ignore, *hide, *show;
  const char *expected;
  const char *matched; /* letters of the options that matched at least one frame */
  bool keep_frameless;
};

static void expect_names(const struct names_case *c) {
  pprofc_profile *source = stacks(), *p = NULL;
  const char *const texts[] = {c->focus, c->ignore, c->hide, c->show};
  struct filter_terms terms = {.keep_frameless = c->keep_frameless};
  for (unsigned i = 0; i < 4; i++) terms.items[i].regex = regex(texts[i]);
  unsigned matched = 0;
  pprofc_error error;
  CU_ASSERT_EQUAL_FATAL(transform_names(source, &terms, &matched, &p, &error), PPROFC_OK);
  expect_samples(p, c->expected);
  for (unsigned i = 0; i < 4; i++)
    CU_ASSERT_EQUAL(matched >> i & 1, strchr(c->matched, "fihs"[i]) != NULL);
  pprofc_profile_release(p);
  pprofc_profile_release(source);
  for (unsigned i = 0; i < 4; i++) regex_free(terms.items[i].regex);
}

TEST(test_names_choose_samples_and_frames) {
  static const struct names_case cases[] = {
      {.focus = "^A$", .expected = "1: 3 4 | A main\n4: 2 3 4 | 0x9100 A main\n", .matched = "f"},
      {.focus = "Cinl", .expected = "2: 1 4 | Cinl>C main\n", .matched = "f"},
      {.focus = "nothing", .expected = "", .matched = ""},
      {.focus = "libc", .expected = "4: 2 3 4 | 0x9100 A main\n16: 2 | 0x9100\n", .matched = "f"},
      {.ignore = "a\\.go", .expected = "2: 1 4 | Cinl>C main\n16: 2 | 0x9100\n", .matched = "fi"},
      {.focus = "main",
       .ignore = "^C$",
       .expected = "1: 3 4 | A main\n4: 2 3 4 | 0x9100 A main\n",
       .matched = "fi"},
      /* Removing the last line of a location removes the location. */
      {.hide = "^C$",
       .expected =
           "1: 3 4 | A main\n2: 1 4 | Cinl main\n4: 2 3 4 | 0x9100 A main\n16: 2 | 0x9100\n",
       .matched = "fh"},
      /* Each of the four options drops the empty stack. */
      {.hide = ".", .expected = "", .matched = "fh"},
      {.hide = "main|go", .expected = "4: 2 | 0x9100\n16: 2 | 0x9100\n", .matched = "fh"},
      {.hide = "libc",
       .expected = "1: 3 4 | A main\n2: 1 4 | Cinl>C main\n4: 3 4 | A main\n",
       .matched = "fh"},
      {.hide = "libc",
       .keep_frameless = true,
       .expected = "1: 3 4 | A main\n2: 1 4 | Cinl>C main\n4: 3 4 | A main\n8: |\n",
       .matched = "fh"},
      {.hide = "libc",
       .focus = "Cinl",
       .keep_frameless = true,
       .expected = "2: 1 4 | Cinl>C main\n",
       .matched = "fh"},
      {.hide = "libc",
       .ignore = "Cinl",
       .keep_frameless = true,
       .expected = "1: 3 4 | A main\n4: 3 4 | A main\n",
       .matched = "fih"},
      /* show never keeps frames without lines, even if it names their mapping. */
      {.show = "libc", .expected = "", .matched = "f"},
      {.show = "main", .expected = "1: 4 | main\n2: 4 | main\n4: 4 | main\n", .matched = "fs"},
      {.show = "prog", .expected = "2: 1 | Cinl>C\n", .matched = "fs"},
      {.hide = "Cinl", .show = "C", .expected = "2: 1 | C\n", .matched = "fhs"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) expect_names(&cases[i]);
}

static void expect_show_from(const char *pattern, bool matches, const char *expected) {
  pprofc_profile *source = stacks(), *p = NULL;
  struct filter_terms terms = {.items = {[FILTER_SHOW_FROM].regex = regex(pattern)}};
  unsigned matched = 0;
  pprofc_error error;
  CU_ASSERT_EQUAL_FATAL(transform_show_from(source, &terms, &matched, &p, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(matched, (unsigned)matches << FILTER_SHOW_FROM);
  expect_samples(p, expected);
  pprofc_profile_release(p);
  pprofc_profile_release(source);
  regex_free(terms.items[FILTER_SHOW_FROM].regex);
}

TEST(test_show_from_cuts_above_the_match_nearest_to_the_root) {
  expect_show_from("^A$", true, "1: 3 | A\n4: 2 3 | 0x9100 A\n");
  expect_show_from("Cinl", true, "2: 1 | Cinl\n");
  expect_show_from("libc", true, "4: 2 | 0x9100\n16: 2 | 0x9100\n");
  expect_show_from("nothing", false, "");
}

/* ---- drop_frames, prune_from ------------------------- */

static void expect_dropped(const char *drop, const char *keep, const char *stack,
                           const char *expected) {
  pprofc_builder *b = cpu_builder();
  pprofc_builder_drop_frames(b, drop, keep);
  sample(b, stack, 1, 0);
  pprofc_profile *source = finish(b), *p = NULL;
  pprofc_error error;
  bool unsupported = true;
  CU_ASSERT_EQUAL_FATAL(transform_drop_frames(source, &p, &unsupported, &error), PPROFC_OK);
  CU_ASSERT_FALSE(unsupported);
  struct buffer text;
  buffer_init(&text, &mem_default, 4096);
  text_of_samples(&text, p);
  pprofc_str left = str_trim(buffer_str(&text));
  left = str_slice(left, str_find(left, STR("| ")) + 2, left.size);
  if (!str_equal(left, str_of(expected))) printf("\n%s -> %.*s\n", stack, STR_ARG(left));
  CU_ASSERT(str_equal(left, str_of(expected)));
  buffer_free(&text);
  pprofc_profile_release(p);
  pprofc_profile_release(source);
}

TEST(test_drop_frames_cut_below_the_first_user_frame) {
  expect_dropped("malloc", NULL, "leaf malloc user main", "user main");
  expect_dropped("malloc", NULL, "x malloc", "x malloc");
  expect_dropped("malloc", NULL, "x main malloc", "x main malloc");
  expect_dropped("malloc", NULL, "leaf malloc user malloc user main", "user main");
  expect_dropped("m.*", "malloc", "leaf mmap malloc user", "malloc user");
  expect_dropped("malloc", NULL, "leaf .malloc(int) user", "user");
  expect_dropped("ns::operator\\(\\)", NULL, "leaf ns::operator()(int) user", "user");
  expect_dropped("mall", NULL, "leaf malloc user", "leaf malloc user");
  /* An expression with a syntax error prunes nothing. */
  expect_dropped("mal(loc", NULL, "leaf malloc user", "leaf malloc user");
  expect_dropped("malloc", "(", "leaf malloc user", "leaf malloc user");
}

/* PCRE2 before 10.43 lacks this script of Unicode 15. */
TEST(test_an_unsupported_drop_frames_prunes_nothing_and_is_reported) {
  const char *drop = "malloc|\\p{Kawi}";
  pprofc_builder *b = cpu_builder();
  pprofc_builder_drop_frames(b, drop, NULL);
  sample(b, "leaf malloc user", 1, 0);
  pprofc_profile *source = finish(b), *p = NULL;
  pprofc_error error;
  struct regex *regex = NULL;
  bool unsupported = false;
  bool known = regex_compile(&mem_default, str_of(drop), &regex, &error) == PPROFC_OK;
  CU_ASSERT_EQUAL_FATAL(transform_drop_frames(source, &p, &unsupported, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(unsupported, !known);
  expect_samples(p, known ? "1: 3 | user\n" : "1: 1 2 3 | leaf malloc user\n");
  regex_free(regex);
  pprofc_profile_release(p);
  pprofc_profile_release(source);
}

/* Returns a profile with malloc inlined into `caller`. After pruning, the location must have only
 * `caller`, in all samples. */
static pprofc_profile *inlined_malloc(const char *drop) {
  pprofc_builder *b = cpu_builder();
  pprofc_builder_drop_frames(b, drop, NULL);
  uint32_t x = pprofc_builder_function(b, "x", NULL, NULL, 0);
  uint32_t inner = pprofc_builder_function(b, "malloc", NULL, NULL, 0);
  uint32_t outer = pprofc_builder_function(b, "caller", NULL, NULL, 0);
  pprofc_line lines[] = {{x, 0, 0}, {inner, 0, 0}, {outer, 0, 0}};
  uint32_t both = pprofc_builder_location(b, PPROFC_NONE, 0, lines, 3);
  uint32_t leaf = frame(b, "leaf"), root = frame(b, "main");
  int64_t value = 1;
  pprofc_builder_sample(b, (uint32_t[]){leaf, both, root}, 3, &value);
  pprofc_builder_sample(b, (uint32_t[]){leaf, both}, 2, &value);
  return finish(b);
}

TEST(test_pruning_shows_in_samples_that_are_not_cut) {
  pprofc_profile *source = inlined_malloc("malloc"), *p = NULL;
  pprofc_error error;
  bool unsupported = true;
  CU_ASSERT_EQUAL_FATAL(transform_drop_frames(source, &p, &unsupported, &error), PPROFC_OK);
  CU_ASSERT_FALSE(unsupported);
  expect_samples(p, "1: 1 3 | caller main\n1: 2 1 | leaf caller\n");
  pprofc_profile_release(p);
  pprofc_profile_release(source);
}

TEST(test_prune_from_keeps_the_match_itself) {
  pprofc_profile *source = inlined_malloc(NULL), *p = NULL;
  struct filter_terms terms = {.items = {[FILTER_PRUNE_FROM].regex = regex("malloc")}};
  unsigned matched = 0;
  pprofc_error error;
  CU_ASSERT_EQUAL_FATAL(transform_prune_from(source, &terms, &matched, &p, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(matched, 1u << FILTER_PRUNE_FROM);
  expect_samples(p, "1: 1 3 | malloc>caller main\n1: 1 | malloc>caller\n");
  pprofc_profile_release(p);
  pprofc_profile_release(source);
  regex_free(terms.items[FILTER_PRUNE_FROM].regex);
}

/* ---- granularity ------------------------------------- */

static void expect_granularity(const char *name, bool noinlines, bool columns,
                               const char *expected) {
  pprofc_builder *b = cpu_builder();
  pprofc_builder_mapping(b, 0x1000, 0x2000, 0, "/bin/prog", NULL, 15);
  uint32_t inner = pprofc_builder_function(b, "in", "_in", "i.c", 4);
  uint32_t outer = pprofc_builder_function(b, "out", NULL, "o.c", 5);
  pprofc_line lines[] = {{inner, 5, 7}, {outer, 30, 8}};
  uint32_t location = pprofc_builder_location(b, 0, 0x1300, lines, 2);
  int64_t value = 1;
  pprofc_builder_sample(b, &location, 1, &value);
  pprofc_profile *source = finish(b), *p = NULL;
  struct granularity granularity;
  pprofc_error error;
  CU_ASSERT_FATAL(granularity_parse(name, noinlines, columns, &granularity));
  CU_ASSERT_EQUAL_FATAL(transform_granularity(source, &granularity, &p, &error), PPROFC_OK);
  pprofc_location l = pprofc_profile_location(p, 0);
  pprofc_line line = pprofc_profile_line(p, 0, 0);
  pprofc_function f = pprofc_profile_function(p, line.function);
  pprofc_mapping m = pprofc_profile_mapping(p, 0);
  char got[128];
  snprintf(got, sizeof got, "%zx %u %.*s(%.*s) %.*s:%d:%d s=%d %d%d%d%d", (size_t)l.address,
           l.line_count, STR_ARG(f.name), STR_ARG(f.system_name), STR_ARG(f.filename),
           (int)line.line, (int)line.column, (int)f.start_line, m.has_functions, m.has_filenames,
           m.has_line_numbers, m.has_inline_frames);
  if (strcmp(got, expected) != 0) printf("\n%s: expected %s, got %s\n", name, expected, got);
  CU_ASSERT_STRING_EQUAL(got, expected);
  pprofc_profile_release(p);
  pprofc_profile_release(source);
}

TEST(test_granularity_blanks_what_it_does_not_keep) {
  expect_granularity("", false, true, "0 2 in(_in) :0:0 s=4 1001");
  expect_granularity("functions", true, false, "0 1 out(out) :0:0 s=5 1000");
  expect_granularity("filefunctions", false, false, "0 2 in(_in) i.c:0:0 s=4 1101");
  expect_granularity("files", false, false, "0 2 () i.c:0:0 s=4 0101");
  expect_granularity("lines", false, false, "0 2 in(_in) i.c:5:0 s=4 1111");
  expect_granularity("lines", false, true, "0 2 in(_in) i.c:5:7 s=4 1111");
  expect_granularity("addresses", true, false, "1300 1 out(out) o.c:30:0 s=5 1110");
  /* With inlined frames, the granularity "addresses" changes nothing. */
  expect_granularity("addresses", false, false, "1300 2 in(_in) i.c:5:7 s=4 1111");
  struct granularity ignored;
  CU_ASSERT_FALSE(granularity_parse("Files", false, false, &ignored));
}

/* ---- labels ------------------------------------------ */

static void keep_warning(void *context, const char *text) {
  struct buffer *out = context;
  buffer_add_text(out, text);
  buffer_add_char(out, '\n');
}

static pprofc_profile *labels(void) {
  pprofc_builder *b = cpu_builder();
  sample(b, "a", 1, 0);
  pprofc_builder_label(b, "key", "v1");
  pprofc_builder_label(b, "key", "v2");
  pprofc_builder_number_label(b, "bytes", 4096, "bytes");
  sample(b, "a", 2, 0);
  pprofc_builder_label(b, "key", "v2");
  pprofc_builder_label(b, "other", "v1");
  pprofc_builder_number_label(b, "lat", 7, "milliseconds");
  sample(b, "a", 4, 0);
  pprofc_builder_number_label(b, "lat", 7000, "microseconds");
  pprofc_builder_number_label(b, "nounit", 5, NULL);
  sample(b, "a", 8, 0);
  pprofc_builder_number_label(b, "request", 10240, NULL);
  return finish(b);
}

TEST(test_the_first_unit_of_a_key_is_that_of_all_its_values) {
  pprofc_profile *p = labels();
  struct label_units units;
  struct buffer warnings;
  pprofc_error error;
  buffer_init(&warnings, &mem_default, 4096);
  CU_ASSERT_EQUAL_FATAL(label_units_find(p, keep_warning, &warnings, &units, &error), PPROFC_OK);
  CU_ASSERT(str_equal(label_units_get(&units, STR("bytes")), STR("bytes")));
  CU_ASSERT(str_equal(label_units_get(&units, STR("lat")), STR("milliseconds")));
  CU_ASSERT(str_equal(label_units_get(&units, STR("nounit")), STR("nounit")));
  CU_ASSERT(str_equal(label_units_get(&units, STR("request")), STR("bytes")));
  CU_ASSERT(str_equal(label_units_get(&units, STR("key")), STR("")));
  CU_ASSERT(str_equal(buffer_str(&warnings), STR("For tag lat used unit milliseconds, "
                                                 "also encountered unit(s) microseconds\n")));
  buffer_free(&warnings);
  label_units_free(&units);
  pprofc_profile_release(p);
}

/* Checks the sum of the values of the samples that the filters keep. */
static void expect_tags(const char *focus, const char *ignore, int64_t expected,
                        const char *notice) {
  pprofc_profile *source = labels(), *p = NULL;
  struct label_units units;
  struct filter_terms terms = {.units = &units};
  struct tag_filter **focus_filter = &terms.items[FILTER_TAGFOCUS].tags;
  struct tag_filter **ignore_filter = &terms.items[FILTER_TAGIGNORE].tags;
  struct buffer notices;
  pprofc_error error;
  unsigned matched = 0;
  buffer_init(&notices, &mem_default, 4096);
  CU_ASSERT_EQUAL_FATAL(label_units_find(source, NULL, NULL, &units, &error), PPROFC_OK);
  if (focus)
    CU_ASSERT_EQUAL_FATAL(tag_filter_compile(&mem_default, "tagfocus", focus, keep_warning,
                                             &notices, focus_filter, &error),
                          PPROFC_OK);
  if (ignore)
    CU_ASSERT_EQUAL_FATAL(tag_filter_compile(&mem_default, "tagignore", ignore, keep_warning,
                                             &notices, ignore_filter, &error),
                          PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(transform_tags(source, &terms, &matched, &p, &error), PPROFC_OK);
  pprofc_samples_view view;
  pprofc_profile_samples(p, &view);
  int64_t sum = 0;
  for (size_t i = 0; i < view.count; i++) sum += view.values[i];
  if (sum != expected) printf("\n%s: %d\n", focus ? focus : ignore, (int)sum);
  CU_ASSERT_EQUAL(sum, expected);
  CU_ASSERT(str_equal(buffer_str(&notices), str_of(notice)));
  if (focus && !ignore) CU_ASSERT_EQUAL(matched >> FILTER_TAGFOCUS & 1, expected != 0);
  tag_filter_free(*focus_filter);
  tag_filter_free(*ignore_filter);
  label_units_free(&units);
  buffer_free(&notices);
  pprofc_profile_release(p);
  pprofc_profile_release(source);
}

TEST(test_tagfocus_by_expression) {
  expect_tags("v1", NULL, 3, "");
  expect_tags("key:v1", NULL, 1, "");
  expect_tags("v2,other", NULL, 2, "");  /* without a key, all expressions must match */
  expect_tags("key=v1,v2", NULL, 3, ""); /* with a key one match is enough */
  expect_tags("other=", NULL, 2, "");
  expect_tags("=v1", NULL, 3, "");
  expect_tags("bytes", NULL, 0, ""); /* numbers are not compared with expressions */
  expect_tags(NULL, "key=v2", 12, "");
  expect_tags("key=v2", "other", 1, "");
}

TEST(test_tagfocus_by_range) {
#define NOTICE(text) "tagfocus:Interpreted '" text "' as range, not regexp\n"
  expect_tags("bytes=4096", NULL, 0, NOTICE("4096")); /* without a unit, the number does not mean
                                                         bytes */
  expect_tags("bytes=4096b", NULL, 1, NOTICE("4096b"));
  expect_tags("4kb", NULL, 1, NOTICE("4kb"));
  expect_tags("lat=:7ms", NULL, 2, NOTICE(":7ms")); /* 7000 us count as 7000 ms */
  expect_tags("lat=7s:", NULL, 4, NOTICE("7s:"));
  expect_tags("1kb:", NULL, 13, NOTICE("1kb:"));
  expect_tags("nounit=5kb:", NULL, 4, NOTICE("5kb:")); /* values without a unit get the filter's
                                                          unit */
  expect_tags("4kb:10kb", NULL, 13, NOTICE("4kb:10kb"));
  expect_tags("10kb", NULL, 8, NOTICE("10kb"));
  expect_tags("request=1kb:1mb", NULL, 8, NOTICE("1kb:1mb"));
  expect_tags("1kb:1s", NULL, 0, ""); /* two different units: not a range, but an expression */
  expect_tags("-5:+5", NULL, 4, NOTICE("-5:+5"));
#undef NOTICE
}

TEST(test_tagshow_and_taghide_choose_labels_by_key) {
  pprofc_profile *source = labels(), *p = NULL;
  struct regex *show = regex("^(key|lat)$"), *hide = regex("lat");
  struct filter_terms terms = {
      .items = {[FILTER_TAGSHOW].regex = show, [FILTER_TAGHIDE].regex = hide}};
  unsigned matched = 0;
  pprofc_error error;
  CU_ASSERT_EQUAL_FATAL(transform_tag_keys(source, &terms, &matched, &p, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(matched, 1u << FILTER_TAGSHOW | 1u << FILTER_TAGHIDE);
  expect_samples(p, "1: 1 | a | key=v1 key=v2\n2: 1 | a | key=v2\n4: 1 | a\n8: 1 | a\n");
  pprofc_profile_release(p);
  pprofc_profile_release(source);
  regex_free(show);
  regex_free(hide);
}

TEST(test_tagroot_and_tagleaf_make_frames) {
  pprofc_profile *source = labels(), *p = NULL;
  struct filter_terms terms = {
      .unit = "minimum",
      .items = {[FILTER_TAGROOT].text = "key,,bytes", [FILTER_TAGLEAF].text = "lat"}};
  unsigned matched = 0;
  pprofc_error error;
  CU_ASSERT_EQUAL_FATAL(transform_tag_frames(source, &terms, &matched, &p, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(matched, 1u << FILTER_TAGROOT | 1u << FILTER_TAGLEAF);
  /* The first key of tagroot becomes the outermost frame. Ids are assigned from the last key to the
   * first. */
  expect_samples(p, "1: 4 1 2 3 |  a 4kB v1,v2 | key=v1 key=v2 bytes=4096:bytes\n"
                    "2: 7 1 5 6 | 7ms a  v2 | key=v2 other=v1 lat=7:milliseconds\n"
                    "4: 7 1 5 8 | 7ms a   | lat=7000:microseconds nounit=5:\n"
                    "8: 4 1 5 8 |  a   | request=10240:\n");
  pprofc_function f = pprofc_profile_function(p, 2);
  CU_ASSERT(str_equal(f.name, STR("v1,v2")) && str_equal(f.filename, STR("key")));
  pprofc_profile_release(p);
  matched = 0;
  terms.items[FILTER_TAGROOT].text = "none";
  terms.items[FILTER_TAGLEAF].text = NULL;
  CU_ASSERT_EQUAL_FATAL(transform_tag_frames(source, &terms, &matched, &p, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(matched, 0);
  CU_ASSERT_EQUAL(pprofc_profile_location_count(p), 2);
  pprofc_profile_release(p);
  pprofc_profile_release(source);
}

/* Each filter works on the result of the previous filters. */
TEST(test_edits_chain) {
  pprofc_profile *p[5] = {stacks()};
  struct regex *hide = regex("^A$|libc"), *from = regex("main");
  struct filter_terms terms = {.unit = "minimum",
                               .items = {[FILTER_HIDE].regex = hide,
                                         [FILTER_TAGROOT].text = "k",
                                         [FILTER_SHOW_FROM].regex = from}};
  unsigned matched = 0;
  pprofc_error error;
  CU_ASSERT_EQUAL_FATAL(transform_names(p[0], &terms, &matched, &p[1], &error), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(transform_tag_frames(p[1], &terms, &matched, &p[2], &error), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(transform_show_from(p[2], &terms, &matched, &p[3], &error), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(pprofc_merge((const pprofc_profile *[]){p[3], p[3]}, 2, &p[4], &error),
                        PPROFC_OK);
  expect_samples(p[2], "1: 4 5 | main \n2: 1 4 5 | Cinl>C main \n4: 4 5 | main \n");
  expect_samples(p[4], "10: 1 | main\n4: 2 1 | Cinl>C main\n");
  CU_ASSERT_EQUAL(profile_check(p[3], &error), PPROFC_OK);
  for (size_t i = 0; i < 5; i++) pprofc_profile_release(p[i]);
  regex_free(hide);
  regex_free(from);
}
