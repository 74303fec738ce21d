/* Statistics of samples: distributions, two-sample tests, quantiles and intervals.
 *
 * The functions keep no state, so any number of threads may call them at once. */
#ifndef PPROFC_STATS_H
#define PPROFC_STATS_H

#include "pprofc/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* pprofc_normal_cdf returns the cumulative distribution of the standard normal distribution.
 * pprofc_normal_quantile returns its quantile for p in [0, 1], by Acklam's approximation, refined
 * by one step of Halley's method. All distribution functions in this file return NaN only for
 * arguments that are NaN or outside the range where the function is defined. */
PPROFC_API double pprofc_normal_cdf(double z);
PPROFC_API double pprofc_normal_quantile(double p);

/* Returns the regularised incomplete beta function I_x(a, b) for x in [0, 1] and a, b > 0, by
 * Lentz's continued fraction. */
PPROFC_API double pprofc_beta_incomplete(double x, double a, double b);

/* The first function returns the cumulative distribution of Student's t. The second returns P(|T|
 * >= |t|), computed without cancellation. The third returns the quantile for p in [0, 1]. `degrees`
 * is the number of degrees of freedom, above 0. */
PPROFC_API double pprofc_t_cdf(double t, double degrees);
PPROFC_API double pprofc_t_two_sided(double t, double degrees);
PPROFC_API double pprofc_t_quantile(double p, double degrees);

/* Result of a test. All values except PPROFC_TEST_OK are reasons for a missing p-value. */
typedef enum pprofc_test_status {
  PPROFC_TEST_OK,            /* p is valid */
  PPROFC_TEST_TOO_SMALL,     /* message: "sample is too small" */
  PPROFC_TEST_ZERO_VARIANCE, /* message: "sample has zero variance" */
  PPROFC_TEST_ALL_EQUAL,     /* message: "all samples are equal" */
  PPROFC_TEST_NAN,           /* message: "a sample holds NaN" */
  PPROFC_TEST_NO_MEMORY      /* message: "out of memory" */
} pprofc_test_status;

/* Returns the message of a status: "out of memory" for PPROFC_TEST_NO_MEMORY, for example. Returns
 * NULL for PPROFC_TEST_OK. */
PPROFC_API const char *pprofc_test_message(pprofc_test_status status);

/* Flag of pprofc_u_test: compute the correct p-value instead of benchstat's p-value. */
#define PPROFC_U_CORRECT 1u

/* Result of a Mann-Whitney U test. */
typedef struct pprofc_u_result {
  pprofc_test_status status; /* PPROFC_TEST_OK, or the reason why there is no p-value */
  double u;                  /* number of pairs (x, y) with x > y; a pair of equal values counts
                                half */
  double p;                  /* two-sided p-value */
  bool exact;                /* false if p is an approximation */
} pprofc_u_result;

/* Computes the two-sided Mann-Whitney U test of samples that are sorted ascending. p is exact
 * (conditional on the ties) for up to 50 values in each sample. With more values p is the normal
 * approximation with continuity and tie correction, and `exact` is false. p is 1 unless status is
 * PPROFC_TEST_OK. Mann, Whitney 1947; Cheung, Klotz 1997. `allocator` may be NULL for malloc.
 *
 * Without PPROFC_U_CORRECT in `flags` p equals the p-value of benchstat. With ties, that p is exact
 * only for up to 25 values in each sample. With ties and unequal sizes, that p is wrong and can
 * exceed 1. */
PPROFC_API pprofc_u_result pprofc_u_test(const double *x, size_t x_count, const double *y,
                                         size_t y_count, unsigned flags,
                                         const pprofc_allocator *allocator);

/* Result of a t-test. */
typedef struct pprofc_t_result {
  pprofc_test_status status; /* PPROFC_TEST_OK, or the reason why there is no p-value */
  double t, degrees;         /* statistic and its degrees of freedom */
  double p;                  /* two-sided p-value */
} pprofc_t_result;

/* Computes the two-sided Welch t-test with Welch-Satterthwaite degrees of freedom. The samples may
 * be in any order. p is 1 unless status is PPROFC_TEST_OK. */
PPROFC_API pprofc_t_result pprofc_welch_test(const double *x, size_t x_count, const double *y,
                                             size_t y_count);

/* Mean and variance of a sample, computed by Welford's recurrence in the order of the values. */
typedef struct pprofc_moments {
  double mean;     /* arithmetic mean; 0 if there are no values */
  double variance; /* sample variance, divisor n - 1; 0 for fewer than two values */
} pprofc_moments;

/* Returns the moments of `count` values. */
PPROFC_API pprofc_moments pprofc_moments_of(const double *values, size_t count);

/* Returns the quantile q, in [0, 1], of values in ascending order. Uses definition 8 of Hyndman and
 * Fan 1996. Returns NaN if there are no values. */
PPROFC_API double pprofc_quantile(const double *sorted, size_t count, double q);

/* Confidence interval of the median. Its bounds are values of the sample. */
typedef struct pprofc_median_interval {
  size_t low, high;  /* ranks of the bounds in the sorted sample, from 1; a missing bound has the
                        rank 0 or n + 1 */
  double confidence; /* confidence level that the interval reaches */
} pprofc_median_interval;

/* Returns the interval for the median of n values at the confidence `level`, in (0, 1). */
PPROFC_API pprofc_median_interval pprofc_median_interval_of(size_t n, double level);

/* Returns the geometric mean; NaN if a value is NaN or not positive, or if there are no values. */
PPROFC_API double pprofc_geomean(const double *values, size_t count);

#ifdef __cplusplus
}
#endif
#endif
