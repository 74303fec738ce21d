/* Orders of the values of a projection that look into the text. */
#ifndef PPROFC_BENCH_ORDERS_H
#define PPROFC_BENCH_ORDERS_H

#include "core/buffer.h"

/* `@num`: numbers first, by value, NaN last of them; what is no number is unordered. Knows 4k,
 * 1MiB, x3y. */
int orders_compare_numbers(pprofc_str a, pprofc_str b);

#endif
