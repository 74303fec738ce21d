/* Arrays that grow: a pointer, a count and a capacity, which the owner keeps.
 *
 *   bool room = ARRAY_RESERVE(mem, list->items, list->capacity, list->count + 1);
 *   if (!room) return error_nomem(error);
 *   list->items[list->count++] = item;
 *
 * No other file computes a capacity. Two arrays that grow together have a capacity each, or are one
 * array of structs. */
#ifndef PPROFC_CORE_ARRAY_H
#define PPROFC_CORE_ARRAY_H

#include "core/mem.h"

/* The capacity of an array that has `capacity` and needs `count`: twice what it was, and not less
 * than 16 or `count`. */
size_t array_capacity(size_t capacity, size_t count);

/* Makes the array larger: to array_capacity, but never more than `ceiling`. False when out of
 * memory or when `count` is above the ceiling; nothing changed then. `items` is the address of the
 * pointer to items of `size` bytes. */
bool array_grow(const pprofc_allocator *mem, void *items, size_t *capacity, size_t count,
                size_t ceiling, size_t size);

/* The same in an arena, by copying: what the array had before stays there until the arena goes. */
bool array_grow_in(struct arena *arena, void *items, size_t *capacity, size_t count, size_t size);

/* Makes room for `count` items. Mostly there is room: then no function is called. */
static inline bool array_reserve(const pprofc_allocator *mem, void *items, size_t *capacity,
                                 size_t count, size_t size) {
  return count <= *capacity || array_grow(mem, items, capacity, count, SIZE_MAX, size);
}

static inline bool array_reserve_in(struct arena *arena, void *items, size_t *capacity,
                                    size_t count, size_t size) {
  return count <= *capacity || array_grow_in(arena, items, capacity, count, size);
}

/* The same for a pointer and its capacity (size_t). */
#define ARRAY_RESERVE(mem, items, capacity, count)                                                 \
  array_reserve((mem), &(items), &(capacity), (count), sizeof *(items))
#define ARRAY_RESERVE_IN(arena, items, capacity, count)                                            \
  array_reserve_in((arena), &(items), &(capacity), (count), sizeof *(items))

/* Frees the memory; the array is empty then. */
#define ARRAY_FREE(mem, items, capacity)                                                           \
  do {                                                                                             \
    mem_free((mem), (items), (capacity), sizeof *(items));                                         \
    (items) = NULL;                                                                                \
    (capacity) = 0;                                                                                \
  } while (0)

#endif
