/* Means of simulated figures, with their standard errors, beside reference figures. */
#ifndef PERF_VERDICT_MEASURE_H
#define PERF_VERDICT_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

struct measure {
  double sum, squares;
  size_t count;
};

/* NaN counts for nothing: a comparison that says nothing about the figure. */
void measure_add(struct measure *m, double value);
double measure_mean(const struct measure *m);
/* The variance of one value. Values that are all 0, or all 1, do not show any: then it is that of a
 * share which one more value would have shown. */
double measure_variance(const struct measure *m);

/* A figure of the table that this one is compared with: it was a mean over `count` comparisons, and
 * is rounded to `digits` digits. */
struct reference {
  double mean;
  size_t count;
  int digits;
};

/* Whether the two agree within three standard errors of their difference, and the rounding. */
bool measure_agrees(const struct measure *m, const struct reference *reference);

/* The same of a share: each value is 0 or 1. Few ones are far from normal, so the test is Fisher's
 * exact one, at the level of three standard errors. */
bool measure_share_agrees(const struct measure *m, const struct reference *reference);

/* Whether the mean is at most, or at least, `limit` by more than chance: three standard errors. */
bool measure_at_most(const struct measure *m, double limit);
bool measure_at_least(const struct measure *m, double limit);

#endif
