/* The Mann-Whitney U test where many samples have the same sizes. */
#ifndef PPROFC_STATS_UTEST_KNOWN_H
#define PPROFC_STATS_UTEST_KNOWN_H

#include "pprofc/stats.h"

#define U_KNOWN 1024 /* pairs up to which tails are kept */

/* Tails without ties, of the sample sizes of the last test; all zero before the first. */
struct u_known {
  size_t nx, ny;
  double tails[U_KNOWN]; /* P(U <= u); negative: not computed yet */
};

/* pprofc_u_test; `known` may be NULL. */
pprofc_u_result u_test_known(const double *x, size_t x_count, const double *y, size_t y_count,
                             unsigned flags, struct u_known *known,
                             const pprofc_allocator *allocator);

#endif
