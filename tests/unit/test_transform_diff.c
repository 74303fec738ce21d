/* Tests differences: -base, -diff_base and -normalize. */
#include "compare.h"
#include "pprofc/transform.h"
#include "profile_text.h"
#include "transform/combine/diff.h"
#include "unit.h"

static pprofc_profile *head_profile(void) {
  pprofc_builder *b = cpu_builder();
  sample(b, "A main", 100, 0);
  sample(b, "B main", 50, 0);
  sample(b, "D C main", 10, 0);
  return finish(b);
}

static pprofc_profile *base_profile(void) {
  pprofc_builder *b = cpu_builder();
  sample(b, "A main", 40, 0);
  sample(b, "B main", 50, 0);
  sample(b, "E C main", 20, 0);
  return finish(b);
}

static void expect_difference(pprofc_profile *head, pprofc_profile *base, pprofc_diff_kind kind,
                              bool normalize, const char *expected) {
  pprofc_profile *p = NULL;
  pprofc_error error = {0};
  CU_ASSERT_EQUAL_FATAL(pprofc_diff(head, base, kind, normalize, &p, &error), PPROFC_OK);
  pprofc_profile_release(head);
  pprofc_profile_release(base);
  expect_samples(p, expected);
  pprofc_profile_release(p);
}

TEST(test_base_cancels_equal_stacks) {
  expect_difference(head_profile(), base_profile(), PPROFC_SUBTRACT, false,
                    "60: 1 2 | A main\n10: 3 4 2 | D C main\n-20: 5 4 2 | E C main\n");
}

TEST(test_diff_base_keeps_both_sides_under_a_label) {
  expect_difference(head_profile(), base_profile(), PPROFC_COMPARE, false,
                    "100: 1 2 | A main\n50: 3 2 | B main\n10: 4 5 2 | D C main\n"
                    "-40: 1 2 | A main | pprof::base=true\n"
                    "-50: 3 2 | B main | pprof::base=true\n"
                    "-20: 6 5 2 | E C main | pprof::base=true\n");
}

TEST(test_the_label_replaces_a_previous_one) {
  pprofc_builder *b = cpu_builder(), *c = cpu_builder();
  sample(b, "a", 1, 0);
  sample(c, "a", 2, 0);
  pprofc_builder_label(c, "pprof::base", "false");
  pprofc_builder_label(c, "k", "v");
  pprofc_builder_number_label(c, "pprof::base", 7, NULL);
  expect_difference(finish(b), finish(c), PPROFC_COMPARE, false,
                    "1: 1 | a\n-2: 1 | a | k=v pprof::base=7: pprof::base=true\n");
}

TEST(test_normalize_scales_head_to_the_sums_of_base) {
  pprofc_builder *b = cpu_builder(), *c = cpu_builder();
  sample(b, "a", 100, 0);
  sample(b, "b", 100, 0);
  sample(c, "a", 30, 0);
  expect_difference(finish(b), finish(c), PPROFC_SUBTRACT, true, "-15: 1 | a\n15: 2 | b\n");
}

TEST(test_normalize_wants_equal_types) {
  pprofc_builder *b = cpu_builder(), *c = pprofc_builder_new(NULL);
  pprofc_builder_type(c, "cpu", "ms");
  pprofc_profile *head = finish(b), *base = finish(c), *p = NULL;
  pprofc_error error = {0};
  pprofc_status status = pprofc_diff(head, base, PPROFC_COMPARE, true, &p, &error);
  expect_message(status, PPROFC_E_INVALID, &error,
                 "incompatible sample types [{cpu nanoseconds 0 0}] and [{cpu ms 0 0}]");
  pprofc_profile_release(head);
  pprofc_profile_release(base);
}

/* The conversion from int64 to double and back loses precision above 2^53, as in pprof. */
TEST(test_the_base_goes_through_a_double) {
  pprofc_builder *b = cpu_builder(), *c = cpu_builder();
  sample(b, "x", 1, 0);
  sample(c, "a", ((int64_t)1 << 53) + 1, 0);
  sample(c, "b", INT64_MIN, 0);
  expect_difference(finish(b), finish(c), PPROFC_SUBTRACT, false,
                    "1: 1 | x\n-9007199254740992: 2 | a\n-9223372036854775808: 3 | b\n");
}

TEST(test_unmerged_has_the_same_samples) {
  pprofc_profile *head = head_profile(), *base = base_profile(), *p = NULL;
  pprofc_error error = {0};
  CU_ASSERT(transform_diff_unmerged_is_exact(head, base, PPROFC_COMPARE));
  CU_ASSERT_FALSE(transform_diff_unmerged_is_exact(head, base, PPROFC_SUBTRACT));
  CU_ASSERT_EQUAL_FATAL(
      transform_diff_unmerged(head, pprofc_profile_retain(base), false, &p, &error), PPROFC_OK);
  expect_samples(p, "100: 1 2 | A main\n50: 3 2 | B main\n10: 4 5 2 | D C main\n"
                    "-40: 1 2 | A main | pprof::base=true\n"
                    "-50: 3 2 | B main | pprof::base=true\n"
                    "-20: 6 5 2 | E C main | pprof::base=true\n");
  CU_ASSERT_FALSE(transform_diff_unmerged_is_exact(p, base, PPROFC_COMPARE));
  CU_ASSERT_FALSE(transform_diff_unmerged_is_exact(base, p, PPROFC_COMPARE));
  pprofc_profile_release(base);
  pprofc_profile_release(p);
}

/* Returns a profile in which each column is large enough for a separate block. Some samples are all
 * zero, some have labels. */
static pprofc_profile *large_profile(unsigned first, bool labels) {
  pprofc_builder *b = cpu_builder();
  uint32_t frames[300], main_frame = frame(b, "main");
  for (unsigned i = 0; i < 300; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%u", i);
    frames[i] = frame(b, name);
  }
  for (unsigned i = first; i < first + 17000; i++) {
    const uint32_t stack[] = {frames[i * 7919u % 300], frames[i % 41], main_frame};
    pprofc_builder_sample(b, stack, 3, &(int64_t){i % 10 ? i : 0});
    if (!labels || i % 3) continue;
    pprofc_builder_label(b, "worker", i % 2 ? "odd" : "even");
    pprofc_builder_number_label(b, "bytes", i % 5, "bytes");
  }
  return finish(b);
}

/* Returns the difference of profiles that also have another owner. Their memory must not be
 * reused. */
static pprofc_profile *shared_difference(pprofc_profile *head, pprofc_profile *base,
                                         bool normalize) {
  pprofc_profile *p = NULL;
  pprofc_error error;
  CU_ASSERT_EQUAL_FATAL(transform_diff_unmerged(pprofc_profile_retain(head),
                                                pprofc_profile_retain(base), normalize, &p, &error),
                        PPROFC_OK);
  return p;
}

TEST(test_memory_that_is_taken_over_changes_nothing) {
  for (unsigned i = 0; i < 16; i++) {
    bool head_labels = i & 1, base_labels = i & 2, normalize = i & 4, edited = i & 8;
    pprofc_profile *head = large_profile(0, head_labels), *base = large_profile(700, base_labels);
    pprofc_error error;
    if (edited) { /* the columns are then in two memory regions */
      pprofc_profile *twice;
      const double ratio = 2;
      CU_ASSERT_EQUAL_FATAL(pprofc_scale(head, &ratio, &twice, &error), PPROFC_OK);
      pprofc_profile_release(head);
      head = twice;
    }
    pprofc_profile *expected = shared_difference(head, base, normalize), *p = NULL;
    CU_ASSERT_EQUAL_FATAL(transform_diff_unmerged(head, base, normalize, &p, &error), PPROFC_OK);
    struct difference difference = {0};
    compare_profiles(expected, p, &difference);
    CU_ASSERT_PTR_NULL(difference.what);
    if (difference.what) printf("case %u: %s of %zu\n", i, difference.what, difference.index);
    pprofc_samples_view view;
    pprofc_profile_samples(p, &view);
    CU_ASSERT_EQUAL(view.count, 30600);
    pprofc_profile_release(expected);
    pprofc_profile_release(p);
  }
}
