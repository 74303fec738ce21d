/* Tests the statistics of verdicts against recorded numbers. Also tests their results for too
 * little data. */
#include "core/mem.h"
#include "pprofc/stats.h"
#include "stats/stats.h"
#include "unit.h"
#include "verdict/model.h"
#include "verdict/walk.h"
#include "verdict_vectors.h"

#include <string.h>

static bool near_to(double value, double expected, double precision) {
  if (isnan(expected)) return isnan(value);
  if (isinf(expected)) return value == expected;
  return fabs(value - expected) <= precision * fmax(1, fabs(expected));
}

static bool all_near(const double *values, const double *expected, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!near_to(values[i], expected[i], 1e-9)) return false;
  return true;
}

TEST(test_derivatives_of_log_gamma_agree) {
  for (size_t i = 0; i < COUNT(gamma_vectors); i++) {
    const double *v = gamma_vectors[i];
    CU_ASSERT(near_to(stats_digamma(v[0]), v[1], 1e-13));
    CU_ASSERT(near_to(stats_trigamma(v[0]), v[2], 1e-13));
    CU_ASSERT(near_to(stats_tetragamma(v[0]), v[3], 1e-13));
  }
  CU_ASSERT(isnan(stats_digamma(0)) && isnan(stats_trigamma(-1)) && isnan(stats_tetragamma(0)));
}

TEST(test_trigamma_is_inverted) {
  for (size_t i = 0; i < COUNT(trigamma_inverse_vectors); i++) {
    const double *v = trigamma_inverse_vectors[i];
    CU_ASSERT(near_to(stats_trigamma_inverse(v[0]), v[1], 1e-9));
  }
  CU_ASSERT(isnan(stats_trigamma_inverse(0)) && isnan(stats_trigamma_inverse(-1)));
}

TEST(test_medians_of_chi_squared_agree) {
  for (size_t i = 0; i < COUNT(chi2_vectors); i++)
    CU_ASSERT(near_to(stats_chi2_median(chi2_vectors[i][0]), chi2_vectors[i][1], 1e-11));
  CU_ASSERT(isnan(stats_chi2_median(0)));
}

TEST(test_weighted_median_lies_between_items) {
  struct weighted items[] = {{1, 1, 0}, {3, 2, 1}, {2, 3, 2}, {10, 1, 3}};
  CU_ASSERT_DOUBLE_EQUAL(stats_weighted_median(items, 4), 2.4, 1e-15);
  CU_ASSERT_EQUAL(stats_weighted_median(items, 1), 1);
  CU_ASSERT(isnan(stats_weighted_median(items, 0)));
  struct weighted heavy[] = {{5, 100, 0}, {7, 1, 1}};
  CU_ASSERT_DOUBLE_EQUAL(stats_weighted_median(heavy, 2), 5 + 2 * 0.5 / 50.5, 1e-15);
}

TEST(test_medians_of_few_values) {
  double values[] = {3, 1, 4, 2};
  CU_ASSERT_EQUAL(stats_median(values, 3), 3);
  CU_ASSERT_EQUAL(stats_median(values, 4), 2.5);
}

TEST(test_corrections_for_dependence_are_larger) {
  double p[] = {.01, .03, .04, .2}, bh[4], by[4];
  corrections_benjamini_hochberg(p, 4, bh);
  corrections_benjamini_yekutieli(p, 4, by);
  CU_ASSERT_DOUBLE_EQUAL(bh[0], 0.04, 1e-15);
  CU_ASSERT_DOUBLE_EQUAL(bh[1], 0.16 / 3, 1e-15);
  CU_ASSERT_DOUBLE_EQUAL(by[0], 0.04 * 25 / 12, 1e-15);
  CU_ASSERT_DOUBLE_EQUAL(by[3], 0.2 * 25 / 12, 1e-15);
}

TEST(test_parts_have_fiellers_interval) {
  struct ratio_interval r = stats_fieller(part_chosen, part_total, 3, 6);
  CU_ASSERT(r.defined && r.bounded);
  CU_ASSERT(near_to(r.ratio, part_low_high[0], 1e-9));
  CU_ASSERT(near_to(r.low, part_low_high[1], 1e-9));
  CU_ASSERT(near_to(r.high, part_low_high[2], 1e-9));
  static const double flat[] = {1, 1, 1, 1};
  CU_ASSERT_FALSE(stats_fieller(part_chosen, flat, 2, 4).defined);
  static const double wild[] = {1, 9, 2, 9};
  CU_ASSERT_FALSE(stats_fieller(part_chosen, wild, 2, 4).bounded);
  CU_ASSERT_FALSE(stats_fieller(part_chosen, part_total, 1, 2).bounded);
}

TEST(test_score_intervals_agree) {
  for (size_t i = 0; i < COUNT(score_vectors); i++) {
    double low, high;
    stats_score_interval(score_vectors[i][0], 1, 1.959963984540054, &low, &high);
    CU_ASSERT(near_to(low, score_vectors[i][1], 1e-12));
    CU_ASSERT(near_to(high, score_vectors[i][2], 1e-12));
  }
}

TEST(test_heap_sampling_follows_its_formula) {
  for (size_t i = 0; i < COUNT(heap_vectors); i++) {
    const double *v = heap_vectors[i];
    int64_t values[] = {10, 10 * (int64_t)v[0]};
    struct quantum q = {SAMPLING_HEAP, 1, 0, 1, v[1]};
    CU_ASSERT(near_to(quantum_of_sample(&q, values), v[2], 1e-9));
    q.value = 0;
    CU_ASSERT(near_to(quantum_of_sample(&q, values), v[3], 1e-9));
  }
}

/* ---- whole comparisons ------------------------------- */

static void check_model(const struct model_vector *v, const struct fit *fit) {
  size_t wrong = 0;
  for (size_t i = 0; i < v->rows; i++) {
    const struct estimate *e = &fit->of[i];
    wrong += !near_to(e->delta, v->delta[i], 1e-9) || !near_to(e->low, v->low[i], 1e-9) ||
             !near_to(e->high, v->high[i], 1e-9) || !near_to(e->p, v->p[i], 1e-9);
  }
  CU_ASSERT_EQUAL(wrong, 0);
  CU_ASSERT(all_near(fit->common, v->factor, v->runs));
  CU_ASSERT(near_to(sqrt(fit->cv2), v->cv, 1e-9));
  CU_ASSERT(near_to(fit->prior, v->prior, 1e-9));
  CU_ASSERT(near_to(fit->degrees, v->degrees, 1e-9));
  CU_ASSERT(near_to(fit->dispersion, v->dispersion, 1e-9));
}

TEST(test_comparisons_agree_with_the_reference) {
  for (size_t i = 0; i < COUNT(model_vectors); i++) {
    const struct model_vector *v = &model_vectors[i];
    static const bool aside[1000];
    struct matrix m = {.rows = v->rows,
                       .runs = v->runs,
                       .bases = v->bases,
                       .values = v->values,
                       .quantum = v->quantum,
                       .exposure = v->exposure,
                       .aside = aside};
    struct model_settings settings = {v->noise_cv, 10, v->common != 0};
    struct arena arena;
    struct fit fit;
    arena_init(&arena, &mem_default);
    CU_ASSERT_EQUAL(model_fit(&m, &settings, &arena, &fit, NULL), PPROFC_OK);
    check_model(v, &fit);
    arena_free(&arena);
  }
}

/* ---- smallest detectable change ---------------------- */

static struct advice usual_advice(void) {
  return (struct advice){.runs = 5,
                         .degrees = 18,
                         .prior = 10,
                         .limit = 1 - 0.05 / 120,
                         .sampling = 1.0 / 350,
                         .noise = 0.02 * 0.02};
}

/* Computes the error by the formula of docs/method/verdicts.md. */
static double advice_error(const struct advice *a, double excess, double change) {
  double factor = excess * (pprofc_t_quantile(a->limit, a->degrees) + 0.85),
         middle = 1 + change / 2;
  double variance = middle * a->sampling + middle * middle * (2 * a->noise + a->common);
  return factor * sqrt(2 / a->runs * variance) - change;
}

TEST(test_the_smallest_change_solves_its_formula) {
  struct advice a = usual_advice(), few = a, two = a;
  CU_ASSERT(fabs(advice_error(&a, 1.15, advice_change(&a))) < 1e-9);
  few.runs = 3;
  few.degrees = 14;
  CU_ASSERT(fabs(advice_error(&few, 1.2, advice_change(&few))) < 1e-9);
  two.runs = 2;
  two.degrees = 12;
  CU_ASSERT(fabs(advice_error(&two, 1.45, advice_change(&two))) < 1e-9);
  a.common = 0.01;
  CU_ASSERT(fabs(advice_error(&a, 1.15, advice_change(&a))) < 1e-9);
  a.noise = 1;
  CU_ASSERT(isinf(advice_change(&a)));
}

TEST(test_more_runs_or_samples_show_five_percent) {
  struct advice a = usual_advice(), more = a;
  more.runs = advice_runs(&a);
  more.degrees = 2 * more.runs - 2 + a.prior;
  CU_ASSERT(more.runs > 5 && advice_change(&more) <= 0.05);
  more.runs--;
  more.degrees -= 2;
  CU_ASSERT(advice_change(&more) > 0.05);
  a.noise = 0.005 * 0.005;
  a.common = 0.0001;
  double times = advice_samples(&a);
  more = a;
  more.sampling /= times;
  more.common /= times;
  CU_ASSERT(times > 1 && fabs(advice_change(&more) - 0.05) < 1e-9);
  a.noise = 0.1 * 0.1;
  CU_ASSERT(isinf(advice_samples(&a)));
  a.noise = 1e4;
  CU_ASSERT(isinf(advice_runs(&a)));
  a = (struct advice){.runs = 9, .degrees = 26, .prior = 10, .limit = 0.999, .sampling = 1e-9};
  CU_ASSERT(advice_runs(&a) == 5 && advice_samples(&a) == 1);
}

TEST(test_exact_values_are_certain) {
  static const double values[] = {100, 100, 100, 100, 50, 50, 51, 51}, quantum[2] = {0, 0};
  static const double exposure[] = {1, 1, 1, 1};
  static const bool aside[2];
  struct matrix m = {.rows = 2,
                     .runs = 4,
                     .bases = 2,
                     .values = values,
                     .quantum = quantum,
                     .exposure = exposure,
                     .aside = aside};
  struct model_settings settings = {0.05, 10, true};
  struct arena arena;
  struct fit fit;
  arena_init(&arena, &mem_default);
  CU_ASSERT_EQUAL(model_fit(&m, &settings, &arena, &fit, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(fit.of[0].p, 1);
  CU_ASSERT_EQUAL(fit.of[1].p, 0);
  CU_ASSERT_EQUAL(fit.of[1].low, 1);
  CU_ASSERT_FALSE(fit.has_common);
  arena_free(&arena);
}
