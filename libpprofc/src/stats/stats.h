/* Declares the statistics that several folders share: medians, intervals, corrections of p-values,
 * tests and distributions that pprofc/stats.h does not have. */
#ifndef PPROFC_STATS_STATS_H
#define PPROFC_STATS_STATS_H

#include "core/base.h"
#include "pprofc/stats.h"

/* Sorts in ascending order, with NaN first as in Go. */
void sort_doubles(double *values, size_t count);

struct weighted {
  double value, weight;
  size_t place; /* position among elements with equal values; the caller sets it */
};

/* Returns the weighted median: the value at half of the total weight. The position of a value is
 * the sum of the weights before it plus half of its own weight. Interpolates linearly between
 * positions. Sorts the values. Returns NaN if there are no values. */
double stats_weighted_median(struct weighted *items, size_t count);

/* Returns the median. For an even number of values, it is the mean of the two middle values. Sorts
 * the values. Returns NaN if there are no values. */
double stats_median(double *values, size_t count);

/* A test has a power of 80 % if the true value is this number of standard errors beyond the limit
 * of significance. */
#define STATS_POWER_80 0.85

/* ---- intervals of ratios and means ------------------ */

struct ratio_interval {
  bool defined; /* true if the denominator of `ratio` is not 0 */
  bool bounded; /* true if low and high are finite */
  double ratio, low, high;
};

/* Two estimates, their variances, and the covariance of their errors. */
struct ratio_sides {
  double x, y, x_variance, y_variance, covariance;
};

/* Returns x / y with its interval. `t` is the quantile of Student's t for the level (Fieller
 * 1954). */
struct ratio_interval stats_ratio_interval(struct ratio_sides sides, double t);

/* Returns the change of `part` divided by the change of `whole`. The first `bases` of the `count`
 * runs are the base, the others are the head. The interval is at 95 %, with count - 2 degrees of
 * freedom. */
struct ratio_interval stats_fieller(const double *part, const double *whole, size_t bases,
                                    size_t count);

/* Computes the interval of a mean count by inverting the score test (Rao 1948). `samples` is an
 * observed count. The variance of a count is `dispersion` times the variance of a Poisson
 * distribution. `z` is the normal quantile of the level. */
void stats_score_interval(double samples, double dispersion, double z, double *low, double *high);

/* ---- corrections of p-values ------------------------ */

/* Corrects the p-values of tests that are made together.
 *
 * p[0 .. count - 1] must be sorted ascending. adjusted[i] is the adjusted value of p[i], at most 1;
 * compare it with the significance level of all tests together. `p` and `adjusted` may be the same
 * array. */

/* Controls the false discovery rate: the expected share of wrong findings among all findings
 * (Benjamini, Hochberg 1995). */
void corrections_benjamini_hochberg(const double *p, size_t count, double *adjusted);

/* Controls the false discovery rate for any dependence between the tests. Multiplies p-values by 1
 * + 1/2 + ... + 1/count (Benjamini, Yekutieli 2001). */
void corrections_benjamini_yekutieli(const double *p, size_t count, double *adjusted);

/* Controls the family-wise error rate: the probability of at least one wrong finding (Holm
 * 1979). */
void corrections_holm(const double *p, size_t count, double *adjusted);

typedef void (*corrections_fn)(const double *p, size_t count, double *adjusted);

/* Adjusts p-values in any order, in place. Skips NaN, which means that no test was made. Does
 * nothing if `correct` is NULL. Returns false when out of memory. */
bool corrections_apply(corrections_fn correct, double *p, size_t count,
                       const pprofc_allocator *mem);

/* ---- the gamma function ----------------------------- */

/* These functions return the first, second and third derivative of log gamma at x > 0, and NaN
 * elsewhere. */
double stats_digamma(double x);
double stats_trigamma(double x);
double stats_tetragamma(double x);

/* Returns the y > 0 with trigamma(y) = x, for x > 0. Otherwise returns NaN. */
double stats_trigamma_inverse(double x);

/* Returns the median of the chi-squared distribution, for degrees > 0. Otherwise returns NaN. */
double stats_chi2_median(double degrees);

/* ---- functions with the bits of Go ------------------ */

/* Computes logarithm, exponential and binomial coefficients. Every bit of a result is the same as
 * in Go's math package on amd64. CSV output in full precision and the sign of "+0.00%" depend on
 * the last bit. */

double go_log(double x);
double go_exp(double x);

/* Returns C(n, k), the number of ways to choose k of n items. The result is the same as in the Go
 * package moremath: exact up to n = 20, else exp of a sum of log-gammas. */
double go_choose(int n, int k);

/* Returns C(n, k), the number of ways to choose k of n items. The result is exact below 2^53. */
double choose(int n, int k);

/* ---- prior of variances ----------------------------- */

/* Estimates the variances of many rows of counts from all rows together, because each row is
 * observed only a few times. The method is Smyth's (2004, "Linear models and empirical Bayes
 * methods"), extended by a lower bound and a trend for counts.
 *
 * The fields of a row: `seen` is its observed variance within base and within head, with `degrees`
 * degrees of freedom. `floor` is its sampling variance. `samples` is its mean number of samples per
 * run. With relative noise cv between runs, `seen` is floor * (1 + cv^2 * samples) on average. */

struct variance {
  double seen, floor, samples;
};

struct variance_prior {
  double cv2;     /* square of cv, the relative noise between runs */
  double degrees; /* weight of a row's expected variance, as degrees of freedom */
};

/* Maximum of `degrees` of a prior. It limits the weight of the expected variance, so that an
 * unusual variance of a row still counts. */
#define PRIOR_DEGREES_MOST 10.0
/* Minimum number of rows for a prior. With fewer rows, cv2 and degrees are 0. */
#define PRIOR_ROWS_MIN 10

/* Estimates the prior from the rows, whose sampling variances (`floor`) must be above 0. `scratch`
 * has space for `count` items. */
struct variance_prior stats_variance_prior(const struct variance *rows, size_t count,
                                           double degrees, struct weighted *scratch);

/* Returns the estimated variance of a row: the mean of expected and observed variance, weighted by
 * their degrees of freedom. The result is at least row->seen, and at least row->floor. */
double stats_moderated_variance(const struct variance_prior *prior, const struct variance *row,
                                double degrees);

/* ---- trends ----------------------------------------- */

/* Returns the median of the slopes of all pairs of points (Theil 1950, Sen 1968). `t` must be
 * strictly ascending. `scratch` has space for count * (count - 1) / 2 values. Returns 0 for fewer
 * than 2 points. */
double trend_theil_sen(const double *t, const double *x, size_t count, double *scratch);

/* Returns Kendall's S: the number of rising pairs minus the number of falling pairs (Mann 1945). */
double trend_kendall_s(const double *x, size_t count);

#define TREND_EXACT 30
/* Returns P(S >= s) if every order of the values, including ties, is equally probable. The result
 * is exact for up to TREND_EXACT values. For more values, it is the normal approximation, corrected
 * for ties and continuity. Returns -1 when out of memory. */
double trend_kendall_p(const double *x, size_t count, const pprofc_allocator *mem);

/* Returns the p-value of a one-sided t-test. A small p-value shows that the steps between
 * neighbours rise on average. For a random walk (each value depends on the value before), the test
 * rejects as often as its level says. For a series that returns to its mean, the test rejects less
 * often. Returns 1 for fewer than 3 values. */
double trend_drift(const double *x, size_t count);

/* Returns the standard deviation of the values around a smooth curve, computed from the differences
 * of neighbours minus their mean (von Neumann 1941). Returns 0 for fewer than 3 values. */
double trend_noise(const double *x, size_t count);

/* trend_fall returns the largest fall below an earlier value. trend_rise returns the largest rise
 * above an earlier value. */
double trend_fall(const double *x, size_t count);
double trend_rise(const double *x, size_t count);

/* ---- trimmed means ---------------------------------- */

/* Computes Yuen's t-test. The test compares means without the 20 % smallest and the 20 % largest
 * values, so a few outliers do not hide a change. */

struct trimmed_result {
  bool tested;           /* false if the trimmed samples are too small or have no variation */
  double x, y;           /* trimmed means */
  double error, degrees; /* standard error of the means' difference, and degrees of freedom */
  double p;              /* two-sided p-value */
};

/* Tests two samples by Yuen's t-test. The values of each sample must be in ascending order. */
struct trimmed_result stats_trimmed_test(const double *x, size_t x_count, const double *y,
                                         size_t y_count);

#define TRIMMED_DRAWS 10000 /* maximum number of permutations */

/* If the samples are small and p is at most 0.2, replaces p by a p-value from random permutations,
 * which have a fixed seed. Also replaces result->error, so that an interval from the t distribution
 * agrees with the new p: the interval excludes 0 if p is significant (Miettinen 1976).
 * result->tested must be true. Returns false when out of memory. */
bool stats_trimmed_permute(const double *x, size_t x_count, const double *y, size_t y_count,
                           const pprofc_allocator *mem, struct trimmed_result *result);

/* ---- random numbers --------------------------------- */

/* Generates pseudorandom numbers for simulations and permutation tests. Equal seeds give equal
 * numbers. */

/* Returns the next number, and advances the state. The generator is SplitMix64 (Steele, Lea, Flood
 * 2014). */
static inline uint64_t stats_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Finds the change points of a series: the indices at which its level changes. The method is
 * "E-divisive means".
 *
 * Candidates are the splits with the greatest energy distance between both sides (Matteson, James:
 * "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data", 2014, with
 * exponent 1). Bisection finds them in overlapping windows. Then the search drops candidates
 * whose p-value by Student's t-test is too large, the largest p-value first (Fleming et al.:
 * "Hunter: Using Open Source Change Point Detection to Hunt for Performance Regressions", 2023).
 * Then it does the same with a permutation test. */

struct steps_options {
  size_t window; /* number of values in a window; at most STEPS_WINDOW_MAX */
  /* Minimum number of values before the first change point, between two change points, and after
   * the last change point. */
  size_t least;
  size_t permutations; /* number of permutations; 0 if only the t-test decides */
  /* Significance level of the t-test. Ten times this level applies to candidates. */
  double alpha;
  double permuted_alpha; /* significance level of the permutation test */
  uint64_t seed;         /* seed of the shuffling; equal seeds give equal results */
  /* Largest distance from the rolling median, in robust standard deviations; values farther away
   * are moved to this distance; 0 for no limit. */
  double cut;
  bool autocorrelated; /* true to correct the t-test for the correlation of neighbouring values */
};

#define STEPS_WINDOW_MAX 500

/* Sets the defaults: window 50, least 5, 199 permutations, alpha 0.001, permuted_alpha 0.05, cut 4,
 * autocorrelated true. */
void steps_defaults(struct steps_options *options);

/* A change of the level of a series. */
struct step {
  size_t index; /* index of the first value after the change */
  /* Index of the first value after the last step of a drift; otherwise equal to `index`. */
  size_t last;
  bool drift; /* true if a straight line fits the values better than a step */
  /* Means of the values before and after the change, up to the neighbouring change points. */
  double before, after;
  double difference, low, high;        /* after - before, and its 95 % interval (Welch) */
  double ratio, ratio_low, ratio_high; /* after / before and its 95 % interval; NaN unless both
                                          means and the lower bound of `before` are positive */
  /* P-values of Student's t-test and of the permutation test; NaN if the test was not made. */
  double p, permuted_p;
};

/* Searches the end of [first, end) for a change that is followed by too few values for a change
 * point. At least two values must follow, all above or all below the earlier values. If there is
 * such a change, sets *step and returns true. */
bool steps_suspect(const double *values, size_t first, size_t end,
                   const struct steps_options *options, struct step *step);

/* Returns the split of the values [start, end) with the largest energy distance, as the index of
 * the first value after the split. *distance is -infinity if no split leaves `least` values on both
 * sides. */
size_t steps_split(const double *values, size_t start, size_t end, size_t least, double *distance);

/* Finds the change points of finite values, in order. The caller frees *steps with mem_free(mem,
 * *steps, *count, sizeof **steps). Returns false when out of memory. */
bool steps_find(const double *values, size_t value_count, const struct steps_options *options,
                const pprofc_allocator *mem, struct step **steps, size_t *count);

#endif
