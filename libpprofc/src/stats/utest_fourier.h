/* The distribution of U for samples too large to be counted. */
#ifndef PPROFC_STATS_UTEST_FOURIER_H
#define PPROFC_STATS_UTEST_FOURIER_H

#include "pprofc/base.h"

#include <stddef.h>

/* P(2U <= twice_u) for `nx` of the values with the multiplicities, ascending by value, of ties[0 ..
 * distinct - 1]. twice_u is a value that 2U can take, and at most the mean. The relative error is
 * about 1e-12. NaN when it would take longer than about 50 ms (in particular for more than 10,000
 * values), negative when out of memory. */
double u_fourier_cdf(const size_t *ties, size_t distinct, size_t nx, double twice_u,
                     const pprofc_allocator *mem);

#endif
