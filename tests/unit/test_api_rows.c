/* Tests the call tree and the annotated source as data. They have the contents of -flame and
 * -list. */
#include "failing.h"
#include "pprofc/graph.h"
#include "pprofc/transform.h"
#include "report_text.h"
#include "unit.h"

static pprofc_error error;

/* ---- the call tree ----------------------------------- */

static pprofc_tree *tree_of(const pprofc_profile *p, const pprofc_report_options *options) {
  pprofc_tree *tree = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_tree_new(p, options, &tree, &error), PPROFC_OK);
  return tree;
}

/* Compares the tree with lines such as "main>a 30 70": a path, self and total. */
static void expect_tree(const pprofc_tree *tree, const char *expected) {
  size_t count;
  const pprofc_tree_node *n = pprofc_tree_nodes(tree, &count);
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 20);
  for (size_t i = 0; i < count; i++) {
    CU_ASSERT(n[i].end > i && n[i].end <= count);
    for (size_t at = 1; at < i; at++)
      if (i < n[at].end) buffer_printf(&text, "%.*s>", STR_ARG(n[at].name));
    buffer_printf(&text, "%.*s %" PRId64 " %" PRId64 "\n", STR_ARG(n[i].name), n[i].self,
                  n[i].total);
  }
  bool same = str_equal(buffer_str(&text), str_of(expected));
  if (!same) printf("\nexpected:\n%sgot:\n%.*s", expected, STR_ARG(buffer_str(&text)));
  CU_ASSERT(same);
  buffer_free(&text);
}

static pprofc_profile *small_profile(int64_t factor) {
  pprofc_builder *b = cpu_builder();
  sample(b, "b a main", 40 * factor, 0);
  sample(b, "a main", 30 * factor, 0);
  sample(b, "b main", 20 * factor, 0);
  return finish(b);
}

TEST(test_the_tree_has_each_path_once) {
  pprofc_profile *p = small_profile(1);
  pprofc_tree *tree = tree_of(p, NULL);
  pprofc_report_options options = report_options("top");
  pprofc_value_type type = pprofc_tree_type(tree);
  CU_ASSERT(str_equal(type.type, STR("cpu")) && str_equal(type.unit, STR("nanoseconds")));
  options.focus = "a";
  options.reverse = true;
  options.divide_by = 10;
  options.mean = true;
  pprofc_tree *callers = tree_of(p, &options);
  pprofc_profile_release(p); /* trees have copies of the profile's data */
  expect_tree(tree, " 0 90\nmain 0 90\nmain>a 30 70\nmain>a>b 40 40\nmain>b 20 20\n");
  expect_tree(callers, " 0 9\na 0 3\na>main 3 3\nb 0 6\nb>a 0 4\nb>a>main 4 4\nb>main 2 2\n");
  pprofc_tree_free(tree);
  pprofc_tree_free(callers);
  pprofc_tree_free(NULL);
}

TEST(test_the_tree_of_a_difference_has_both_sides) {
  pprofc_profile *base = small_profile(1), *head = small_profile(3), *p = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_diff(head, base, PPROFC_COMPARE, false, &p, &error), PPROFC_OK);
  pprofc_tree *tree = tree_of(p, NULL);
  size_t count;
  const pprofc_tree_node *n = pprofc_tree_nodes(tree, &count);
  CU_ASSERT_EQUAL_FATAL(count, 5);
  CU_ASSERT(n[2].self == 90 && n[2].base_self == 30 && n[2].total == 210);
  CU_ASSERT(n[2].base_total == 70 && n[2].parent == 1 && n[0].parent == SIZE_MAX);
  pprofc_tree_free(tree);
  pprofc_profile_release(base);
  pprofc_profile_release(head);
  pprofc_profile_release(p);
}

static pprofc_status make_tree(struct faults *faults, const pprofc_allocator *mem) {
  pprofc_builder *b = pprofc_builder_new(mem);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  sample(b, "b a main", 40, 0);
  pprofc_profile *p = finish(b);
  pprofc_tree *tree = NULL;
  failing_arm(faults);
  pprofc_status status = pprofc_tree_new(p, NULL, &tree, &error);
  pprofc_profile_release(p);
  pprofc_tree_free(tree);
  return status;
}

/* ---- annotated source -------------------------------- */

static pprofc_profile *source_profile(const pprofc_allocator *mem) {
  pprofc_builder *b = pprofc_builder_new(mem);
  pprofc_builder_type(b, "cpu", "count");
  uint32_t frames[] = {pprofc_builder_frame(b, "rotate", "/app/inlined.c", 11),
                       pprofc_builder_frame(b, "outer", "/app/no_such.c", 5),
                       pprofc_builder_frame(b, "bare", NULL, 0)};
  pprofc_builder_sample(b, frames, 3, (int64_t[]){50});
  pprofc_builder_sample(b, frames + 1, 2, (int64_t[]){20});
  return finish(b);
}

static pprofc_report_options source_options(const char *argument) {
  pprofc_report_options options = report_options("list");
  options.argument = argument;
  options.source_path = TESTDATA "/native";
  options.trim_path = "/app";
  return options;
}

TEST(test_source_has_the_lines_of_list) {
  pprofc_profile *p = source_profile(NULL);
  pprofc_report_options options = source_options(".");
  pprofc_source *source = NULL;
  size_t count;
  options.divide_by = 10;
  CU_ASSERT_EQUAL_FATAL(pprofc_source_new(p, &options, &source, &error), PPROFC_OK);
  const pprofc_source_routine *r = pprofc_source_routines(source, &count);
  CU_ASSERT_EQUAL_FATAL(count, 3);
  CU_ASSERT(str_equal(r[0].function, STR("bare")) && !r[0].file.size && !r[0].line_count);
  CU_ASSERT(str_equal(r[1].function, STR("outer")) && r[1].flat == 2 && r[1].cum == 7);
  CU_ASSERT(r[1].failure.size > 0 && r[1].line_count == 0);
  CU_ASSERT(str_equal(r[2].function, STR("rotate")) && r[2].failure.size == 0);
  CU_ASSERT_EQUAL_FATAL(r[2].line_count, 11); /* five lines around line 11 */
  CU_ASSERT(r[2].lines[0].number == 6 && r[2].lines[0].flat == 0);
  CU_ASSERT(r[2].lines[5].number == 11 && r[2].lines[5].flat == 5 && r[2].lines[5].text.size > 0);
  char line[200];
  options.divide_by = 1;
  snprintf(line, sizeof line, "        50         50     11:%.*s\n", STR_ARG(r[2].lines[5].text));
  expect_in_report(p, &options, line, true);
  pprofc_profile_release(p);
  pprofc_source_free(source);
  pprofc_source_free(NULL);
}

TEST(test_source_without_a_match_is_an_error) {
  pprofc_profile *p = source_profile(NULL);
  pprofc_report_options options = source_options("nothing");
  pprofc_source *source = NULL;
  CU_ASSERT_EQUAL(pprofc_source_new(p, &options, &source, &error), PPROFC_E_NO_MATCH);
  options.argument = "(";
  CU_ASSERT_EQUAL(pprofc_source_new(p, &options, &source, &error), PPROFC_E_INVALID);
  options.struct_size = 0;
  CU_ASSERT_EQUAL(pprofc_source_new(p, &options, &source, &error), PPROFC_E_INVALID);
  CU_ASSERT_PTR_NULL(source);
  pprofc_tree *tree = NULL;
  CU_ASSERT_EQUAL(pprofc_tree_new(p, &options, &tree, &error), PPROFC_E_INVALID);
  pprofc_profile_release(p);
}

static pprofc_status make_source(struct faults *faults, const pprofc_allocator *mem) {
  pprofc_profile *p = source_profile(mem);
  pprofc_report_options options = source_options("rotate");
  pprofc_source *source = NULL;
  failing_arm(faults);
  pprofc_status status = pprofc_source_new(p, &options, &source, &error);
  pprofc_profile_release(p);
  pprofc_source_free(source);
  return status;
}

TEST(test_an_allocation_that_fails_is_an_error) {
  CU_ASSERT(failing_each(make_tree) > 10);
  CU_ASSERT(failing_each(make_source) > 10);
}
