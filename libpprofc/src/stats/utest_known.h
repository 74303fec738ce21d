/* Mann-Whitney U test that reuses its tails for samples of the same sizes. */
#ifndef PPROFC_STATS_UTEST_KNOWN_H
#define PPROFC_STATS_UTEST_KNOWN_H

#include "pprofc/stats.h"

#define U_KNOWN 1024 /* maximum number of pairs for stored tails */

/* Tails without ties for the sample sizes of the last test; all zero before the first test. */
struct u_known {
  size_t nx, ny;
  double tails[U_KNOWN]; /* P(U <= u); negative: not computed yet */
};

/* Works like pprofc_u_test; `known` may be NULL. */
pprofc_u_result u_test_known(const double *x, size_t x_count, const double *y, size_t y_count,
                             unsigned flags, struct u_known *known,
                             const pprofc_allocator *allocator);

#endif
