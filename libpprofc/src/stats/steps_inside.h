/* Functions that the files steps*.c share. */
#ifndef PPROFC_STATS_STEPS_INSIDE_H
#define PPROFC_STATS_STEPS_INSIDE_H

#include "stats/stats.h"

/* Statistics of consecutive values: number, mean, and sum of squared deviations. */
struct steps_side {
  double count, mean, squares;
};

struct steps_side steps_side_of(const double *values, size_t first, size_t end);

/* Returns the p-value of Student's two-sided test of equal means. Returns 1 if there is no evidence
 * of a difference. */
double steps_student_p(const struct steps_side *a, const struct steps_side *b);

/* Copies the values. Moves outliers to the limit that `cut` sets (steps_options.cut). */
void steps_cut(const double *values, size_t count, double cut, double *out);

/* Returns the p-value of the t-test for a split of the values [first, end) before `middle`. If
 * neighbouring values have the correlation r, the estimated variance is too small. So the test
 * multiplies the variance by (1 + r) / (1 - r). */
double steps_p(const double *values, size_t first, size_t middle, size_t end,
               const struct steps_options *options);

/* Returns how often a random order of the values has a split at least as good as the best split of
 * `values` (p-value). Ends early if this share exceeds permuted_alpha. */
double steps_permuted_p(const double *values, size_t count, const struct steps_options *options,
                        uint64_t seed);

#endif
