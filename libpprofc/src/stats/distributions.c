/* Computes the normal distribution, Student's t distribution and the incomplete beta function. */
#include "stats/stats.h"

/* Computes P(|T| >= |t|) as an incomplete beta function, so that a tiny p has full precision. For a
 * large t, the argument of this function is df / (df + t^2). For a small t, it is t^2 / (df + t^2),
 * because 1 - df / (df + t^2) would lose digits. */
double pprofc_t_two_sided(double t, double degrees) {
  if (isnan(t) || !(degrees > 0)) return (double)NAN;
  if (isinf(t)) return 0;
  if (isinf(degrees)) return 2 * pprofc_normal_cdf(-fabs(t));
  double square = t * t;
  if (isinf(square)) return 0;
  if (square < degrees)
    return 1 - pprofc_beta_incomplete(square / (degrees + square), 0.5, degrees / 2);
  return pprofc_beta_incomplete(degrees / (degrees + square), degrees / 2, 0.5);
}

double pprofc_t_cdf(double t, double degrees) {
  double tail = pprofc_t_two_sided(t, degrees) / 2;
  return t > 0 ? 1 - tail : tail;
}

/* ---- quantiles --------------------------------------- */

/* Bounds of a quantile. The tail probability at `low` is above the wanted probability, and the tail
 * probability at `high` is below it. */
struct student_bounds {
  double low, high;
};

/* Relative change of t that changes the tail probability by more than rounding does. */
#define STUDENT_SLACK 5e-14

/* Returns bounds of the quantile, found by Newton's method on the logarithm of the tail
 * probability. Returns 0 and infinity if the method does not converge. Also returns these for a
 * quantile below 0.5, because the tail probability there hides small changes of the quantile. */
static struct student_bounds bounds_of_tail(double wanted, double degrees) {
  struct student_bounds none = {0, (double)INFINITY};
  double z = -pprofc_normal_quantile(wanted / 2), square = z * z;
  /* Start with the first terms of the Cornish-Fisher expansion. */
  double t = z * (1 + (square + 1) / (4 * degrees) +
                  (square * (5 * square + 16) + 3) / (96 * degrees * degrees));
  int sign;
  double scale = lgamma_r((degrees + 1) / 2, &sign) - lgamma_r(degrees / 2, &sign) -
                 log(degrees * 3.14159265358979324) / 2;
  for (int i = 0; i < 12; i++) {
    double tail = pprofc_t_two_sided(t, degrees);
    double density = exp(scale - (degrees + 1) / 2 * log1p(t * t / degrees));
    double step = tail * log(tail / wanted) / (2 * density);
    if (!(t > 0.5) || !isfinite(step)) return none;
    t = fmax(t / 2, t + step);
    if (fabs(step) < 1e-7 * t) break; /* precise enough, because each step squares the error */
  }
  struct student_bounds found = {t * (1 - STUDENT_SLACK), t * (1 + STUDENT_SLACK)};
  bool around = pprofc_t_two_sided(found.low, degrees) > wanted &&
                pprofc_t_two_sided(found.high, degrees) <= wanted;
  return around ? found : none;
}

static bool tail_is_greater(const struct student_bounds *known, double t, double wanted,
                            double degrees) {
  if (t <= known->low) return true;
  if (t >= known->high) return false;
  return pprofc_t_two_sided(t, degrees) > wanted;
}

/* Returns the positive t whose two-sided tail is `wanted`, by bisection. 200 halvings reach the
 * last bit from any start. */
static double inverse_of_tail(double wanted, double degrees) {
  struct student_bounds known = bounds_of_tail(wanted, degrees);
  double low = 0, high = 1;
  while (tail_is_greater(&known, high, wanted, degrees) && high < 1e300) high *= 2;
  for (int i = 0; i < 200 && low < high; i++) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    if (tail_is_greater(&known, middle, wanted, degrees))
      low = middle;
    else
      high = middle;
  }
  return high;
}

double pprofc_t_quantile(double p, double degrees) {
  if (!(p >= 0 && p <= 1) || !(degrees > 0)) return (double)NAN;
  if (p == 0.5) return 0;
  double wanted = 2 * (p < 0.5 ? p : 1 - p);
  double t = wanted == 0 ? (double)INFINITY : inverse_of_tail(wanted, degrees);
  return p < 0.5 ? -t : t;
}

/* ---- the normal distribution -------------------------- */

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

/* ---- the incomplete beta function --------------------- */

/* Returns the logarithm of the gamma function. Uses lgamma_r, because lgamma writes to the global
 * variable signgam. */
static double log_gamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

/* Computes the continued fraction by the modified method of Lentz (Numerical Recipes 6.4). The
 * method takes about sqrt(max(a, b)) steps, so samples that fit into memory never reach the limit
 * of steps. */
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
  for (size_t i = 0; i < COUNT(terms); i++, power /= x * x) sum += terms[i] * power;
  return sum;
}

/* Returns log B(a, b). A difference of two large log-gammas would lose digits. So if a or b is at
 * least 10, Stirling's formula replaces the log-gammas of the larger argument and of a + b. */
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

/* ---- functions of the gamma function ---------------- */

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

/* ---- chi-squared ------------------------------------- */

/* Returns the regularised lower incomplete gamma function P(a, x) by its series, which takes about
 * sqrt(a) terms for x < a + 1. */
static double gamma_lower(double a, double x) {
  double term = 1 / a, sum = term;
  for (int i = 1; i < 100000 && term > sum * 1e-17; i++) {
    term *= x / (a + i);
    sum += term;
  }
  return sum * exp(a * log(x) - x - log_gamma(a));
}

/* Searches below the mean of the distribution, because the median is smaller than the mean. */
double stats_chi2_median(double degrees) {
  double low = 0, high = degrees;
  if (!(degrees > 0)) return (double)NAN;
  for (int i = 0; i < 200; i++) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    if (gamma_lower(degrees / 2, middle / 2) < 0.5)
      low = middle;
    else
      high = middle;
  }
  return low + (high - low) / 2;
}
