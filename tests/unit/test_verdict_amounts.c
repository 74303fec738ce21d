/* Tests verdicts on recorded values: contentions per second, and counts at a point in time. */
#include "core/escape.h"
#include "pprofc/verdict.h"
#include "profile_text.h"
#include "unit.h"
#include "verdict/amount.h"

#include <stdio.h>

static pprofc_error error;

struct recorded_sides {
  pprofc_profile *profiles[8];
  pprofc_verdict_run runs[8];
  size_t bases, heads;
};

static pprofc_verdicts *judge(const struct recorded_sides *s, pprofc_verdict_summary *sum) {
  pprofc_verdicts *v = NULL;
  CU_ASSERT_EQUAL_FATAL(
      pprofc_verdicts_new(s->runs, s->bases, s->runs + s->bases, s->heads, NULL, &v, &error),
      PPROFC_OK);
  pprofc_verdicts_summary_of(v, sum);
  return v;
}

/* Adds a run, and completes its profile. */
static void put_run(struct recorded_sides *s, size_t i, pprofc_builder *b) {
  s->profiles[i] = finish(b);
  s->runs[i].profile = s->profiles[i];
}

static pprofc_builder *waiting_builder(void) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "contentions", "count");
  pprofc_builder_type(b, "delay", "nanoseconds");
  pprofc_builder_period(b, "contentions", "count", 1);
  return b;
}

static void free_sides(struct recorded_sides *s) {
  for (size_t i = 0; i < s->bases + s->heads; i++) pprofc_profile_release(s->profiles[i]);
}

static void check_waiting(size_t each, bool seconds) {
  struct recorded_sides s = {.bases = each, .heads = each};
  for (size_t i = 0; i < 2 * each; i++) {
    pprofc_builder *b = waiting_builder();
    if (seconds) pprofc_builder_time(b, 0, i < each ? 10000000000 : 20000000000);
    if (i >= each) sample(b, "lock main", 1000, 5000000);
    put_run(&s, i, b);
  }
  pprofc_verdict_summary sum;
  pprofc_verdicts *v = judge(&s, &sum);
  CU_ASSERT_EQUAL(sum.exposure, seconds ? PPROFC_EXPOSURE_TIME : PPROFC_EXPOSURE_NONE);
  CU_ASSERT_EQUAL(sum.total_base, 0);
  CU_ASSERT_EQUAL(sum.total_head, seconds ? 250000 : 5000000);
  CU_ASSERT_EQUAL(pprofc_verdicts_find(v, STR("lock"))->flat.verdict,
                  each > 1 ? PPROFC_VERDICT_NEW : PPROFC_VERDICT_UNKNOWN);
  pprofc_verdicts_free(v);
  free_sides(&s);
}

TEST(test_a_base_without_contention_is_a_zero) {
  check_waiting(1, false);
  check_waiting(3, false);
  check_waiting(3, true);
}

/* The runs have 5, 10 and 15 seconds. A value per second must be the sum of the runs divided by the
 * sum of their seconds. Pages that first sum the runs must show the same value. */
TEST(test_a_longer_run_counts_for_more) {
  struct recorded_sides s = {.bases = 3, .heads = 3};
  for (size_t i = 0; i < 6; i++) {
    int64_t seconds = 5 * (1 + (int64_t)i % 3);
    pprofc_builder *b = waiting_builder();
    pprofc_builder_time(b, 0, seconds * 1000000000);
    sample(b, "lock main", 1000, 6000000);
    sample(b, "wait main", 1000, i < 3 ? 3000000 : 3000000 * seconds);
    put_run(&s, i, b);
  }
  pprofc_verdict_summary sum;
  pprofc_verdicts *v = judge(&s, &sum);
  CU_ASSERT_EQUAL(sum.total_base, 900000);
  CU_ASSERT_EQUAL(sum.total_head, 3600000);
  const pprofc_verdict_estimate *lock = &pprofc_verdicts_find(v, STR("lock"))->flat;
  const pprofc_verdict_estimate *wait = &pprofc_verdicts_find(v, STR("wait"))->flat;
  CU_ASSERT(lock->base == 600000 && lock->head == 600000 && wait->head == 3000000);
  CU_ASSERT(lock->low < 0 && lock->high > 0);
  CU_ASSERT(wait->low < wait->delta && wait->delta < wait->high);
  pprofc_verdicts_free(v);
  free_sides(&s);
}

/* Goroutines are counted at a point in time. They have no shares, although twelve functions have
 * many goroutines. */
TEST(test_goroutines_are_counts_of_a_moment) {
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
    put_run(&s, i, b);
  }
  pprofc_verdict_summary sum;
  pprofc_verdicts *v = judge(&s, &sum);
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

TEST(test_a_unit_cannot_drive_a_terminal) {
  char out[AMOUNT_TEXT];
  struct amount_unit unit = amount_unit_for(STR("\033]0;x\a"), STR(""), 1, 0.5);
  CU_ASSERT_STRING_EQUAL(amount_text(&unit, 12, true, out).data, "+12.0\\x1b]0;x\\x07");
  struct amount_grid grid = {unit, 1, 10};
  CU_ASSERT_STRING_EQUAL(amount_of_ticks(&grid, 125, false, out).data, "12.5\\x1b]0;x\\x07");
  char wide[200];
  for (int i = 0; i < 60; i++) snprintf(wide + 2 * i, 3, "\xc3\xa9");
  unit = amount_unit_for(str_of(wide), STR(""), 1, 0.5);
  pprofc_str text = amount_text(&unit, 12, false, out);
  CU_ASSERT(utf8_valid(text) && text.size == 62);
}

/* Compares runs in which only the time below functions of the kernel or runtime grew, by 800
 * samples for each function. Noise between runs is up to 4 samples per function. */
static void check_machine(size_t each, int functions) {
  struct recorded_sides s = {.bases = each, .heads = each};
  for (size_t i = 0; i < 2 * each; i++) {
    pprofc_builder *b = pprofc_builder_new(NULL);
    pprofc_builder_type(b, "cpu", "nanoseconds");
    pprofc_builder_period(b, "cpu", "nanoseconds", 1000);
    for (int k = 0; k < functions; k++) {
      char stack[64];
      snprintf(stack, sizeof stack, "part%d svc main", k);
      sample(b, stack, (400 + ((int)i * 3 + k) % 5) * 1000, 0);
    }
    sample(b, "slab_free handle_softirqs svc main", i < each ? 100000 : 900000, 0);
    sample(b, "setup_object ___slab_alloc.isra.0 svc main", i < each ? 100000 : 900000, 0);
    sample(b, "job schedule tick_all main", i < each ? 100000 : 900000, 0);
    put_run(&s, i, b);
  }
  pprofc_verdict_summary sum;
  pprofc_verdicts *v = judge(&s, &sum);
  const pprofc_verdict_estimate *svc = &pprofc_verdicts_find(v, STR("svc"))->cum;
  CU_ASSERT_EQUAL(svc->own, PPROFC_VERDICT_UNCHANGED);
  CU_ASSERT(svc->delta > 1590000 && svc->delta < 1610000); /* the difference of the recorded
                                                              values */
  CU_ASSERT(svc->low < svc->delta && svc->delta < svc->high);
  CU_ASSERT_EQUAL(pprofc_verdicts_find(v, STR("slab_free"))->cum.own, PPROFC_VERDICT_ENVIRONMENT);
  CU_ASSERT_EQUAL(pprofc_verdicts_find(v, STR("slab_free"))->flat.own, PPROFC_VERDICT_GREW);
  CU_ASSERT_EQUAL(pprofc_verdicts_find(v, STR("setup_object"))->cum.own,
                  PPROFC_VERDICT_ENVIRONMENT);
  /* A program may have its own function named schedule. The functions that it calls must be
   * judged. */
  CU_ASSERT_EQUAL(pprofc_verdicts_find(v, STR("job"))->cum.own, PPROFC_VERDICT_GREW);
  pprofc_verdicts_free(v);
  free_sides(&s);
}

TEST(test_cum_is_judged_without_the_machine) {
  check_machine(1, 4);
  check_machine(1, 24);
  check_machine(3, 4);
  check_machine(3, 24);
}

/* A path of 20 callers grows thirtyfold. All rows of cum grow together, so their common factor
 * explains the growth. They must not count as unchanged. */
TEST(test_callers_that_grow_together_are_not_unchanged) {
  struct recorded_sides s = {.bases = 4, .heads = 4};
  for (size_t i = 0; i < 8; i++) {
    int64_t count = i < 4 ? 2 + (int64_t)i % 2 : 90 + (int64_t)i;
    pprofc_builder *b = pprofc_builder_new(NULL);
    char stack[256];
    size_t size = (size_t)snprintf(stack, sizeof stack, "%s", i < 4 ? "append" : "concat");
    pprofc_builder_type(b, "samples", "count");
    pprofc_builder_type(b, "cpu", "nanoseconds");
    pprofc_builder_period(b, "cpu", "nanoseconds", 10000000);
    for (int k = 0; k < 20; k++)
      size += (size_t)snprintf(stack + size, sizeof stack - size, " caller%d", k);
    sample(b, stack, count, count * 10000000);
    put_run(&s, i, b);
  }
  pprofc_verdict_summary sum;
  pprofc_verdicts *v = judge(&s, &sum);
  const pprofc_verdict_estimate *e = &pprofc_verdicts_find(v, STR("caller7"))->cum;
  CU_ASSERT(e->low > 0 && e->own == PPROFC_VERDICT_UNCHANGED);
  CU_ASSERT_EQUAL(e->verdict, PPROFC_VERDICT_GREW_AS_ALL);
  pprofc_verdicts_free(v);
  free_sides(&s);
}
