/* Means and medians of many values, whatever their order. */
#ifndef PPROFC_STATS_ROBUST_H
#define PPROFC_STATS_ROBUST_H

#include <stddef.h>

struct weighted {
  double value, weight;
  size_t place; /* orders equal values; the caller numbers them */
};

/* The weighted median: weights are cumulated up to the middle of each item, with a straight line
 * between items. Sorts the items. NaN when there are none. */
double stats_weighted_median(struct weighted *items, size_t count);

/* The median: of an even number the mean of the two in the middle. Sorts. NaN for none. */
double stats_median(double *values, size_t count);

/* The sum by pairwise summation in eight lanes. Its error grows with the logarithm of the count. */
double stats_sum(const double *values, size_t count);
double stats_mean(const double *values, size_t count);

#endif
