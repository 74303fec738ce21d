/* Orders projected values by a part of their text. */
#ifndef PPROFC_BENCH_ORDERS_H
#define PPROFC_BENCH_ORDERS_H

#include "core/buffer.h"

/* Compares values for `@num`: numbers first, by value, NaN after all others; texts without a
 * number are equal. Parses 4k, 1MiB, x3y. */
int orders_compare_numbers(pprofc_str a, pprofc_str b);

#endif
