/* Tests trends, and the verdicts on series that docs/LEAKS.md describes. */
#include "core/mem.h"
#include "leaks/leaks.h"
#include "stats/stats.h"
#include "unit.h"

#include <math.h>
#include <string.h>

#define MOST 40

static bool near_to(double value, double expected) {
  return fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected));
}

/* ---- statistics -------------------------------------- */

TEST(test_theil_sen_is_not_bent_by_an_outlier) {
  static const double t[] = {0, 1, 2, 3, 4, 7}, x[] = {1, 3, 5, 700, 9, 15};
  double scratch[15];
  CU_ASSERT(near_to(trend_theil_sen(t, x, 6, scratch), 2));
  CU_ASSERT_EQUAL(trend_theil_sen(t, x, 1, scratch), 0);
}

/* Counts every order of the values, using Heap's algorithm. This count defines the exact test. */
static double count_orders(double *x, size_t n, double s) {
  size_t c[8] = {0};
  double all = 1, least = trend_kendall_s(x, n) >= s;
  for (size_t i = 0; i < n;) {
    if (c[i] >= i) {
      c[i++] = 0;
      continue;
    }
    size_t other = i % 2 ? c[i] : 0;
    double swap = x[other];
    x[other] = x[i];
    x[i] = swap;
    all++;
    least += trend_kendall_s(x, n) >= s;
    c[i]++;
    i = 0;
  }
  return least / all;
}

TEST(test_kendall_is_exact_with_ties) {
  static const double series[][7] = {{1, 2, 3, 4, 5, 6, 7}, {1, 1, 2, 3, 3, 3, 4},
                                     {5, 1, 4, 2, 3, 3, 6}, {0, 0, 0, 1, 0, 2, 2},
                                     {7, 6, 5, 4, 3, 2, 1}, {3, 3, 3, 3, 3, 3, 3}};
  for (size_t i = 0; i < COUNT(series); i++) {
    double copy[7];
    memcpy(copy, series[i], sizeof copy);
    double expected = count_orders(copy, 7, trend_kendall_s(series[i], 7));
    CU_ASSERT(near_to(trend_kendall_p(series[i], 7, &mem_default), expected));
  }
}

TEST(test_kendall_of_many_is_close_to_the_exact_one) {
  double x[TREND_EXACT + 1];
  for (size_t i = 0; i <= TREND_EXACT; i++) x[i] = (double)((i * 7 + i / 3) % 23);
  double exact = trend_kendall_p(x, TREND_EXACT, &mem_default);
  double approximate = trend_kendall_p(x, TREND_EXACT + 1, &mem_default);
  CU_ASSERT(fabs(exact - approximate) < 0.05);
  for (size_t i = 0; i <= TREND_EXACT; i++) x[i] = 1;
  CU_ASSERT_EQUAL(trend_kendall_p(x, TREND_EXACT + 1, &mem_default), 1);
}

TEST(test_steps_are_tested) {
  static const double x[] = {0, 1, 3, 6}, even[] = {1, 2, 3, 4}, falls[] = {4, 3, 2, 1};
  /* The steps 1, 2, 3 give t = 2 / (1 / sqrt(3)) with 2 degrees of freedom. */
  double t = 2 * sqrt(3.0), p = 0.5 * (1 - t / sqrt(2 + t * t));
  CU_ASSERT(fabs(trend_drift(x, 4) - p) < 1e-9);
  CU_ASSERT_EQUAL(trend_drift(even, 4), 0);
  CU_ASSERT_EQUAL(trend_drift(falls, 4), 1);
  CU_ASSERT_EQUAL(trend_drift(x, 2), 1);
}

TEST(test_falls_rises_and_noise) {
  static const double saw[] = {1, 5, 2, 6, 3}, line[] = {1, 2, 3, 4};
  CU_ASSERT_EQUAL(trend_fall(saw, 5), 3);
  CU_ASSERT_EQUAL(trend_rise(saw, 5), 5);
  CU_ASSERT_EQUAL(trend_noise(line, 4), 0);
  CU_ASSERT_EQUAL(trend_noise(line, 2), 0);
}

/* ---- verdicts ---------------------------------------- */

static const struct leak_rules rules = {0.05, 10, 0.8};

/* Judges a series that has equal intervals and exact values. */
static struct leak_fit judge(const double *x, size_t count, double allocated) {
  static double t[MOST];
  struct leak_fit fit;
  for (size_t i = 0; i < count; i++) t[i] = (double)i;
  struct leak_series s = {.t = t, .x = x, .count = count, .allocated = allocated};
  CU_ASSERT(leak_judge(&s, 1, &rules, &mem_default, &fit));
  return fit;
}

TEST(test_shapes_have_their_verdicts) {
  static const struct {
    enum leak_verdict verdict;
    size_t count;
    double allocated; /* total of allocated bytes; 0: unknown */
    double x[MOST];
  } cases[] = {
      {LEAK_LEAK, 8, 0, {0, 10, 21, 29, 40, 52, 60, 71}},
      {LEAK_LEAK, 5, 100, {100, 120, 140, 160, 185}},
      {LEAK_LEAK, 3, 0, {100, 200, 300}},
      {LEAK_LEAK, 10, 0, {0, 0, 10, 10, 20, 20, 30, 30, 40, 50}}, /* grows in steps */
      {LEAK_GROWS, 8, 1000, {0, 10, 21, 29, 40, 52, 60, 71}},
      {LEAK_STOPPED, 8, 0, {0, 40, 80, 100, 100, 100, 100, 100}},
      {LEAK_STOPPED, 9, 0, {0, 63, 86, 95, 98, 99, 100, 100, 100}}, /* a cache that fills at
                                                                       random */
      {LEAK_STEADY, 3, 0, {0, 100, 100}}, /* three values cannot show that a leak stopped */
      {LEAK_STEADY, 4, 0, {0, 90, 95, 100}},
      {LEAK_SAWTOOTH, 9, 0, {0, 50, 100, 0, 50, 100, 0, 50, 100}},
      {LEAK_SAWTOOTH, 5, 0, {50, 100, 0, 50, 100}},
      {LEAK_STEADY, 8, 0, {50, 53, 47, 51, 58, 46, 52, 61}},
      {LEAK_STEADY, 8, 0, {100, 90, 80, 70, 60, 50, 40, 30}}, /* shrinks */
      {LEAK_BELOW, 8, 0, {100, 101, 102, 103, 104, 105, 106, 107}},
      {LEAK_BELOW, 8, 0, {0, 1, 2, 3, 4, 5, 6, 7}},
      {LEAK_STEADY, 3, 0, {100, 100, 100}},
      {LEAK_STEADY, 4, 0, {100, 130, 120, 150}}, /* four values show a leak only if all of them
                                                    increase */
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    double allocated = cases[i].allocated > 0 ? cases[i].allocated : (double)NAN;
    enum leak_verdict found = judge(cases[i].x, cases[i].count, allocated).verdict;
    CU_ASSERT_EQUAL(found, cases[i].verdict);
    if (found != cases[i].verdict) printf("\ncase %zu: verdict %d\n", i, (int)found);
  }
}

/* A leak in bursts seems to stop. Unlike a cache, the leak frees nothing. */
TEST(test_a_leak_that_keeps_everything_has_not_stopped) {
  static const double t[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  static const double x[] = {0, 10, 60, 60, 70, 140, 150, 151, 172};
  struct leak_series s = {.t = t, .x = x, .count = 9, .allocated = 172};
  struct leak_fit fit;
  CU_ASSERT_EQUAL(leak_late(9), 6);
  CU_ASSERT(leak_judge(&s, 1, &rules, &mem_default, &fit));
  CU_ASSERT_EQUAL(fit.verdict, LEAK_STEADY);
  s.late = 22;
  CU_ASSERT(leak_judge(&s, 1, &rules, &mem_default, &fit));
  CU_ASSERT_EQUAL(fit.verdict, LEAK_LEAK);
  s.late = 60;
  CU_ASSERT(leak_judge(&s, 1, &rules, &mem_default, &fit));
  CU_ASSERT_EQUAL(fit.verdict, LEAK_STEADY);
}

TEST(test_the_smallest_leak_is_the_floor_or_more_than_noise) {
  CU_ASSERT_EQUAL(leak_visible(&rules, 0, 0), 10);
  CU_ASSERT_DOUBLE_EQUAL(leak_visible(&rules, 0, 100), 384.1, 0.1); /* 1.96 squared, times 100 */
  CU_ASSERT(leak_visible(&rules, 99, 100) > 1200);
}

TEST(test_a_leak_below_a_sawtooth_is_found) {
  double x[30];
  for (size_t i = 0; i < 30; i++) x[i] = (double)(i % 3) * 100 + (double)i * 4;
  struct leak_fit fit = judge(x, 30, (double)NAN);
  CU_ASSERT_EQUAL(fit.verdict, LEAK_LEAK);
  CU_ASSERT(fit.of_troughs);
  for (size_t i = 0; i < 30; i++) x[i] = 1000 + (double)(i % 3) * 100 + (double)i * 8;
  CU_ASSERT_EQUAL(judge(x, 30, (double)NAN).verdict, LEAK_LEAK);
  for (size_t i = 0; i < 30; i++) x[i] = (double)(i % 3) * 100;
  CU_ASSERT_EQUAL(judge(x, 30, (double)NAN).verdict, LEAK_SAWTOOTH);
}

TEST(test_growth_within_sampling_error_is_none) {
  static const double t[] = {0, 1, 2}, x[] = {100, 150, 200};
  struct leak_series s = {.t = t, .x = x, .count = 3, .allocated = (double)NAN};
  struct leak_fit fit;
  s.sampling[0] = s.sampling[1] = s.largest_variance = 10000;
  CU_ASSERT(leak_judge(&s, 1, &rules, &mem_default, &fit));
  CU_ASSERT_EQUAL(fit.verdict, LEAK_STEADY);
  /* All allocated memory is still in use. It was sampled only once, and the old values do not
   * vary. */
  s.allocated = 100;
  s.sampling[0] = s.sampling[1] = s.largest_variance = 2000;
  CU_ASSERT(leak_judge(&s, 1, &rules, &mem_default, &fit));
  CU_ASSERT_EQUAL(fit.verdict, LEAK_LEAK);
}

TEST(test_many_series_make_one_need_more) {
  static const double t[] = {0, 1, 2, 3, 4};
  static const double grows[] = {100, 106, 119, 131, 144}, steady[] = {100, 101, 100, 99, 100};
  enum { MANY = 200 };
  struct leak_series s[MANY];
  struct leak_fit fits[MANY];
  for (size_t i = 0; i < MANY; i++)
    s[i] = (struct leak_series){.t = t, .x = steady, .count = 5, .allocated = (double)NAN};
  s[MANY - 1].x = grows;
  s[MANY - 1].chance[0] = 100;
  s[MANY - 1].chance[1] = 144;
  CU_ASSERT(leak_judge(s + MANY - 1, 1, &rules, &mem_default, fits));
  CU_ASSERT_EQUAL(fits[0].verdict, LEAK_LEAK);
  CU_ASSERT(leak_judge(s, MANY, &rules, &mem_default, fits));
  CU_ASSERT_EQUAL(fits[MANY - 1].verdict, LEAK_STEADY);
  CU_ASSERT_EQUAL(fits[MANY - 1].adjusted, fmin(1, fits[MANY - 1].p * MANY));
}
