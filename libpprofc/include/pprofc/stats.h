/* Statistics of samples: distributions, two-sample tests, quantiles and intervals.
 *
 * The functions keep no state: any number of threads may call them at once. */
#ifndef PPROFC_STATS_H
#define PPROFC_STATS_H

#include "pprofc/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Distribution functions. NaN only for arguments that are NaN or outside the domain. */
PPROFC_API double pprofc_normal_cdf(double z);
PPROFC_API double pprofc_normal_quantile(double p); /* Acklam, refined by one step of Halley */
PPROFC_API double pprofc_beta_incomplete(double x, double a,
                                         double b); /* regularised; Lentz fraction */
PPROFC_API double pprofc_t_cdf(double t, double degrees);
PPROFC_API double pprofc_t_two_sided(double t,
                                     double degrees); /* P(|T| >= |t|), without cancellation */
PPROFC_API double pprofc_t_quantile(double p, double degrees);

typedef enum pprofc_test_status {
  PPROFC_TEST_OK,
  PPROFC_TEST_TOO_SMALL,     /* "sample is too small" */
  PPROFC_TEST_ZERO_VARIANCE, /* "sample has zero variance" */
  PPROFC_TEST_ALL_EQUAL,     /* "all samples are equal" */
  PPROFC_TEST_NAN,           /* "a sample holds NaN" */
  PPROFC_TEST_NO_MEMORY      /* "out of memory" */
} pprofc_test_status;

/* The text in quotes above; NULL for PPROFC_TEST_OK. */
PPROFC_API const char *pprofc_test_message(pprofc_test_status status);

/* Mann-Whitney U, two-sided. p is 1 unless status is PPROFC_TEST_OK. Exact (conditional on the
 * ties) up to 50 values a side, 25 with ties, or, when `flags` has PPROFC_U_CORRECT, up to 10,000
 * in all as long as that takes no more than about 50 ms; beyond that, which `exact` tells, the
 * normal approximation with continuity and tie correction. Without PPROFC_U_CORRECT the p of tied
 * samples of unequal size is benchstat's (it takes the smaller of U1 and U2 for U1; p may exceed
 * 1). `x` and `y` are sorted ascending. Cheung, Klotz 1997; Mann, Whitney 1947; for large samples
 * Daniels 1954. */
#define PPROFC_U_CORRECT 1u
typedef struct pprofc_u_result {
  pprofc_test_status status;
  double u, p; /* u counts pairs with x > y, ties half */
  bool exact;
} pprofc_u_result;
PPROFC_API pprofc_u_result pprofc_u_test(const double *x, size_t x_count, const double *y,
                                         size_t y_count, unsigned flags,
                                         const pprofc_allocator *allocator);

/* Welch's t-test with Welch-Satterthwaite degrees of freedom, two-sided; samples in any order.
 * p is 1 unless status is PPROFC_TEST_OK. */
typedef struct pprofc_t_result {
  pprofc_test_status status;
  double t, degrees, p;
} pprofc_t_result;
PPROFC_API pprofc_t_result pprofc_welch_test(const double *x, size_t x_count, const double *y,
                                             size_t y_count);

/* Mean and sample variance (divisor n - 1) by Welford's recurrence, in the order given. */
typedef struct pprofc_moments {
  double mean, variance;
} pprofc_moments;
PPROFC_API pprofc_moments pprofc_moments_of(const double *values, size_t count);

/* The R8 quantile (Hyndman, Fan 1996) of sorted values. */
PPROFC_API double pprofc_quantile(const double *sorted, size_t count, double q);

/* Which order statistics of n values bound the median at a level: 1-based, low < 1 and high > n
 * where no such value exists. */
typedef struct pprofc_median_interval {
  size_t low, high;
  double confidence; /* the level that is reached */
} pprofc_median_interval;
PPROFC_API pprofc_median_interval pprofc_median_interval_of(size_t n, double level);

/* Geometric mean; NaN when a value is NaN or not positive, or there is none. */
PPROFC_API double pprofc_geomean(const double *values, size_t count);

#ifdef __cplusplus
}
#endif
#endif
