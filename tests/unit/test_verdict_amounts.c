/* Verdicts on recorded amounts: contentions per second, and counts of a moment. */
#include "pprofc/verdict.h"
#include "profile_text.h"
#include "unit.h"

static pprofc_error error;

struct recorded_sides {
  pprofc_profile *profiles[8];
  pprofc_verdict_run runs[8];
  size_t bases, heads;
};

static pprofc_status judge(const struct recorded_sides *s, pprofc_verdicts **verdicts) {
  return pprofc_verdicts_new(s->runs, s->bases, s->runs + s->bases, s->heads, NULL, verdicts,
                             &error);
}

static void free_sides(struct recorded_sides *s) {
  for (size_t i = 0; i < s->bases + s->heads; i++) pprofc_profile_release(s->profiles[i]);
}

static void check_waiting(size_t each, bool seconds) {
  struct recorded_sides s = {.bases = each, .heads = each};
  for (size_t i = 0; i < 2 * each; i++) {
    pprofc_builder *b = pprofc_builder_new(NULL);
    pprofc_builder_type(b, "contentions", "count");
    pprofc_builder_type(b, "delay", "nanoseconds");
    pprofc_builder_period(b, "contentions", "count", 1);
    if (seconds) pprofc_builder_time(b, 0, i < each ? 10000000000 : 20000000000);
    if (i >= each) sample(b, "lock main", 1000, 5000000);
    s.profiles[i] = finish(b);
    s.runs[i].profile = s.profiles[i];
  }
  pprofc_verdicts *v = NULL;
  pprofc_verdict_summary sum;
  CU_ASSERT_EQUAL_FATAL(judge(&s, &v), PPROFC_OK);
  pprofc_verdicts_summary_of(v, &sum);
  CU_ASSERT_EQUAL(sum.exposure, seconds ? PPROFC_EXPOSURE_TIME : PPROFC_EXPOSURE_NONE);
  CU_ASSERT_EQUAL(sum.total_base, 0);
  CU_ASSERT_EQUAL(sum.total_head, seconds ? 250000 : 5000000);
  CU_ASSERT_EQUAL(pprofc_verdicts_find(v, STR("lock"))->flat.verdict,
                  each > 1 ? PPROFC_VERDICT_NEW : PPROFC_VERDICT_UNKNOWN);
  pprofc_verdicts_free(v);
  free_sides(&s);
}

static void test_a_base_without_contention_is_a_zero(void) {
  check_waiting(1, false);
  check_waiting(3, false);
  check_waiting(3, true);
}

/* Goroutines are counted at one moment: no shares, although twelve functions have many. */
static void test_goroutines_are_counts_of_a_moment(void) {
  struct recorded_sides s = {.bases = 1, .heads = 1};
  for (size_t i = 0; i < 2; i++) {
    pprofc_builder *b = pprofc_builder_new(NULL);
    pprofc_builder_type(b, "goroutine", "count");
    pprofc_builder_period(b, "goroutine", "count", 1);
    for (int k = 0; k < 12; k++) {
      char stack[64];
      snprintf(stack, sizeof stack, "wait%d main", k);
      sample(b, stack, 20, 0);
    }
    sample(b, "leak main", i ? 2457 : 5, 0);
    s.profiles[i] = finish(b);
    s.runs[i].profile = s.profiles[i];
  }
  pprofc_verdicts *v = NULL;
  pprofc_verdict_summary sum;
  CU_ASSERT_EQUAL_FATAL(judge(&s, &v), PPROFC_OK);
  pprofc_verdicts_summary_of(v, &sum);
  CU_ASSERT_EQUAL(sum.total_delta, 2452);
  CU_ASSERT_FALSE(sum.has_common);
  CU_ASSERT_EQUAL(pprofc_verdicts_find(v, STR("leak"))->flat.delta, 2452);
  CU_ASSERT_EQUAL(pprofc_verdicts_find(v, STR("leak"))->flat.verdict, PPROFC_VERDICT_GREW);
  CU_ASSERT_EQUAL(pprofc_verdicts_find(v, STR("wait3"))->flat.verdict, PPROFC_VERDICT_UNCHANGED);
  double values[2];
  CU_ASSERT(pprofc_verdicts_row_runs(v, pprofc_verdicts_find(v, STR("leak")), false, values));
  CU_ASSERT(values[0] == 5 && values[1] == 2457);
  pprofc_verdicts_free(v);
  free_sides(&s);
}

UNIT_MAIN("verdict_amounts", UNIT(test_a_base_without_contention_is_a_zero),
          UNIT(test_goroutines_are_counts_of_a_moment))
