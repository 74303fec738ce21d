/* Student's t distribution. */
#include "pprofc/stats.h"

#include <math.h>

/* P(|T| >= |t|) is an incomplete beta function, so a tiny p has all its digits. For a large t it is
 * computed at x = df / (df + t^2), for a small t at 1 - x: neither cancels. */
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

/* The positive t with the two-sided tail `wanted`, by bisection: the tail falls as t grows. 200
 * halvings reach the last bit from any start. */
static double inverse_of_tail(double wanted, double degrees) {
  double low = 0, high = 1;
  while (pprofc_t_two_sided(high, degrees) > wanted && high < 1e300) high *= 2;
  for (int i = 0; i < 200 && low < high; i++) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    if (pprofc_t_two_sided(middle, degrees) > wanted)
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
