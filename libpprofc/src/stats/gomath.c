/* Computes logarithm, exponential and binomial coefficients with the same bits as Go on amd64. */
#include "stats/stats.h"

/* Returns log(x) by the method of Go's log_amd64.s: FreeBSD's e_log.c without subnormal numbers. */
double go_log(double x) {
  static const double L1 = 6.666666666666735130e-01, L2 = 3.999999999940941908e-01,
                      L3 = 2.857142874366239149e-01, L4 = 2.222219843214978396e-01,
                      L5 = 1.818357216161805012e-01, L6 = 1.531383769920937332e-01,
                      L7 = 1.479819860511658591e-01;
  static const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  if (isnan(x) || x > 1.7976931348623157e308) return x;
  if (x < 0) return (double)NAN;
  if (x == 0) return -(double)INFINITY;
  union {
    double number;
    uint64_t bits;
  } u = {x};
  int exponent = (int)(u.bits >> 52) - 1022;
  u.bits = (u.bits & 0x000FFFFFFFFFFFFFu) | 0x3FE0000000000000u;
  double f = u.number, k = exponent;
  if (!(f > 0.7071067811865476)) {
    k -= 1;
    f *= 2;
  }
  f -= 1;
  double s = f / (2 + f), s2 = s * s, s4 = s2 * s2;
  double t1 = s2 * (L1 + s4 * (L3 + s4 * (L5 + s4 * L7)));
  double t2 = s4 * (L2 + s4 * (L4 + s4 * L6));
  double R = t1 + t2, half = 0.5 * f * f;
  return k * ln2_high - ((half - (s * (half + R) + k * ln2_low)) - f);
}

/* Returns exp(x) like Go's exp_amd64.s on a processor with fused multiply-add. */
double go_exp(double x) {
  static const double coefficients[] = {1.984126984126984127e-4,
                                        1.3888888888888888889e-3,
                                        8.3333333333333333333e-3,
                                        4.1666666666666666667e-2,
                                        1.6666666666666666667e-1,
                                        0.5,
                                        1.0};
  if (isnan(x) || x > 709.782712893384) return isnan(x) ? x : (double)INFINITY;
  if (x < -745.1332191019412) return 0;
  double k = nearbyint(x * 1.4426950408889634);
  double r = fma(-k, 0.69314718055966295651, x);
  r = fma(-k, 0.28235290563031577122e-12, r);
  r *= 0.0625;
  double p = 2.4801587301587301587e-5;
  for (size_t i = 0; i < COUNT(coefficients); i++) p = fma(p, r, coefficients[i]);
  r *= p;
  for (int i = 0; i < 3; i++) r *= r + 2;
  r = fma(r, r + 2, 1.0);
  /* Go returns infinity here, even though r < 1 could make the result finite. */
  if (k >= 1024) return (double)INFINITY;
  return k < -1075 ? 0 : ldexp(r, (int)k);
}

/* Returns log(n!), as FreeBSD's e_lgamma_r.c computes it for n + 1: by a product for n < 7, else by
 * Stirling's series. */
static double log_factorial(int n) {
  static const double w[] = {4.18938533204672725052e-01,  8.33333333333329678849e-02,
                             -2.77777777728775536470e-03, 7.93650558643019558500e-04,
                             -5.95187557450339963135e-04, 8.36339918996282139126e-04,
                             -1.63092934096575273989e-03};
  double x = n + 1;
  if (n < 2) return 0;
  if (n < 7) {
    double product = 1;
    for (int i = 2; i <= n; i++) product *= i;
    return go_log(product);
  }
  double t = go_log(x), z = 1 / x, y = z * z;
  double series = w[0] + z * (w[1] + y * (w[2] + y * (w[3] + y * (w[4] + y * (w[5] + y * w[6])))));
  return (x - 0.5) * (t - 1) + series;
}

double choose(int n, int k) {
  if (k < 0 || k > n) return 0;
  if (k > n - k) k = n - k;
  double result = 1;
  for (int i = 1; i <= k; i++) result = result * (n - k + i) / i;
  return result;
}

double go_choose(int n, int k) {
  if (k == 0 || k == n) return 1;
  if (k < 0 || k > n) return 0;
  if (n <= 20) return choose(n, k);
  return go_exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k));
}

double pprofc_geomean(const double *values, size_t count) {
  if (!count) return (double)NAN;
  double mean = 0;
  for (size_t i = 0; i < count; i++) {
    if (!(values[i] > 0)) return (double)NAN;
    mean += (go_log(values[i]) - mean) / (double)(i + 1);
  }
  return go_exp(mean);
}
