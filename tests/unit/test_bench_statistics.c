/* Tests src/stats against recorded numbers. Also tests its results for too little data. */
#include "bench_vectors.h"
#include "core/mem.h"
#include "pprofc/bench.h"
#include "stats/stats.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool close_to(double value, double expected) {
  if (isnan(expected)) return isnan(value);
  if (isinf(expected)) return value == expected;
  return fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected));
}

TEST(test_distribution_functions_agree) {
  for (size_t i = 0; i < COUNT(normal_vectors); i++) {
    CU_ASSERT(close_to(pprofc_normal_cdf(normal_vectors[i][0]), normal_vectors[i][1]));
    CU_ASSERT(fabs(pprofc_normal_quantile(normal_vectors[i][1]) - normal_vectors[i][0]) < 1e-8);
  }
  for (size_t i = 0; i < COUNT(betainc_vectors); i++) {
    const double *v = betainc_vectors[i];
    CU_ASSERT(close_to(pprofc_beta_incomplete(v[0], v[1], v[2]), v[3]));
  }
  for (size_t i = 0; i < COUNT(t_vectors); i++) {
    const double *v = t_vectors[i];
    CU_ASSERT(close_to(pprofc_t_cdf(v[0], v[1]), v[2]));
    CU_ASSERT(close_to(pprofc_t_two_sided(v[0], v[1]), v[3]));
  }
}

TEST(test_t_quantile_inverts_the_distribution) {
  CU_ASSERT_DOUBLE_EQUAL(pprofc_t_quantile(0.975, 10), 2.2281388519862747, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(pprofc_t_quantile(0.025, 5), -2.5705818356363155, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(pprofc_t_quantile(0.995, 1), 63.65674116287399, 1e-9);
  CU_ASSERT_EQUAL(pprofc_t_quantile(0.5, 3), 0);
}

TEST(test_tiny_tails_keep_their_digits) {
  CU_ASSERT_DOUBLE_EQUAL(pprofc_t_two_sided(40, 18) / 4.8652616923049910e-19, 1, 1e-12);
  CU_ASSERT(pprofc_t_two_sided(1e10, 18) > 0);
  CU_ASSERT_EQUAL(pprofc_t_two_sided((double)INFINITY, 18), 0);
}

TEST(test_logarithm_and_exponential_agree_to_the_last_bit) {
  for (size_t i = 0; i < COUNT(explog_vectors); i++) {
    const double *v = explog_vectors[i];
    CU_ASSERT_EQUAL(go_log(v[0]), v[1]);
    CU_ASSERT_EQUAL(go_exp(v[1]), v[2]);
  }
  for (size_t i = 0; i < COUNT(choose_vectors); i++)
    CU_ASSERT_EQUAL(go_choose(choose_vectors[i].n, choose_vectors[i].k), choose_vectors[i].value);
}

TEST(test_median_intervals_agree) {
  for (size_t i = 0; i < COUNT(interval_vectors); i++) {
    const struct interval_vector *v = &interval_vectors[i];
    pprofc_median_interval interval = pprofc_median_interval_of((size_t)v->n, v->level);
    CU_ASSERT_EQUAL(interval.low, (size_t)v->low);
    CU_ASSERT_EQUAL(interval.high, (size_t)v->high);
    CU_ASSERT(close_to(interval.confidence, v->confidence));
  }
}

TEST(test_quantiles_agree) {
  double values[100];
  for (size_t i = 0; i < 100; i++) values[i] = (double)(i * i);
  for (size_t i = 0; i < COUNT(quantile_vectors); i++) {
    const struct quantile_vector *v = &quantile_vectors[i];
    double expected = v->k <= 0 ? values[0]
                      : v->k >= v->n
                          ? values[v->n - 1]
                          : values[v->k - 1] + v->fraction * (values[v->k] - values[v->k - 1]);
    CU_ASSERT(close_to(pprofc_quantile(values, (size_t)v->n, v->q), expected));
  }
  CU_ASSERT(isnan(pprofc_quantile(values, 0, 0.5)));
}

TEST(test_geometric_means_agree_to_the_last_bit) {
  for (size_t i = 0; i < COUNT(geomean_vectors); i++) {
    const struct geomean_vector *v = &geomean_vectors[i];
    double mean = pprofc_geomean(v->values, v->count);
    CU_ASSERT(isnan(v->mean) ? isnan(mean) : mean == v->mean);
  }
}

static const double *sorted(const double *values, size_t count, double *out) {
  memcpy(out, values, count * sizeof *out);
  sort_doubles(out, count);
  return out;
}

static pprofc_u_result u_of(const struct test_vector *v, unsigned flags) {
  static double x[400], y[400];
  return pprofc_u_test(sorted(v->x, v->x_count, x), v->x_count, sorted(v->y, v->y_count, y),
                       v->y_count, flags, NULL);
}

TEST(test_u_agrees_with_benchstat) {
  for (size_t i = 0; i < COUNT(u_vectors); i++) {
    const struct test_vector *v = &u_vectors[i];
    pprofc_u_result u = u_of(v, 0);
    if (v->p < 0) {
      CU_ASSERT(u.status != PPROFC_TEST_OK);
      CU_ASSERT_EQUAL(u.p, 1);
      continue;
    }
    CU_ASSERT_EQUAL(u.status, PPROFC_TEST_OK);
    CU_ASSERT_EQUAL(u.u, v->statistic);
    CU_ASSERT(close_to(u.p, v->p));
  }
}

/* With equal sample sizes, benchstat's distribution is correct. */
TEST(test_correct_u_is_the_same_at_equal_sizes) {
  for (size_t i = 0; i < COUNT(u_vectors); i++) {
    const struct test_vector *v = &u_vectors[i];
    if (v->p < 0 || v->x_count != v->y_count || !u_of(v, 0).exact) continue;
    CU_ASSERT(close_to(u_of(v, PPROFC_U_CORRECT).p, v->p));
  }
}

/* Computes the two-sided p-value by assigning the merged values to x in every possible way. */
static double p_by_enumeration(const double *x, size_t nx, const double *y, size_t ny) {
  double all[16], observed = 0;
  size_t total = nx + ny, below = 0, above = 0, count = 0;
  memcpy(all, x, nx * sizeof *all);
  memcpy(all + nx, y, ny * sizeof *all);
  for (unsigned mask = 0; mask < 1u << total; mask++) {
    if ((size_t)__builtin_popcount(mask) != nx) continue;
    double u = 0;
    for (size_t i = 0; i < total; i++)
      for (size_t j = 0; j < total; j++)
        if (mask >> i & 1 && !(mask >> j & 1))
          u += all[i] > all[j] ? 1 : all[i] == all[j] ? 0.5 : 0;
    if (mask == (1u << nx) - 1) observed = u;
  }
  for (unsigned mask = 0; mask < 1u << total; mask++) {
    if ((size_t)__builtin_popcount(mask) != nx) continue;
    double u = 0;
    for (size_t i = 0; i < total; i++)
      for (size_t j = 0; j < total; j++)
        if (mask >> i & 1 && !(mask >> j & 1))
          u += all[i] > all[j] ? 1 : all[i] == all[j] ? 0.5 : 0;
    below += u <= observed;
    above += u >= observed;
    count++;
  }
  double p = 2.0 * (double)(below < above ? below : above) / (double)count;
  return p < 1 ? p : 1;
}

TEST(test_correct_u_is_right_with_ties_at_unequal_sizes) {
  unsigned long long state = 2463534242u;
  for (int round = 0; round < 400; round++) {
    double x[8], y[8];
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    size_t nx = 1 + state % 5, ny = 1 + (state >> 8) % 6;
    unsigned distinct = 2 + (unsigned)(state >> 16) % 5;
    for (size_t i = 0; i < nx; i++) x[i] = (double)((state >> (20 + 3 * i)) % distinct);
    for (size_t i = 0; i < ny; i++) y[i] = (double)((state >> (30 + 4 * i)) % distinct);
    sort_doubles(x, nx);
    sort_doubles(y, ny);
    pprofc_u_result u = pprofc_u_test(x, nx, y, ny, PPROFC_U_CORRECT, NULL);
    if (u.status != PPROFC_TEST_OK) continue;
    CU_ASSERT(close_to(u.p, p_by_enumeration(x, nx, y, ny)));
    pprofc_u_result swapped = pprofc_u_test(y, ny, x, nx, PPROFC_U_CORRECT, NULL);
    CU_ASSERT(close_to(u.p, swapped.p));
  }
}

TEST(test_known_flaws_of_benchstat_are_repeated_only_there) {
  static const double fives[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5},
                      four[] = {4, 5, 5, 5, 5, 5, 5, 5, 5};
  CU_ASSERT_EQUAL(pprofc_u_test(fives, 10, four, 9, 0, NULL).p, 0);
  CU_ASSERT_DOUBLE_EQUAL(pprofc_u_test(four, 9, fives, 10, 0, NULL).p, 0.947, 5e-4);
  double p = pprofc_u_test(fives, 10, four, 9, PPROFC_U_CORRECT, NULL).p;
  CU_ASSERT(p > 0.9 && p <= 1);
  CU_ASSERT(close_to(pprofc_u_test(four, 9, fives, 10, PPROFC_U_CORRECT, NULL).p, p));
}

/* Time limit of a test of 4,000 samples: 10 ms in a release build, more with sanitizers or without
 * optimisation. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&    \
    !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define SECONDS_MAX 0.05
#else
#define SECONDS_MAX 0.5
#endif

/* Returns the CPU time of this thread in seconds. Other load does not affect this time. */
static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

TEST(test_thousands_of_tied_samples_are_quick) {
  enum { N = 4000 };
  static double x[N], y[N];
  for (unsigned flags = 0; flags <= PPROFC_U_CORRECT; flags++) {
    for (unsigned distinct = 2; distinct <= 1000; distinct *= 5) {
      for (unsigned i = 0; i < N; i++) {
        x[i] = i * 7919u % distinct;
        y[i] = i * 104729u % distinct + (i % 50 == 0);
      }
      sort_doubles(x, N);
      sort_doubles(y, N);
      double start = cpu_seconds();
      pprofc_u_result u = pprofc_u_test(x, N, y, N, flags, NULL);
      CU_ASSERT(cpu_seconds() - start < SECONDS_MAX);
      CU_ASSERT(u.status == PPROFC_TEST_OK && u.p >= 0 && u.p <= 1 && !u.exact);
    }
  }
}

/* The exact test takes most steps for 50 samples per side with pairs of ties. With one more sample
 * the normal approximation is used, and p must hardly change. */
TEST(test_exact_and_approximate_u_meet) {
  enum { N = 51 };
  double x[N], y[N];
  for (unsigned shift = 0; shift < 20; shift++) {
    for (unsigned i = 0; i < N; i++) {
      x[i] = i / 2;
      y[i] = i / 2 + shift / 4.0;
    }
    double start = cpu_seconds();
    pprofc_u_result exact = pprofc_u_test(x, N - 1, y, N - 1, PPROFC_U_CORRECT, NULL);
    CU_ASSERT(cpu_seconds() - start < SECONDS_MAX);
    pprofc_u_result approximate = pprofc_u_test(x, N, y, N, PPROFC_U_CORRECT, NULL);
    CU_ASSERT(exact.exact && !approximate.exact);
    CU_ASSERT_DOUBLE_EQUAL(exact.p / approximate.p, 1, 0.15);
  }
}

/* Both flags must give the p-value of R's wilcox.test(x, y, exact = FALSE), as benchstat's
 * approximation does. */
TEST(test_approximate_u_is_the_textbook_one) {
  enum { N = 60, M = 80 };
  double x[N], y[M];
  for (unsigned i = 0; i < N; i++) x[i] = i % 30;
  for (unsigned i = 0; i < M; i++) y[i] = i % 40;
  sort_doubles(x, N);
  sort_doubles(y, M);
  double u = 0, cubes = 30 * (64 - 4) + 10 * (8 - 2), total = N + M;
  for (unsigned i = 0; i < N; i++)
    for (unsigned k = 0; k < M; k++) u += x[i] > y[k] ? 1 : x[i] == y[k] ? 0.5 : 0;
  double variance = N * M / 12.0 * (total + 1 - cubes / (total * (total - 1)));
  double z = (fabs(u - N * M / 2.0) - 0.5) / sqrt(variance);
  for (unsigned flags = 0; flags <= PPROFC_U_CORRECT; flags++)
    CU_ASSERT(close_to(pprofc_u_test(x, N, y, M, flags, NULL).p, 2 * pprofc_normal_cdf(-z)));
}

TEST(test_welch_agrees) {
  for (size_t i = 0; i < COUNT(welch_vectors); i++) {
    const struct test_vector *v = &welch_vectors[i];
    pprofc_t_result t = pprofc_welch_test(v->x, v->x_count, v->y, v->y_count);
    if (v->p < 0 || isnan(v->p)) {
      CU_ASSERT(t.status != PPROFC_TEST_OK);
      CU_ASSERT_EQUAL(t.p, 1);
      continue;
    }
    CU_ASSERT_EQUAL(t.status, PPROFC_TEST_OK);
    CU_ASSERT(close_to(t.p, v->p));
    if (isnan(v->degrees)) continue; /* skip: the squares overflow, which gives t = 0 and p = 1 */
    CU_ASSERT(close_to(t.t, v->statistic));
    CU_ASSERT(close_to(t.degrees, v->degrees));
  }
}

TEST(test_every_input_has_an_answer) {
  const double odd[] = {(double)NAN, -(double)INFINITY, (double)INFINITY, 0, 1, 1, 1e308, -1e308};
  double x[4], y[4];
  for (unsigned code = 0; code < 8 * 8 * 8 * 8; code++) {
    size_t nx = code % 3, ny = code / 3 % 4;
    for (unsigned i = 0; i < 4; i++) {
      x[i] = odd[code >> (3 * i) & 7];
      y[i] = odd[code >> (3 * (3 - i)) & 7];
    }
    pprofc_t_result t = pprofc_welch_test(x, nx, y, ny);
    CU_ASSERT(t.p >= 0 && t.p <= 1 && !isnan(t.t) && !isnan(t.degrees));
    for (size_t i = 1; i < nx && isnan(x[0]) == 0; i++)
      if (isnan(x[i])) x[0] = x[i];
    for (size_t i = 1; i < ny && isnan(y[0]) == 0; i++)
      if (isnan(y[i])) y[0] = y[i];
    if (!(nx && isnan(x[0]))) sort_doubles(x, nx);
    if (!(ny && isnan(y[0]))) sort_doubles(y, ny);
    pprofc_u_result u = pprofc_u_test(x, nx, y, ny, PPROFC_U_CORRECT, NULL);
    CU_ASSERT(u.p >= 0 && u.p <= 1);
    u = pprofc_u_test(x, nx, y, ny, 0, NULL);
    CU_ASSERT(u.p >= 0 && u.p < 2);
  }
}

/* ---- corrections ------------------------------------- */

struct correction_vector {
  void (*correct)(const double *, size_t, double *);
  size_t count;
  double p[10], adjusted[10];
};

/* The example with ten values comes from R's p.adjust. The other examples can be checked by
 * hand. */
static const struct correction_vector correction_vectors[] = {
    {corrections_benjamini_hochberg,
     10,
     {.001, .008, .039, .041, .042, .06, .074, .205, .212, .216},
     {.01, .04, .084, .084, .084, .1, .74 / 7, .216, .216, .216}},
    {corrections_holm,
     10,
     {.001, .008, .039, .041, .042, .06, .074, .205, .212, .216},
     {.01, .072, .312, .312, .312, .312, .312, .615, .615, .615}},
    /* p is proportional to the rank, so all values become the largest value */
    {corrections_benjamini_hochberg, 4, {.01, .02, .03, .04}, {.04, .04, .04, .04}},
    {corrections_holm, 4, {.01, .02, .03, .04}, {.04, .06, .06, .06}},
    /* equal values stay equal, and no value exceeds 1 */
    {corrections_benjamini_hochberg, 3, {.5, .5, 1}, {.75, .75, 1}},
    {corrections_holm, 3, {.5, .5, 1}, {1, 1, 1}},
    /* one test needs no correction */
    {corrections_benjamini_hochberg, 1, {.04}, {.04}},
    {corrections_holm, 1, {.04}, {.04}},
};

TEST(test_corrections_agree) {
  for (size_t i = 0; i < COUNT(correction_vectors); i++) {
    const struct correction_vector *v = &correction_vectors[i];
    double adjusted[10] = {0};
    v->correct(v->p, v->count, adjusted);
    for (size_t k = 0; k < v->count; k++)
      CU_ASSERT_DOUBLE_EQUAL(adjusted[k], v->adjusted[k], 1e-12);
  }
}

/* By definition, an adjusted p is at most the level exactly if the procedure finds the change at
 * that level. The procedure is step-up (Benjamini, Hochberg) or step-down (Holm). */
TEST(test_corrections_decide_as_their_definitions) {
  unsigned long long state = 88172645463325252u;
  for (int round = 0; round < 300; round++) {
    double p[10], found[2][10];
    size_t count = 1 + (size_t)round % 10;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      sum += (double)(state % 1000) / 12000;
      p[i] = sum;
    }
    corrections_benjamini_hochberg(p, count, found[0]);
    corrections_holm(p, count, found[1]);
    for (double level = .0105; level < 1; level += .05) {
      size_t up = 0, down = 0;
      for (size_t i = 0; i < count; i++)
        if (p[i] * (double)count <= level * (double)(i + 1)) up = i + 1;
      while (down < count && p[down] * (double)(count - down) <= level) down++;
      for (size_t i = 0; i < count; i++) {
        CU_ASSERT_EQUAL(found[0][i] <= level, i < up);
        CU_ASSERT_EQUAL(found[1][i] <= level, i < down);
      }
    }
  }
}

TEST(test_corrections_work_in_place) {
  for (size_t i = 0; i < COUNT(correction_vectors); i++) {
    const struct correction_vector *v = &correction_vectors[i];
    double adjusted[10];
    memcpy(adjusted, v->p, sizeof adjusted);
    v->correct(adjusted, v->count, adjusted);
    for (size_t k = 0; k < v->count; k++)
      CU_ASSERT_DOUBLE_EQUAL(adjusted[k], v->adjusted[k], 1e-12);
    v->correct(NULL, 0, NULL);
  }
}

/* The expected numbers come from scipy.stats.ttest_ind with trim=0.2, and from its permutation_test
 * with 100,000 permutations. */
TEST(test_trimmed_t_agrees) {
  static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 50};
  static const double y[] = {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 90};
  struct trimmed_result t = stats_trimmed_test(x, COUNT(x), y, COUNT(y));
  CU_ASSERT_FATAL(t.tested);
  CU_ASSERT_DOUBLE_EQUAL(t.x, 5.5, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(t.y, 9.5, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL((t.x - t.y) / t.error, -2.2935287163239835, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(t.degrees, 11.882206791106583, 1e-9);
  CU_ASSERT_DOUBLE_EQUAL(t.p, 0.040871151730498365, 1e-12);
  CU_ASSERT(stats_trimmed_permute(x, COUNT(x), y, COUNT(y), &mem_default, &t));
  CU_ASSERT_DOUBLE_EQUAL(t.p, 0.0464, 0.02);
  double first = t.p;
  CU_ASSERT(stats_trimmed_permute(x, COUNT(x), y, COUNT(y), &mem_default, &t));
  CU_ASSERT_EQUAL(t.p, first);
}

TEST(test_trimmed_t_of_equal_or_few_values_is_no_test) {
  static const double one[] = {1}, same[] = {2, 2, 2, 2, 2, 9}, other[] = {3, 3, 3, 3, 3, 3};
  CU_ASSERT_FALSE(stats_trimmed_test(one, 1, same, COUNT(same)).tested);
  CU_ASSERT_FALSE(stats_trimmed_test(same, COUNT(same), other, COUNT(other)).tested);
}
