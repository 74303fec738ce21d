/* Sorting stacks by their frames. */
#ifndef PPROFC_STACKS_SORT_H
#define PPROFC_STACKS_SORT_H

#include "stacks/cursor.h"

/* Sorts stacks of the source by their frames, a stack before those that continue it. Equal stacks
 * come in any order. False when out of memory or stopped. */
bool stack_sort(const struct stack_source *source, uint32_t *stacks, size_t count,
                const pprofc_allocator *mem);

#endif
