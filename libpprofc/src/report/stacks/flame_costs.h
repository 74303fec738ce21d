/* The estimate of the resource that limits a function: sample types that count instructions,
 * cache and memory accesses and system time, weighted as cycles. */
#ifndef PPROFC_REPORT_STACKS_FLAME_COSTS_H
#define PPROFC_REPORT_STACKS_FLAME_COSTS_H

#include "flame/flame.h"

#define FLAME_COSTS_MAX 32

/* Finds the sample types of callgrind (imports give them their names) and their weights; returns
 * how many terms there are, 0 when the profile has no instruction count. */
size_t flame_costs_find(const pprofc_profile *profile, struct flame_cost costs[FLAME_COSTS_MAX]);

#endif
