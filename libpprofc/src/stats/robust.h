/* Sorts samples, and computes medians of many values. The results do not depend on the order of the
 * values. */
#ifndef PPROFC_STATS_ROBUST_H
#define PPROFC_STATS_ROBUST_H

#include <stddef.h>

/* Sorts in ascending order, with NaN first as in Go. */
void sort_doubles(double *values, size_t count);

struct weighted {
  double value, weight;
  size_t place; /* rank of the item among items with equal values, set by the caller */
};

/* Returns the weighted median: cumulates weights up to the middle of each item and interpolates
 * linearly between items. Sorts the items. Returns NaN without items. */
double stats_weighted_median(struct weighted *items, size_t count);

/* Returns the median; for an even number, the mean of the two middle values. Sorts the values.
 * Returns NaN without values. */
double stats_median(double *values, size_t count);

#endif
