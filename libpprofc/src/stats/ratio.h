/* The ratio of two differences of means, with Fieller's interval. */
#ifndef PPROFC_STATS_RATIO_H
#define PPROFC_STATS_RATIO_H

#include <stdbool.h>
#include <stddef.h>

struct ratio_interval {
  bool defined; /* the difference below the line is not 0 */
  bool bounded; /* low and high are numbers */
  double ratio, low, high;
};

/* The change of `part` over the change of `whole`; runs [0, bases) are the base, the others up to
 * `count` the head. 95 %, by Student's t with count - 2 degrees of freedom (Fieller 1954). */
struct ratio_interval stats_fieller(const double *part, const double *whole, size_t bases,
                                    size_t count);

/* The interval of a mean of which `samples` samples were seen, by inversion of the score test
 * (Rao 1948); counts vary `dispersion` times as much as Poisson's, `z` is the normal quantile. */
void stats_score_interval(double samples, double dispersion, double z, double *low, double *high);

#endif
