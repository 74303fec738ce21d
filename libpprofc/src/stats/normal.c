/* Computes the cumulative distribution and the quantiles of the normal distribution. */
#include "pprofc/stats.h"

#include <math.h>

#define SQRT_2    1.41421356237309504880
#define SQRT_2_PI 2.50662827463100050242

double pprofc_normal_cdf(double z) {
  return erfc(-z / SQRT_2) / 2;
}

/* Evaluates a polynomial. The coefficient of the highest power is first. */
static double horner(const double *coefficients, size_t count, double x) {
  double value = 0;
  for (size_t i = 0; i < count; i++) value = value * x + coefficients[i];
  return value;
}

/* Returns the quantile by P. J. Acklam's rational approximation and one step of Halley's method. */
double pprofc_normal_quantile(double p) {
  static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                             1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
                             6.680131188771972e+01,  -1.328068155288572e+01, 1};
  static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                             -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                             3.754408661907416e+00, 1};
  static const double tail = 0.02425;
  if (!(p >= 0 && p <= 1)) return (double)NAN;
  if (p == 0) return -(double)INFINITY;
  if (p == 1) return (double)INFINITY;
  double x;
  if (p < tail || p > 1 - tail) {
    double q = sqrt(-2 * log(p < tail ? p : 1 - p));
    x = horner(c, 6, q) / horner(d, 5, q);
    if (p >= tail) x = -x;
  } else {
    double q = p - 0.5, r = q * q;
    x = horner(a, 6, r) * q / horner(b, 6, r);
  }
  double u = (pprofc_normal_cdf(x) - p) * SQRT_2_PI * exp(x * x / 2);
  return isfinite(u) ? x - u / (1 + x * u / 2) : x;
}
