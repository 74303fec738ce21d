/* Corrections of p-values for the number of tests that were made together.
 *
 * p[0 .. count - 1] is sorted ascending; adjusted[i] belongs to p[i], and both may be one array. An
 * adjusted value is at most 1 and compares with the level that all tests share. */
#ifndef PPROFC_STATS_CORRECTIONS_H
#define PPROFC_STATS_CORRECTIONS_H

#include <stddef.h>

/* Controls the false discovery rate: of the changes found, the expected share that are none
 * (Benjamini, Hochberg 1995). */
void corrections_benjamini_hochberg(const double *p, size_t count, double *adjusted);

/* The same whatever the tests depend on each other: p-values times 1 + 1/2 + ... + 1/count
 * (Benjamini, Yekutieli 2001). */
void corrections_benjamini_yekutieli(const double *p, size_t count, double *adjusted);

/* Controls the family-wise error rate: the chance of one false change or more (Holm 1979). */
void corrections_holm(const double *p, size_t count, double *adjusted);

/* The same by one factor for all, which finds no more than Holm does (Bonferroni). */
void corrections_bonferroni(const double *p, size_t count, double *adjusted);

#endif
