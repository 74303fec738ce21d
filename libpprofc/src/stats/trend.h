/* Computes trends of a time series: slopes that resist outliers, and tests for a trend. The search
 * for leaks uses them. */
#ifndef PPROFC_STATS_TREND_H
#define PPROFC_STATS_TREND_H

#include "core/mem.h"

/* Returns the median of the slopes of all pairs of points (Theil 1950, Sen 1968). `t` must be
 * strictly ascending. `scratch` has space for count * (count - 1) / 2 values. Returns 0 for fewer
 * than 2 points. */
double trend_theil_sen(const double *t, const double *x, size_t count, double *scratch);

/* Returns Kendall's S: the number of rising pairs minus the number of falling pairs (Mann 1945). */
double trend_kendall_s(const double *x, size_t count);

/* Returns P(S >= s) if every order of the values, including ties, is equally probable. The result
 * is exact for up to TREND_EXACT values. For more values, it is the normal approximation, corrected
 * for ties and continuity. Returns -1 when out of memory. */
#define TREND_EXACT 30
double trend_kendall_p(const double *x, size_t count, const pprofc_allocator *mem);

/* Returns the p-value of the one-sided t-test that the steps between neighbours rise on average.
 * For a random walk, in which each value depends on the value before, the test rejects as often as
 * its level says; for a series that returns to its mean, it rejects less often. Returns 1 for fewer
 * than 3 values. */
double trend_drift(const double *x, size_t count);

/* Returns the standard deviation of the values around a smooth curve, computed from the differences
 * of neighbours minus their mean (von Neumann 1941). Returns 0 for fewer than 3 values. */
double trend_noise(const double *x, size_t count);

/* trend_fall returns the largest fall below an earlier value, trend_rise the largest rise above an
 * earlier value. */
double trend_fall(const double *x, size_t count);
double trend_rise(const double *x, size_t count);

#endif
