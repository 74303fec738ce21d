/* Sorting stacks by their frames. */
#ifndef PPROFC_STACKS_SORT_H
#define PPROFC_STACKS_SORT_H

#include "stacks/cursor.h"

/* A stack while it is sorted: two of its frames are at hand, those at the depth reached. */
struct sort_item {
  uint32_t key[2];           /* frames + 1; 0 behind the last */
  struct cursor_place place; /* behind these frames */
  uint32_t stack;            /* of the source */
};

/* Sorts by frames, a stack before those that continue it. Equal stacks come in any order. Only
 * the stack of an item needs to be set. */
void stack_sort(const struct stack_source *source, struct sort_item *items, size_t count);

#endif
