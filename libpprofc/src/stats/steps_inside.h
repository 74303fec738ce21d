/* What the files about change points share. */
#ifndef PPROFC_STATS_STEPS_INSIDE_H
#define PPROFC_STATS_STEPS_INSIDE_H

#include "stats/steps.h"

#include <string.h>

/* A run of values: how many, their mean, and the sum of squared distances from it. */
struct steps_side {
  double count, mean, squares;
};

struct steps_side steps_side_of(const double *values, size_t first, size_t end);

/* Student's two-sided test of equal means; 1 when nothing can be said. */
double steps_student_p(const struct steps_side *a, const struct steps_side *b);

/* How often shuffled values have a split of at least the greatest distance of these. Stops early
 * when it is too often. */
double steps_permuted_p(const double *values, size_t count, const struct steps_options *options,
                        uint64_t seed);

#endif
