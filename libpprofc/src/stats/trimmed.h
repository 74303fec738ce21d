/* Computes Yuen's t-test. The test compares means without the 20 % smallest and the 20 % largest
 * values, so a few outliers do not hide a change. */
#ifndef PPROFC_STATS_TRIMMED_H
#define PPROFC_STATS_TRIMMED_H

#include "pprofc/stats.h"

struct trimmed_result {
  bool tested;           /* false if the trimmed samples are too small or have no variation */
  double x, y;           /* trimmed means */
  double error, degrees; /* standard error of y - x, and its degrees of freedom (Yuen 1974) */
  double p;              /* two-sided p-value */
};

/* Tests two samples in ascending order by the t distribution. */
struct trimmed_result stats_trimmed_test(const double *x, size_t x_count, const double *y,
                                         size_t y_count);

#define TRIMMED_DRAWS 10000 /* maximum number of permutations */

/* If the samples are small and p is at most 0.2, replaces p by a p-value from random permutations,
 * with a fixed seed. result->tested must be true. Returns false when out of memory. */
bool stats_trimmed_permute(const double *x, size_t x_count, const double *y, size_t y_count,
                           const pprofc_allocator *mem, struct trimmed_result *result);

#endif
