/* Sorts samples. */
#ifndef PPROFC_STATS_SORTING_H
#define PPROFC_STATS_SORTING_H

#include <stddef.h>

/* Sorts in ascending order; NaN is first, as in Go's order. */
void sort_doubles(double *values, size_t count);

#endif
