/* Tests filters and granularity that return a profile. A report of the result must equal a report
 * with the same options. */
#include "failing.h"
#include "pprofc/transform.h"
#include "report_text.h"
#include "unit.h"

static pprofc_error error;
static char warned[1024];

static void note_warning(void *context, const char *message) {
  size_t size = strlen(warned);
  (void)context;
  snprintf(warned + size, sizeof warned - size, "%s\n", message);
}

static pprofc_profile *labelled_profile(const pprofc_allocator *mem) {
  pprofc_builder *b = pprofc_builder_new(mem);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  sample(b, "b a main", 40, 0);
  pprofc_builder_label(b, "k", "x");
  sample(b, "c a main", 30, 0);
  pprofc_builder_label(b, "k", "y");
  sample(b, "main", 9, 0);
  return finish(b);
}

static pprofc_filter_options filter_options(void) {
  pprofc_filter_options options;
  pprofc_filter_options_init(&options);
  options.warn = note_warning;
  warned[0] = '\0';
  return options;
}

static pprofc_profile *filtered(const pprofc_profile *p, const pprofc_filter_options *options) {
  pprofc_profile *out = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_filter(p, options, &out, &error), PPROFC_OK);
  return out;
}

TEST(test_no_filter_gives_the_profile) {
  pprofc_profile *p = labelled_profile(NULL);
  pprofc_profile *out = filtered(p, NULL);
  CU_ASSERT_PTR_EQUAL(out, p);
  pprofc_profile_release(out);
  pprofc_profile_release(p);
}

TEST(test_filters_apply_in_order) {
  pprofc_profile *p = labelled_profile(NULL);
  pprofc_filter_options options = filter_options();
  options.focus = "^a$";
  options.hide = "main";
  options.tagignore = "k=y";
  options.tagroot = "k";
  pprofc_profile *out = filtered(p, &options);
  expect_samples(out, "40: 1 2 5 | b a x | k=x\n");
  expect_samples(p, "40: 1 2 3 | b a main | k=x\n30: 4 2 3 | c a main | k=y\n9: 3 | main\n");
  CU_ASSERT_STRING_EQUAL(warned, "");
  pprofc_profile_release(out);
  pprofc_profile_release(p);
}

TEST(test_what_matches_nothing_is_a_warning) {
  pprofc_profile *p = labelled_profile(NULL);
  pprofc_filter_options options = filter_options();
  options.ignore = "nothing";
  options.tagshow = "z";
  pprofc_profile_release(filtered(p, &options));
  CU_ASSERT_STRING_EQUAL(
      warned, "Ignore expression matched no samples\nTagShow expression matched no samples\n");
  pprofc_profile_release(p);
}

/* A report of the filtered profile must equal the filtered report with relative percentages. */
TEST(test_a_report_of_the_result) {
  pprofc_profile *p = NULL;
  struct buffer text;
  CU_ASSERT_EQUAL_FATAL(pprofc_profile_read_file(TESTDATA "/generator_cpu.prof", NULL, &p, &error),
                        PPROFC_OK);
  pprofc_filter_options options = filter_options();
  pprofc_report_options report = report_options("traces");
  report.relative_percentages = true;
  report.focus = options.focus = "runtime";
  report.hide = options.hide = "mcall";
  buffer_init(&text, &mem_default, 1 << 24);
  report_into(&text, p, &report);
  pprofc_profile *out = filtered(p, &options);
  pprofc_profile_release(p); /* the result keeps the memory that it shares with the profile */
  report.focus = report.hide = "";
  pprofc_str body = buffer_str(&text);
  size_t start = str_find(body, STR("-----------+"));
  CU_ASSERT_FATAL(start < body.size);
  expect_in_report(out, &report, text.data + start, true);
  buffer_free(&text);
  pprofc_profile_release(out);
}

/* An edit must not write into an earlier result that the caller still uses. */
TEST(test_a_result_is_not_overwritten) {
  pprofc_profile *p = labelled_profile(NULL);
  pprofc_filter_options options = filter_options();
  pprofc_aggregate_options granularity;
  pprofc_aggregate_options_init(&granularity);
  options.ignore = "c";
  pprofc_profile *first = filtered(p, &options);
  pprofc_profile_release(p);
  options.ignore = "b";
  pprofc_profile *second = filtered(first, &options), *third = NULL;
  expect_samples(second, "9: 3 | main\n");
  granularity.granularity = "files";
  CU_ASSERT_EQUAL(pprofc_aggregate(first, &granularity, &third, &error), PPROFC_OK);
  expect_samples(first, "40: 1 2 3 | b a main | k=x\n9: 3 | main\n");
  pprofc_profile_release(first);
  pprofc_profile_release(second);
  pprofc_profile_release(third);
}

static void expect_refused(const pprofc_filter_options *options, const char *message) {
  pprofc_profile *p = labelled_profile(NULL), *out = NULL;
  CU_ASSERT_EQUAL(pprofc_filter(p, options, &out, &error), PPROFC_E_INVALID);
  CU_ASSERT_PTR_NULL(out);
  if (strncmp(error.message, message, strlen(message)) != 0) printf("\n%s\n", error.message);
  CU_ASSERT_EQUAL(strncmp(error.message, message, strlen(message)), 0);
  pprofc_profile_release(p);
}

TEST(test_options_without_meaning) {
  pprofc_filter_options options = filter_options();
  options.hide = "(";
  expect_refused(&options, "parsing hide regexp: ");
  memset(&options, 0, sizeof options);
  expect_refused(&options, "pprofc_filter_options is not initialised");
}

TEST(test_granularity) {
  pprofc_builder *b = cpu_builder();
  uint32_t mapping = pprofc_builder_mapping(b, 0x1000, 0x9000, 0, "/bin/x", "", 0);
  uint32_t inner = pprofc_builder_function(b, "inner", NULL, "a.c", 1);
  uint32_t outer = pprofc_builder_function(b, "outer", NULL, "b.c", 1);
  pprofc_line lines[] = {{inner, 7, 3}, {outer, 9, 0}};
  uint32_t stack[] = {pprofc_builder_location(b, mapping, 0x1234, lines, 2)};
  int64_t value = 5;
  pprofc_builder_sample(b, stack, 1, &value);
  pprofc_profile *p = finish(b), *out = NULL;
  pprofc_aggregate_options options;
  pprofc_aggregate_options_init(&options);
  CU_ASSERT_EQUAL(pprofc_aggregate(p, NULL, &out, &error), PPROFC_OK);
  expect_samples(out, "5: 1 | inner>outer\n");
  CU_ASSERT(pprofc_profile_location(out, 0).address == 0);
  CU_ASSERT(pprofc_profile_line(out, 0, 0).line == 0);
  pprofc_profile_release(out);
  options.granularity = "lines";
  options.noinlines = true;
  CU_ASSERT_EQUAL(pprofc_aggregate(p, &options, &out, &error), PPROFC_OK);
  expect_samples(out, "5: 1 | outer\n");
  CU_ASSERT(pprofc_profile_line(out, 0, 0).line == 9);
  pprofc_profile_release(out);
  options.noinlines = false;
  options.showcolumns = true;
  CU_ASSERT_EQUAL(pprofc_aggregate(p, &options, &out, &error), PPROFC_OK);
  CU_ASSERT(pprofc_profile_line(out, 0, 0).column == 3);
  pprofc_profile_release(out);
  out = NULL;
  options.granularity = "words";
  CU_ASSERT_EQUAL(pprofc_aggregate(p, &options, &out, &error), PPROFC_E_INVALID);
  CU_ASSERT_STRING_EQUAL(error.message, "invalid \"granularity\" value \"words\"");
  memset(&options, 0, sizeof options);
  CU_ASSERT_EQUAL(pprofc_aggregate(p, &options, &out, &error), PPROFC_E_INVALID);
  CU_ASSERT_PTR_NULL(out);
  pprofc_profile_release(p);
}

/* Applies filters, then the granularity. */
static pprofc_status filter_and_aggregate(struct faults *faults, const pprofc_allocator *mem) {
  pprofc_profile *p = labelled_profile(mem), *out = NULL, *files = NULL;
  pprofc_filter_options options = filter_options();
  pprofc_aggregate_options granularity;
  pprofc_aggregate_options_init(&granularity);
  options.focus = "a";
  options.hide = "main";
  options.tagfocus = "k=x|y";
  options.taghide = "k";
  options.tagleaf = "k";
  granularity.granularity = "files";
  failing_arm(faults);
  pprofc_status status = pprofc_filter(p, &options, &out, &error);
  CU_ASSERT_EQUAL(status == PPROFC_OK, out != NULL);
  if (!status) status = pprofc_aggregate(out, &granularity, &files, &error);
  pprofc_profile_release(files);
  pprofc_profile_release(out);
  pprofc_profile_release(p);
  return status;
}

TEST(test_an_allocation_that_fails_is_an_error) {
  CU_ASSERT(failing_each(filter_and_aggregate) > 10);
}
