/* Computes quantiles, and confidence intervals of a median as ranks of the sorted values. */
#include "pprofc/stats.h"
#include "stats/gomath.h"

#include <math.h>

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
