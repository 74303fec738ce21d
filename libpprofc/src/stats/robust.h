/* Sorts values, and computes medians and weighted medians of values in any order. */
#ifndef PPROFC_STATS_ROBUST_H
#define PPROFC_STATS_ROBUST_H

#include <stddef.h>

/* Sorts in ascending order, with NaN first as in Go. */
void sort_doubles(double *values, size_t count);

struct weighted {
  double value, weight;
  size_t place; /* order of items with equal values; the caller sets it */
};

/* Returns the weighted median: the value at which half of the total weight is reached, with linear
 * interpolation between the middles of the items. Sorts the items. Returns NaN if there are no
 * items. */
double stats_weighted_median(struct weighted *items, size_t count);

/* Returns the median. For an even number of values, it is the mean of the two middle values. Sorts
 * the values. Returns NaN if there are no values. */
double stats_median(double *values, size_t count);

#endif
