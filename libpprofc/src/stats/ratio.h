/* Computes Fieller's interval of a ratio of two differences of means, and a score interval of a
 * mean. Verdicts on profiles use both. */
#ifndef PPROFC_STATS_RATIO_H
#define PPROFC_STATS_RATIO_H

#include <stdbool.h>
#include <stddef.h>

struct ratio_interval {
  bool defined; /* true if the denominator is not 0 */
  bool bounded; /* true if low and high are finite */
  double ratio, low, high;
};

/* Returns the change of `part` divided by the change of `whole`. The first `bases` of the `count`
 * runs are the base, the others are the head. The interval is at 95 %, by Student's t with count -
 * 2 degrees of freedom (Fieller 1954). */
struct ratio_interval stats_fieller(const double *part, const double *whole, size_t bases,
                                    size_t count);

/* Computes the interval of a mean from `samples` observed samples, by inverting the score test (Rao
 * 1948). The variance of the counts is `dispersion` times the variance of a Poisson distribution.
 * `z` is the normal quantile of the level. */
void stats_score_interval(double samples, double dispersion, double z, double *low, double *high);

#endif
