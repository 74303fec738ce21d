/* Sorts samples, and computes medians of many values. The order of the values does not matter. */
#ifndef PPROFC_STATS_ROBUST_H
#define PPROFC_STATS_ROBUST_H

#include <stddef.h>

/* Sorts in ascending order, with NaN first as in Go. */
void sort_doubles(double *values, size_t count);

struct weighted {
  double value, weight;
  size_t place; /* rank of the item among items with equal values; the caller sets it */
};

/* Returns the weighted median. Adds up the weights to the middle of each item, and interpolates
 * linearly between items. Sorts the items. Returns NaN if there are no items. */
double stats_weighted_median(struct weighted *items, size_t count);

/* Returns the median. For an even number of values, it is the mean of the two middle values. Sorts
 * the values. Returns NaN if there are no values. */
double stats_median(double *values, size_t count);

#endif
