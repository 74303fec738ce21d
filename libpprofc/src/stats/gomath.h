/* Computes logarithm, exponential and binomial coefficients. Every bit of a result is the same as
 * in Go's math package on amd64, because CSV output in full precision and the sign of "+0.00%"
 * depend on the last bit. */
#ifndef PPROFC_STATS_GOMATH_H
#define PPROFC_STATS_GOMATH_H

double go_log(double x);
double go_exp(double x);

/* Returns C(n, k), the number of ways to choose k of n items. The result is the same as in the Go
 * package moremath: exact up to n = 20, else exp of a sum of log-gammas. */
double go_choose(int n, int k);

/* Returns C(n, k), the number of ways to choose k of n items. The result is exact below 2^53. */
double choose(int n, int k);

#endif
