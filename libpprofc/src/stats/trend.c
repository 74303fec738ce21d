/* Computes the Theil-Sen slope, the Mann-Kendall test, and other tests of a trend. */
#include "stats/stats.h"

/* Number of possible inversion counts of TREND_EXACT values, from 0 to the number of pairs. An
 * inversion is a pair in descending order. */
#define TREND_PAIRS (TREND_EXACT * (TREND_EXACT - 1) / 2 + 1)

double trend_theil_sen(const double *t, const double *x, size_t count, double *scratch) {
  size_t pairs = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t j = i + 1; j < count; j++) scratch[pairs++] = (x[j] - x[i]) / (t[j] - t[i]);
  if (!pairs) return 0;
  sort_doubles(scratch, pairs);
  return (scratch[(pairs - 1) / 2] + scratch[pairs / 2]) / 2;
}

double trend_kendall_s(const double *x, size_t count) {
  double s = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t j = i + 1; j < count; j++) s += (x[j] > x[i]) - (x[j] < x[i]);
  return s;
}

/* ---- the exact distribution -------------------------- */

/* Buffers for the exact distribution. A distribution is a polynomial: coefficient k is the
 * probability of k inversions. */
struct kendall {
  double product[TREND_PAIRS], next[TREND_PAIRS];
  /* Coefficients of the Gaussian binomials [n, 0], [n, 1] ... */
  double rows[TREND_EXACT + 1][TREND_PAIRS];
};

/* Returns the coefficients of the Gaussian binomial [n, chosen], a polynomial in q. Coefficient k
 * counts the sequences of `chosen` zeros and n - chosen ones that have k inversions. Uses Pascal's
 * rule [n, c] = [n - 1, c] + q^(n - c) [n - 1, c - 1]. */
static const double *kendall_binomial(struct kendall *k, size_t n, size_t chosen) {
  memset(k->rows, 0, (chosen + 1) * sizeof k->rows[0]);
  k->rows[0][0] = 1;
  for (size_t m = 1; m <= n; m++)
    for (size_t c = chosen < m ? chosen : m; c > 0; c--)
      for (size_t i = (c - 1) * (m - c) + 1; i-- > 0;) {
        /* The loop goes down in c, so rows[c - 1] still has the values for m - 1. */
        k->rows[c][i + m - c] += k->rows[c - 1][i];
      }
  return k->rows[chosen];
}

/* Adds a group of `chosen` equal values to the n - chosen previous values: multiplies the
 * polynomial k->product (struct kendall) by the polynomial of the group. `degree` is the degree of
 * k->product before the call. Returns the new degree. */
static size_t kendall_multiply(struct kendall *k, size_t degree, size_t n, size_t chosen) {
  const double *factor = kendall_binomial(k, n, chosen);
  size_t more = chosen * (n - chosen);
  double ways = 0;
  for (size_t i = 0; i <= more; i++) ways += factor[i];
  memset(k->next, 0, sizeof k->next);
  for (size_t i = 0; i <= degree; i++)
    for (size_t j = 0; j <= more; j++) k->next[i + j] += k->product[i] * (factor[j] / ways);
  memcpy(k->product, k->next, sizeof k->product);
  return degree + more;
}

static double kendall_exact(struct kendall *k, const double *sorted, size_t count, double s) {
  size_t degree = 0, done = 0;
  double p = 0;
  memset(k->product, 0, sizeof k->product);
  k->product[0] = 1;
  while (done < count) {
    size_t ties = 1;
    while (done + ties < count && sorted[done + ties] == sorted[done]) ties++;
    done += ties;
    degree = kendall_multiply(k, degree, done, ties);
  }
  /* S is the number of pairs of different values, minus two for each inversion. */
  for (size_t i = 0; i <= degree && (double)degree - 2 * (double)i >= s; i++) p += k->product[i];
  return p < 1 ? p : 1;
}

/* ---- the normal approximation ------------------------ */

static double kendall_normal(const double *sorted, size_t count, double s) {
  double n = (double)count, variance = n * (n - 1) * (2 * n + 5);
  for (size_t i = 0; i < count;) {
    size_t ties = 1;
    while (i + ties < count && sorted[i + ties] == sorted[i]) ties++;
    double t = (double)ties;
    variance -= t * (t - 1) * (2 * t + 5);
    i += ties;
  }
  if (!(variance > 0)) return 1;
  return pprofc_normal_cdf(-(s - 1) / sqrt(variance / 18));
}

double trend_kendall_p(const double *x, size_t count, const pprofc_allocator *mem) {
  double s = trend_kendall_s(x, count), p = -1;
  bool exact = count <= TREND_EXACT;
  struct kendall *k = mem_array(mem, exact, sizeof *k);
  double *sorted = mem_array(mem, count, sizeof *sorted);
  if (k && sorted) {
    memcpy(sorted, x, count * sizeof *x);
    sort_doubles(sorted, count);
    p = exact ? kendall_exact(k, sorted, count, s) : kendall_normal(sorted, count, s);
  }
  mem_free(mem, k, exact, sizeof *k);
  mem_free(mem, sorted, count, sizeof *sorted);
  return p;
}

/* ---- steps ------------------------------------------- */

/* Returns the sum of (step - mean)^2 over all steps. A step is a value minus the previous value. */
static double trend_squares(const double *x, size_t count, double mean) {
  double sum = 0;
  for (size_t i = 1; i < count; i++) {
    double off = x[i] - x[i - 1] - mean;
    sum += off * off;
  }
  return sum;
}

double trend_drift(const double *x, size_t count) {
  if (count < 3) return 1;
  double steps = (double)count - 1, mean = (x[count - 1] - x[0]) / steps;
  if (mean <= 0) return 1;
  double error = sqrt(trend_squares(x, count, mean) / (steps - 1) / steps);
  return error > 0 ? pprofc_t_two_sided(mean / error, steps - 1) / 2 : 0;
}

double trend_noise(const double *x, size_t count) {
  if (count < 3) return 0;
  double steps = (double)count - 1, mean = (x[count - 1] - x[0]) / steps;
  return sqrt(trend_squares(x, count, mean) / (2 * (steps - 1)));
}

double trend_fall(const double *x, size_t count) {
  double top = count ? x[0] : 0, fall = 0;
  for (size_t i = 0; i < count; i++) {
    top = fmax(top, x[i]);
    fall = fmax(fall, top - x[i]);
  }
  return fall;
}

double trend_rise(const double *x, size_t count) {
  double bottom = count ? x[0] : 0, rise = 0;
  for (size_t i = 0; i < count; i++) {
    bottom = fmin(bottom, x[i]);
    rise = fmax(rise, x[i] - bottom);
  }
  return rise;
}
