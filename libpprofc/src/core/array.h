/* Arrays that grow: a pointer, a count and a capacity, which the owner keeps.
 *
 *   bool room = ARRAY_RESERVE(mem, list->items, list->capacity, list->count + 1);
 *   if (!room) return error_nomem(error);
 *   list->items[list->count++] = item;
 */
#ifndef PPROFC_CORE_ARRAY_H
#define PPROFC_CORE_ARRAY_H

#include "core/mem.h"

/* Makes room for `count` items of `size` bytes. `items` is the address of the pointer to them; the
 * capacity doubles, and begins with 16. False when out of memory; nothing changed then. */
bool array_reserve(const pprofc_allocator *mem, void *items, size_t *capacity, size_t count,
                   size_t size);

/* The same for a pointer and its capacity (size_t). */
#define ARRAY_RESERVE(mem, items, capacity, count)                                                 \
  array_reserve((mem), &(items), &(capacity), (count), sizeof *(items))

/* Frees the memory; the array is empty then. */
#define ARRAY_FREE(mem, items, capacity)                                                           \
  do {                                                                                             \
    mem_free((mem), (items), (capacity), sizeof *(items));                                         \
    (items) = NULL;                                                                                \
    (capacity) = 0;                                                                                \
  } while (0)

#endif
