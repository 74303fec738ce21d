/* Sorts samples, and computes weighted and unweighted medians. */
#include "stats/robust.h"

#include <math.h>
#include <stdlib.h>

/* Maximum number of values for insertion sort, which is faster than qsort for few values. */
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

static int weighted_order(const void *a, const void *b) {
  const struct weighted *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

double stats_weighted_median(struct weighted *items, size_t count) {
  if (!count) return (double)NAN;
  qsort(items, count, sizeof *items, weighted_order);
  double total = 0;
  for (size_t i = 0; i < count; i++) total += items[i].weight;
  double half = total / 2, before = 0, last = 0;
  for (size_t i = 0; i < count; i++) {
    before += items[i].weight;
    double middle = before - items[i].weight / 2;
    if (half <= middle && i == 0) return items[0].value;
    if (half <= middle) {
      double from = items[i - 1].value;
      return from + (items[i].value - from) * (half - last) / (middle - last);
    }
    last = middle;
  }
  return items[count - 1].value;
}

double stats_median(double *values, size_t count) {
  if (!count) return (double)NAN;
  sort_doubles(values, count);
  if (count % 2) return values[count / 2];
  return (values[count / 2 - 1] + values[count / 2]) / 2;
}
