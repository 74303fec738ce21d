/* Finds the change points of a series: the indices at which its level changes. The method is
 * "E-divisive means".
 *
 * Candidates are the splits with the greatest energy distance between both sides (Matteson, James:
 * "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data", 2014, with
 * exponent 1). Bisection finds them in overlapping windows. Then the search drops candidates
 * whose p-value by Student's t-test is too large, the largest p-value first (Fleming et al.:
 * "Hunter: Using Open Source Change Point Detection to Hunt for Performance Regressions", 2023).
 * At last, it drops candidates by a permutation test in the same way. */
#ifndef PPROFC_STATS_STEPS_H
#define PPROFC_STATS_STEPS_H

#include "pprofc/stats.h"

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
  /* Means of the values before and after, up to the neighbouring change points. */
  double before, after;
  double difference, low, high;        /* after - before, and its 95 % interval (Welch) */
  double ratio, ratio_low, ratio_high; /* after / before and its 95 % interval; NaN unless both
                                          means and the lower bound of `before` are positive */
  /* P-values of Student's t-test and of the permutation test; NaN if the test was not made. */
  double p, permuted_p;
};

/* Searches the end of [first, end) for a change with too few values after it for a change point.
 * There must be at least two of these values, all above or all below the earlier values. If there
 * is such a change, sets *step and returns true. */
bool steps_suspect(const double *values, size_t first, size_t end,
                   const struct steps_options *options, struct step *step);

/* Returns the split of the values [start, end) with the largest energy distance, as the index of
 * the first value after it. *distance is -infinity if no split leaves `least` values on both
 * sides. */
size_t steps_split(const double *values, size_t start, size_t end, size_t least, double *distance);

/* Finds the change points of finite values, in order. The caller frees *steps with mem_free(mem,
 * *steps, *count, sizeof **steps). Returns false when out of memory. */
bool steps_find(const double *values, size_t value_count, const struct steps_options *options,
                const pprofc_allocator *mem, struct step **steps, size_t *count);

#endif
