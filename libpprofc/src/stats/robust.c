/* Computes weighted medians, and sums with a small rounding error. */
#include "stats/robust.h"

#include <math.h>
#include <stdlib.h>

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

static int double_order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts values; few values, such as one benchmark's, are sorted in place. */
static void double_sort(double *values, size_t count) {
  if (count > 16) {
    qsort(values, count, sizeof *values, double_order);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    double value = values[i];
    size_t k = i;
    for (; k && values[k - 1] > value; k--) values[k] = values[k - 1];
    values[k] = value;
  }
}

double stats_median(double *values, size_t count) {
  if (!count) return (double)NAN;
  double_sort(values, count);
  if (count % 2) return values[count / 2];
  return (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* ---- sums -------------------------------------------- */

#define LANES 8
#define BLOCK 128

static double sum_of_block(const double *values, size_t count) {
  double sum = 0;
  size_t i = 0;
  if (count >= LANES) {
    double lane[LANES];
    for (; i < LANES; i++) lane[i] = values[i];
    for (; i + LANES <= count; i += LANES)
      for (size_t j = 0; j < LANES; j++) lane[j] += values[i + j];
    sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  }
  for (; i < count; i++) sum += values[i];
  return sum;
}

/* Adds the sums of blocks in pairs: partial[n] holds the sum of 2^n blocks. */
double stats_sum(const double *values, size_t count) {
  double partial[64];
  size_t blocks = 0, levels = 0;
  for (size_t i = 0; i < count; i += BLOCK, blocks++) {
    double sum = sum_of_block(values + i, count - i < BLOCK ? count - i : BLOCK);
    for (size_t carry = blocks; carry & 1; carry >>= 1) sum += partial[--levels];
    partial[levels++] = sum;
  }
  double sum = 0;
  while (levels) sum += partial[--levels];
  return sum;
}

double stats_mean(const double *values, size_t count) {
  return stats_sum(values, count) / (double)count;
}
