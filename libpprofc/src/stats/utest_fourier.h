/* The distribution of U for samples too large to be counted. */
#ifndef PPROFC_STATS_UTEST_FOURIER_H
#define PPROFC_STATS_UTEST_FOURIER_H

#include "pprofc/base.h"

#include <stddef.h>

/* P(2U <= twice_u) for `nx` of the values whose multiplicities, ascending by value, are ties[0 ..
 * distinct - 1]; twice_u is one that can be observed, and at most the mean. Exact to about 1e-12
 * of itself. NaN when it would take
 * longer than some 50 ms (more than 10,000 values, above all), negative when out of memory. */
double u_fourier_cdf(const size_t *ties, size_t distinct, size_t nx, double twice_u,
                     const pprofc_allocator *mem);

#endif
