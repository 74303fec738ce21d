/* Estimates which resource limits a function. Converts instructions, cache accesses, memory
 * accesses and system time to cycles. */
#ifndef PPROFC_REPORT_STACKS_FLAME_COSTS_H
#define PPROFC_REPORT_STACKS_FLAME_COSTS_H

#include "flame/flame.h"

#define FLAME_COSTS_MAX 32

/* Finds the sample types of callgrind, by the names that the import uses, and their weights.
 * Returns the number of terms. Returns 0 if the profile has no instruction count. */
size_t flame_costs_find(const pprofc_profile *profile, struct flame_cost costs[FLAME_COSTS_MAX]);

#endif
