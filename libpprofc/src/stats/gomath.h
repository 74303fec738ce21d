/* Computes logarithm, exponential and binomial coefficients bit for bit like Go's math package
 * on amd64. CSV output in full precision and the sign of "+0.00%" depend on the last bit. */
#ifndef PPROFC_STATS_GOMATH_H
#define PPROFC_STATS_GOMATH_H

double go_log(double x);
double go_exp(double x);

/* Returns C(n, k), the number of ways to choose k of n. Computes it as the Go package moremath
 * does: exactly up to n = 20, else as exp of log-gammas. */
double go_choose(int n, int k);

/* Returns C(n, k), the number of ways to choose k of n; exact below 2^53. */
double choose(int n, int k);

#endif
