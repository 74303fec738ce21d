/* Computes means of simulated figures and their standard errors, and compares them with reference
 * figures. */
#ifndef PERF_VERDICT_MEASURE_H
#define PERF_VERDICT_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

struct measure {
  double sum, squares;
  size_t count;
};

/* Adds a value. Ignores NaN, the value of a comparison without this figure. */
void measure_add(struct measure *m, double value);
double measure_mean(const struct measure *m);
/* Returns the variance of one value. If all values are 0 or all are 1, assumes the share that one
 * additional, different value would give. */
double measure_variance(const struct measure *m);

/* A reference figure: the mean over `count` comparisons, rounded to `digits` digits. */
struct reference {
  double mean;
  size_t count;
  int digits;
};

/* True if the two means agree within three standard errors of their difference, plus the rounding
 * of the reference. */
bool measure_agrees(const struct measure *m, const struct reference *reference);

/* True if both shares agree. Each value is 0 or 1. Because rare ones are not normally distributed,
 * this is Fisher's exact test at the level of three standard errors. */
bool measure_share_agrees(const struct measure *m, const struct reference *reference);

/* True if the mean does not exceed `limit`, or is not below `limit`, by more than three standard
 * errors. */
bool measure_at_most(const struct measure *m, double limit);
bool measure_at_least(const struct measure *m, double limit);

#endif
