/* Logarithm, exponential and binomial coefficients with the last bit that Go's math package gives
 * on amd64: full precision in CSV output and the sign of "+0.00%" depend on it. */
#ifndef PPROFC_STATS_GOMATH_H
#define PPROFC_STATS_GOMATH_H

double go_log(double x);
double go_exp(double x);

/* C(n, k) as moremath has it: exact up to n = 20, exp of log-gammas beyond. */
double go_choose(int n, int k);

/* C(n, k), correctly computed; exact while it is below 2^53. */
double choose(int n, int k);

#endif
