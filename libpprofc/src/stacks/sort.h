/* Sorting stacks by their frames. */
#ifndef PPROFC_STACKS_SORT_H
#define PPROFC_STACKS_SORT_H

#include <stddef.h>
#include <stdint.h>

/* A stack while it is sorted: two of its frames are at hand, those at the depth reached. */
struct sort_item {
  uint64_t key;           /* at first that of depth 0 */
  const uint32_t *frames; /* root first */
  uint32_t depth;
  uint32_t stack; /* the caller's number of it */
};

/* The frames at depth `at` and behind it. */
uint64_t stack_sort_key(const struct sort_item *item, size_t at);

/* Sorts by frames, a stack before those that continue it. Equal stacks come in any order. */
void stack_sort(struct sort_item *items, size_t count);

#endif
