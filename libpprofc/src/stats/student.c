/* Computes the cumulative distribution, the tail and the quantiles of Student's t distribution. */
#include "pprofc/stats.h"

#include <math.h>
#include <stdbool.h>

/* Computes P(|T| >= |t|) as an incomplete beta function, so that a tiny p has full precision. The
 * argument is df / (df + t^2) for a large t, and 1 minus this for a small t. Neither loses digits
 * by cancellation. */
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

/* Relative change of t that changes the tail by more than its rounding error. */
#define STUDENT_SLACK 5e-14

/* Returns bounds of the quantile, found by Newton's method on the logarithm of the tail. Returns 0
 * and infinity if the method does not converge, or if t is small, because the tail hardly changes
 * there. */
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
    if (fabs(step) < 1e-7 * t) break; /* the next error is about the square of this error */
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
