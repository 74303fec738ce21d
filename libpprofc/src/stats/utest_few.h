/* Tails of U for samples of few distinct values, however often each occurs. */
#ifndef PPROFC_STATS_UTEST_FEW_H
#define PPROFC_STATS_UTEST_FEW_H

#include "stats/utest_law.h"

/* The tail up to the law's rank sum, by going through all ways to share each value out between the
 * samples that are not negligible. NaN when these are too many, negative when out of memory. */
double few_values_tail(const struct law *law);

#endif
