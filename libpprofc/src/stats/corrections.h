/* Corrects the p-values of tests that are made together.
 *
 * p[0 .. count - 1] must be sorted ascending. adjusted[i] is the adjusted value of p[i], at most 1;
 * compare it with the significance level of all tests together. `p` and `adjusted` may be the same
 * array. */
#ifndef PPROFC_STATS_CORRECTIONS_H
#define PPROFC_STATS_CORRECTIONS_H

#include "core/mem.h"

/* Controls the false discovery rate: the expected share of wrong findings among all findings
 * (Benjamini, Hochberg 1995). */
void corrections_benjamini_hochberg(const double *p, size_t count, double *adjusted);

/* Controls the false discovery rate for any dependence between the tests. Multiplies p-values by 1
 * + 1/2 + ... + 1/count (Benjamini, Yekutieli 2001). */
void corrections_benjamini_yekutieli(const double *p, size_t count, double *adjusted);

/* Controls the family-wise error rate: the probability of at least one wrong finding (Holm
 * 1979). */
void corrections_holm(const double *p, size_t count, double *adjusted);

typedef void (*corrections_fn)(const double *p, size_t count, double *adjusted);

/* Adjusts p-values in any order, in place. Skips NaN, which means that no test was made. Does
 * nothing if `correct` is NULL. Returns false when out of memory. */
bool corrections_apply(corrections_fn correct, double *p, size_t count,
                       const pprofc_allocator *mem);

#endif
