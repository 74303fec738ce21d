/* Trends of a series in time: slopes that outliers do not bend, and tests whether there is one. */
#ifndef PPROFC_STATS_TREND_H
#define PPROFC_STATS_TREND_H

#include "core/mem.h"

/* The median of the slopes of all pairs of points (Theil 1950, Sen 1968). `t` ascends, without two
 * that are equal; `scratch` has room for count * (count - 1) / 2. 0 for less than 2 points. */
double trend_theil_sen(const double *t, const double *x, size_t count, double *scratch);

/* Kendall's S: pairs that rise less pairs that fall (Mann 1945). */
double trend_kendall_s(const double *x, size_t count);

/* P(S >= s) when any order of the values is as likely as any other, ties included. Exact up to
 * TREND_EXACT values, as the number of inversions of a permutation of a multiset; the normal
 * approximation with corrections for ties and continuity beyond. -1 when out of memory. */
#define TREND_EXACT 30
double trend_kendall_p(const double *x, size_t count, const pprofc_allocator *mem);

/* The p-value of the one-sided t-test that the steps between neighbours rise on average. Values may
 * depend on those before: of a series that returns to its mean the test rejects less often than it
 * says, and of a random walk as often. 1 below 3 values. */
double trend_drift(const double *x, size_t count);

/* The standard deviation of one value around a smooth course: from differences of neighbours, less
 * their mean (von Neumann 1941). 0 for less than 3 points. */
double trend_noise(const double *x, size_t count);

/* How far the series falls below an earlier value, and how far it rises above one, at the most. */
double trend_fall(const double *x, size_t count);
double trend_rise(const double *x, size_t count);

#endif
