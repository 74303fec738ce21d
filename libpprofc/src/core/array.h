/* Growable arrays: a pointer, a count and a capacity, which are fields of the owner.
 *
 *   bool added = ARRAY_PUSH(mem, list->items, list->count, list->capacity, item);
 *   if (!added) return error_nomem(error);
 *
 * Only mem.c computes capacities. Each macro enlarges one array, so two arrays must not share a
 * capacity field. */
#ifndef PPROFC_CORE_ARRAY_H
#define PPROFC_CORE_ARRAY_H

#include "core/mem.h"

/* Returns the new capacity of an array that needs space for `count` items. It is twice the old
 * capacity, at least 16, and at least `count`. */
size_t array_capacity(size_t capacity, size_t count);

/* Enlarges the array to the result of array_capacity, but never above `ceiling`. `items` is the
 * address of the array pointer. Each item has `size` bytes. Returns false and changes nothing if
 * memory runs out or `count` exceeds the ceiling. */
bool array_grow(const pprofc_allocator *mem, void *items, size_t *capacity, size_t count,
                size_t ceiling, size_t size);

/* Enlarges an array in an arena by copying it. The old copy stays allocated until the arena is
 * freed. */
bool array_grow_in(struct arena *arena, void *items, size_t *capacity, size_t count, size_t size);

/* Enlarges an array that does not belong to an arena yet. arena_take moves the array into an arena
 * later (core/mem.h). */
bool array_grow_loose(const pprofc_allocator *mem, void *items, size_t *capacity, size_t count,
                      size_t size);

/* Provides space for `count` items in an array. The function is inline, because the space usually
 * exists already. */
static inline bool array_reserve(const pprofc_allocator *mem, void *items, size_t *capacity,
                                 size_t count, size_t size) {
  return count <= *capacity || array_grow(mem, items, capacity, count, SIZE_MAX, size);
}

static inline bool array_reserve_in(struct arena *arena, void *items, size_t *capacity,
                                    size_t count, size_t size) {
  return count <= *capacity || array_grow_in(arena, items, capacity, count, size);
}

/* These macros call array_reserve and array_reserve_in with the addresses of `items` and
 * `capacity`. `capacity` must be a size_t. */
#define ARRAY_RESERVE(mem, items, capacity, count)                                                 \
  array_reserve((mem), &(items), &(capacity), (count), sizeof *(items))
#define ARRAY_RESERVE_IN(arena, items, capacity, count)                                            \
  array_reserve_in((arena), &(items), &(capacity), (count), sizeof *(items))

/* Number of items of an array whose size is known at compile time. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Sorts items like qsort. Passes `context` to `compare`, which must not call array_sort. */
void array_sort(void *items, size_t count, size_t size,
                int (*compare)(const void *a, const void *b, const void *context),
                const void *context);

/* Number by which an item is sorted, and index of the item before the sort. */
struct ranked {
  double rank;
  size_t index;
};

/* Sorts by rank, then by index. */
void ranked_sort(struct ranked *items, size_t count);

/* Appends an item to an array. The value of the macro is false when out of memory. */
#define ARRAY_PUSH(mem, items, count, capacity, ...)                                               \
  (ARRAY_RESERVE((mem), (items), (capacity), (count) + 1) &&                                       \
   ((items)[(count)++] = __VA_ARGS__, true))
#define ARRAY_PUSH_IN(arena, items, count, capacity, ...)                                          \
  (ARRAY_RESERVE_IN((arena), (items), (capacity), (count) + 1) &&                                  \
   ((items)[(count)++] = __VA_ARGS__, true))

/* Declares `at`, and sets it to the number of items that satisfy `before`. `before` is an
 * expression that uses `at` as the index of an item. All items that satisfy `before` must precede
 * all other items. */
#define BISECT(at, count, before)                                                                  \
  size_t at = 0;                                                                                   \
  for (size_t at##_low = 0, at##_high = (count); at##_low < at##_high; at = at##_low) {            \
    at = at##_low + (at##_high - at##_low) / 2;                                                    \
    if (before)                                                                                    \
      at##_low = at + 1;                                                                           \
    else                                                                                           \
      at##_high = at;                                                                              \
  }

static inline void array_reverse(uint32_t *ids, size_t count) {
  for (size_t i = 0; i < count / 2; i++) {
    uint32_t swap = ids[i];
    ids[i] = ids[count - 1 - i];
    ids[count - 1 - i] = swap;
  }
}

/* Frees the items of an array, and sets its pointer to NULL and its capacity to 0. */
#define ARRAY_FREE(mem, items, capacity)                                                           \
  do {                                                                                             \
    mem_free((mem), (items), (capacity), sizeof *(items));                                         \
    (items) = NULL;                                                                                \
    (capacity) = 0;                                                                                \
  } while (0)

#endif
