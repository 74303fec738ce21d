/* Computes the regularised incomplete beta function, which gives the tail of the t distribution. */
#include "pprofc/stats.h"

#include <math.h>

/* Returns the logarithm of the gamma function. Uses lgamma_r, because lgamma writes to the global
 * variable signgam. */
static double log_gamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

/* Computes the continued fraction by the modified method of Lentz (Numerical Recipes 6.4). It takes
 * about sqrt(max(a, b)) steps, so samples that fit into memory never reach the limit of steps. */
static double fraction(double x, double a, double b) {
  static const double tiny = 1e-300, precision = 1e-16;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  if (fabs(d) < tiny) d = tiny;
  d = 1 / d;
  double h = d;
  for (int m = 1; m <= 100000; m++) {
    double numerator[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                           -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
    double step = 1;
    for (int i = 0; i < 2; i++) {
      d = 1 + numerator[i] * d;
      if (fabs(d) < tiny) d = tiny;
      d = 1 / d;
      c = 1 + numerator[i] / c;
      if (fabs(c) < tiny) c = tiny;
      step = d * c;
      h *= step;
    }
    if (fabs(step - 1) <= precision) break;
  }
  return h;
}

/* Returns the difference between log gamma(x) and Stirling's formula, for x >= 10. */
static double stirling_rest(double x) {
  static const double terms[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                 1.0 / 1188, -691.0 / 360360, 1.0 / 156.0};
  double sum = 0, power = 1 / x;
  for (size_t i = 0; i < sizeof terms / sizeof *terms; i++, power /= x * x) sum += terms[i] * power;
  return sum;
}

/* Returns log B(a, b). A difference of two large log-gammas would lose digits. So if a or b is at
 * least 10, Stirling's formula replaces the log-gammas of the larger one and of a + b, and their
 * large terms cancel algebraically. */
static double log_beta(double a, double b) {
  double large = fmax(a, b), small = fmin(a, b);
  if (large < 10) return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
  double sum = large + small;
  double difference = -(large - 0.5) * log1p(small / large) - small * log(sum) + small +
                      stirling_rest(large) - stirling_rest(sum);
  return log_gamma(small) + difference;
}

double pprofc_beta_incomplete(double x, double a, double b) {
  if (!(x >= 0 && x <= 1) || !(a > 0 && b > 0)) return (double)NAN;
  if (x == 0 || x == 1) return x;
  if (isinf(a) || isinf(b)) return isinf(a) ? 0 : 1;
  double front = exp(a * log(x) + b * log1p(-x) - log_beta(a, b));
  if (x < (a + 1) / (a + b + 2)) return front * fraction(x, a, b) / a;
  return 1 - front * fraction(1 - x, b, a) / b;
}
