/* Change points of a series: where its level changes, by E-divisive means.
 *
 * Candidates are the splits with the greatest energy distance between both sides (Matteson, James:
 * "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data", 2014, with
 * exponent 1), found by bisection in overlapping windows and then merged from the weakest on
 * (Fleming et al.: "Hunter: Using Open Source Change Point Detection to Hunt for Performance
 * Regressions", 2023). A change point remains when Student's t-test says so, and when shuffling
 * the values beside it hardly ever gives so great a distance. */
#ifndef PPROFC_STATS_STEPS_H
#define PPROFC_STATS_STEPS_H

#include "pprofc/stats.h"

struct steps_options {
  size_t window;         /* values that are looked at together; at most STEPS_WINDOW_MOST */
  size_t least;          /* values between two change points, and behind the last */
  size_t permutations;   /* 0: the t-test alone decides */
  double alpha;          /* of the t-test; ten times as much for a candidate */
  double permuted_alpha; /* of the permutation test */
  uint64_t seed;         /* of the shuffling: the same seed, the same result */
};

#define STEPS_WINDOW_MOST 500

/* 50 values, at least 5, 199 permutations, 0.001 and 0.05. */
void steps_defaults(struct steps_options *options);

/* A change of level. */
struct step {
  size_t index;                 /* the first value behind it */
  size_t last;                  /* of a drift: the last value of its last step; else `index` */
  bool drift;                   /* a straight line fits the values better than a step */
  double before, after;         /* means of the values up to the next change points */
  double difference, low, high; /* after - before, and its interval of 95 % (Welch) */
  double ratio, ratio_low, ratio_high; /* after / before, the same; NaN unless both means and the
                                          lower bound of `before` are positive */
  double p, permuted_p; /* of Student's test and of the permutation test (NaN: none was made) */
};

/* The split of values [start, end) with the greatest energy distance: the first value behind it.
 * `distance` becomes -infinity when there is none that has `least` values on both sides. */
size_t steps_split(const double *values, size_t start, size_t end, size_t least, double *distance);

/* Finds the change points of finite values, in their order. *steps is to be freed with
 * mem_free(mem, *steps, *count, sizeof **steps). False when out of memory. */
bool steps_find(const double *values, size_t value_count, const struct steps_options *options,
                const pprofc_allocator *mem, struct step **steps, size_t *count);

#endif
