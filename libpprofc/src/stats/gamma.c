/* Computes digamma, trigamma and its inverse, tetragamma, and the incomplete gamma function. */
#include "stats/gamma.h"

#include "pprofc/stats.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Smallest x at which the asymptotic series is exact to the last bit. */
#define SERIES_FROM 15.0

/* Bernoulli numbers B2, B4, B6 ... */
static const double bernoulli[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                   5.0 / 66, -691.0 / 2730, 7.0 / 6};

double stats_digamma(double x) {
  if (!(x > 0)) return (double)NAN;
  double sum = 0;
  for (; x < SERIES_FROM; x++) sum -= 1 / x;
  double square = 1 / (x * x), power = square;
  sum += log(x) - 0.5 / x;
  for (size_t i = 0; i < COUNT(bernoulli); i++, power *= square)
    sum -= bernoulli[i] / (2 * (double)(i + 1)) * power;
  return sum;
}

double stats_trigamma(double x) {
  if (!(x > 0)) return (double)NAN;
  double sum = 0;
  for (; x < SERIES_FROM; x++) sum += 1 / (x * x);
  double square = 1 / (x * x), power = square / x;
  sum += 1 / x + square / 2;
  for (size_t i = 0; i < COUNT(bernoulli); i++, power *= square) sum += bernoulli[i] * power;
  return sum;
}

double stats_tetragamma(double x) {
  if (!(x > 0)) return (double)NAN;
  double sum = 0;
  for (; x < SERIES_FROM; x++) sum -= 2 / (x * x * x);
  double square = 1 / (x * x), power = square * square;
  sum -= square + square / x;
  for (size_t i = 0; i < COUNT(bernoulli); i++, power *= square)
    sum -= (double)(2 * i + 3) * bernoulli[i] * power;
  return sum;
}

/* Uses Newton's method on 1 / trigamma, which is almost linear (Smyth 2004, appendix). */
double stats_trigamma_inverse(double x) {
  if (!(x > 0)) return (double)NAN;
  double y = 0.5 + 1 / x;
  for (int i = 0; i < 60; i++) {
    double value = stats_trigamma(y);
    double step = value * (1 - value / x) / stats_tetragamma(y);
    y += step;
    if (fabs(step) < 1e-12 * y) break;
  }
  return y;
}

/* ---- the incomplete gamma function ------------------- */

/* Maximum number of terms of a series or continued fraction. Both need about sqrt(a) terms. */
#define MAX_TERMS 100000

static double gamma_front(double a, double x) {
  int sign;
  return exp(a * log(x) - x - lgamma_r(a, &sign));
}

static double gamma_by_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int i = 1; i < MAX_TERMS && term > sum * 1e-17; i++) {
    term *= x / (a + i);
    sum += term;
  }
  return sum * gamma_front(a, x);
}

/* Computes Q(a, x) by the modified method of Lentz. */
static double gamma_by_fraction(double a, double x) {
  static const double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b;
  double h = d;
  for (int i = 1; i < MAX_TERMS; i++) {
    double numerator = -i * (i - a);
    b += 2;
    d = numerator * d + b;
    if (fabs(d) < tiny) d = tiny;
    d = 1 / d;
    c = b + numerator / c;
    if (fabs(c) < tiny) c = tiny;
    h *= d * c;
    if (fabs(d * c - 1) <= 1e-16) break;
  }
  return h * gamma_front(a, x);
}

double stats_gamma_lower(double a, double x) {
  if (!(a > 0) || !(x >= 0)) return (double)NAN;
  if (x == 0) return 0;
  return x < a + 1 ? gamma_by_series(a, x) : 1 - gamma_by_fraction(a, x);
}

double stats_chi2_quantile(double p, double degrees) {
  if (!(p > 0 && p < 1) || !(degrees > 0)) return (double)NAN;
  double low = 0, high = degrees;
  while (stats_gamma_lower(degrees / 2, high / 2) < p) high *= 2;
  for (int i = 0; i < 200; i++) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    if (stats_gamma_lower(degrees / 2, middle / 2) < p)
      low = middle;
    else
      high = middle;
  }
  return low + (high - low) / 2;
}
