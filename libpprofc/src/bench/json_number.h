/* Numbers of benchmark JSON, exact. */
#ifndef PPROFC_BENCH_JSON_NUMBER_H
#define PPROFC_BENCH_JSON_NUMBER_H

#include "core/json_tree.h"

/* A number times a power of ten, correctly rounded from its decimal digits. False for anything but
 * a finite number; JSON that spells NaN or infinity as a string or a bare word has none. `node` may
 * be NULL. */
bool node_number(const struct node *node, int exponent, double *value);

/* A member that is a whole number of at least 0, else `otherwise`. */
int64_t node_count(const struct node *node, const char *name, int64_t otherwise);

#endif
