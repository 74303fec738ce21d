/* Sorts samples, which are mostly small. */
#include "stats/sorting.h"

#include <math.h>
#include <stdlib.h>

/* Maximum number of values for insertion sort, which is faster than qsort's calls. */
#define FEW_VALUES 24

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  if (isnan(x) || isnan(y)) return (isnan(y) != 0) - (isnan(x) != 0);
  return (x > y) - (x < y);
}

void sort_doubles(double *values, size_t count) {
  if (count > FEW_VALUES) {
    qsort(values, count, sizeof *values, compare_doubles);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    double value = values[i];
    size_t k = i;
    for (; k > 0 && (values[k - 1] > value || (isnan(value) && !isnan(values[k - 1]))); k--)
      values[k] = values[k - 1];
    values[k] = value;
  }
}
