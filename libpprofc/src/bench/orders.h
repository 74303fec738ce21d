/* Orders of the values of a projection that depend on a part of the text. */
#ifndef PPROFC_BENCH_ORDERS_H
#define PPROFC_BENCH_ORDERS_H

#include "core/buffer.h"

/* `@num`: numbers first, by value, NaN after all others; texts without a number are equal. Reads
 * 4k, 1MiB, x3y. */
int orders_compare_numbers(pprofc_str a, pprofc_str b);

#endif
