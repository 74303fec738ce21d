/* Tails of U for samples of few distinct values, however often each occurs. */
#ifndef PPROFC_STATS_UTEST_FEW_H
#define PPROFC_STATS_UTEST_FEW_H

#include "stats/utest_law.h"

/* The tail up to the law's rank sum: a sum over the ways to share out each value between the
 * samples, without the negligible ones. NaN when there are too many, negative when out of memory.
 */
double few_values_tail(const struct law *law);

#endif
