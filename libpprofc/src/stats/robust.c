/* Sorts samples. Computes medians, weighted medians and quantiles. Computes the confidence interval
 * of a median, as ranks of the sorted values. */
#include "stats/stats.h"

/* ---- sorting and medians ---------------------------- */

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

double pprofc_quantile(const double *sorted, size_t count, double q) {
  if (!count) return (double)NAN;
  if (q <= 0) return sorted[0];
  if (q >= 1) return sorted[count - 1];
  double position = 1 / 3.0 + q * ((double)count + 1 / 3.0);
  double whole = floor(position), rest = position - whole;
  if (whole <= 0) return sorted[0];
  if (whole >= (double)count) return sorted[count - 1];
  size_t k = (size_t)whole;
  return sorted[k - 1] + rest * (sorted[k] - sorted[k - 1]);
}

/* Maximum number of values for the exact binomial distribution. For more values, the normal
 * distribution approximates it. */
#define EXACT_LIMIT 30

/* Returns the probability that exactly k of n values are below the median. */
static double below(int n, int k) {
  return k < 0 || k > n ? 0 : go_choose(n, k) * ldexp(1, -n);
}

/* Returns an interval of ranks of n values that contains the median with a probability of at least
 * `level`. Begins with the two middle ranks. Repeatedly adds the more probable neighbour, or the
 * left neighbour in a tie. */
static pprofc_median_interval exact_interval(int n, double level) {
  int low = (int)ceil((n + 1) * 0.5) - 1, high = low + 1;
  double sum = below(n, low);
  while (sum < level) {
    double left = below(n, low - 1), right = below(n, high);
    if (left <= 0 && right <= 0) break;
    if (left >= right) {
      sum += left;
      low--;
    } else {
      sum += right;
      high++;
    }
  }
  if (low < 0) low = 0;
  if (high > n + 1) high = n + 1;
  return (pprofc_median_interval){(size_t)low, (size_t)high, sum};
}

static double coverage(double n, double low, double high) {
  double mean = n / 2, deviation = sqrt(n / 4);
  return pprofc_normal_cdf((high - 0.5 - mean) / deviation) -
         pprofc_normal_cdf((low - 0.5 - mean) / deviation);
}

static pprofc_median_interval normal_interval(double n, double level) {
  double mean = n / 2;
  double left = pprofc_normal_quantile((1 - level) / 2) * sqrt(n / 4) + mean,
         right = 2 * mean - left;
  double low = floor(floor(left - 0.5) + 0.5) + 1, high = floor(ceil(right - 0.5) + 0.5) + 1;
  double reached = coverage(n, low, high), narrower = coverage(n, low, high - 1);
  if (narrower >= level && narrower < reached) {
    reached = narrower;
    high -= 1;
  }
  if (low <= 0 && high >= n + 1) reached = 1;
  if (low < 0) low = 0;
  if (high > n + 1) high = n + 1;
  return (pprofc_median_interval){(size_t)low, (size_t)high, reached};
}

pprofc_median_interval pprofc_median_interval_of(size_t n, double level) {
  if (!(level < 1)) return (pprofc_median_interval){0, n + 1, 1};
  return n <= EXACT_LIMIT ? exact_interval((int)n, level) : normal_interval((double)n, level);
}
