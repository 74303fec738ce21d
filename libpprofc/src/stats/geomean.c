/* Computes the geometric mean, for summary rows of benchmark comparisons. */
#include "pprofc/stats.h"
#include "stats/gomath.h"

#include <math.h>

double pprofc_geomean(const double *values, size_t count) {
  if (!count) return (double)NAN;
  double mean = 0;
  for (size_t i = 0; i < count; i++) {
    if (!(values[i] > 0)) return (double)NAN;
    mean += (go_log(values[i]) - mean) / (double)(i + 1);
  }
  return go_exp(mean);
}
