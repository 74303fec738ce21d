/* The derivatives of the logarithm of the gamma function, the incomplete gamma function, and
 * quantiles of the chi-squared distribution. */
#ifndef PPROFC_STATS_GAMMA_H
#define PPROFC_STATS_GAMMA_H

/* These functions return the first, second and third derivative of log gamma at x > 0, and NaN
 * elsewhere. */
double stats_digamma(double x);
double stats_trigamma(double x);
double stats_tetragamma(double x);

/* Returns the y > 0 with trigamma(y) = x, for x > 0. Otherwise returns NaN. */
double stats_trigamma_inverse(double x);

/* Returns the regularised lower incomplete gamma function P(a, x), for a > 0 and x >= 0. */
double stats_gamma_lower(double a, double x);

/* Returns the quantile of the chi-squared distribution, for 0 < p < 1 and degrees > 0. */
double stats_chi2_quantile(double p, double degrees);

#endif
