/* Reads numbers of benchmark JSON without rounding errors. */
#ifndef PPROFC_BENCH_JSON_NUMBER_H
#define PPROFC_BENCH_JSON_NUMBER_H

#include "core/json_tree.h"

/* Returns a number times a power of ten, correctly rounded from its decimal digits. False
 * unless it is a finite number; NaN or infinity as a string or bare word is rejected. `node`
 * may be NULL. */
bool node_number(const struct node *node, int exponent, double *value);

/* Returns a member that is an integer of at least 0, else `otherwise`. */
int64_t node_count(const struct node *node, const char *name, int64_t otherwise);

#endif
