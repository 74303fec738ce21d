/* Implements growable arrays. Sorts arrays with a comparison function that gets a context. */
#include "core/array.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 16

size_t array_capacity(size_t capacity, size_t count) {
  size_t wanted = capacity > SIZE_MAX / 2 ? SIZE_MAX : capacity * 2;
  if (wanted < FIRST_CAPACITY) wanted = FIRST_CAPACITY;
  return wanted < count ? count : wanted;
}

/* Stores the enlarged memory of an array. Returns false if it is NULL. */
static bool array_set(void *items, size_t *capacity, void *grown, size_t wanted) {
  if (!grown) return false;
  memcpy(items, &grown, sizeof grown);
  *capacity = wanted;
  return true;
}

bool array_grow(const pprofc_allocator *mem, void *items, size_t *capacity, size_t count,
                size_t ceiling, size_t size) {
  if (count > ceiling) return false;
  size_t wanted = array_capacity(*capacity, count);
  if (wanted > ceiling) wanted = ceiling;
  void *old;
  memcpy(&old, items, sizeof old);
  return array_set(items, capacity, mem_resize(mem, old, *capacity, wanted, size), wanted);
}

bool array_grow_in(struct arena *arena, void *items, size_t *capacity, size_t count, size_t size) {
  size_t wanted = array_capacity(*capacity, count);
  void *old;
  memcpy(&old, items, sizeof old);
  void *grown = arena_extend(arena, old, *capacity, wanted - *capacity, size);
  return array_set(items, capacity, grown, wanted);
}

bool array_grow_loose(const pprofc_allocator *mem, void *items, size_t *capacity, size_t count,
                      size_t size) {
  size_t wanted = array_capacity(*capacity, count);
  void *old;
  memcpy(&old, items, sizeof old);
  return array_set(items, capacity, loose_resize(mem, old, *capacity, wanted, size), wanted);
}

/* Arguments of the array_sort call that runs in this thread. The variable is thread-local, because
 * the signature of qsort_r differs between systems. */
static _Thread_local struct {
  int (*compare)(const void *a, const void *b, const void *context);
  const void *context;
} array_sorting;

static int array_compare(const void *a, const void *b) {
  return array_sorting.compare(a, b, array_sorting.context);
}

void array_sort(void *items, size_t count, size_t size,
                int (*compare)(const void *a, const void *b, const void *context),
                const void *context) {
  array_sorting.compare = compare;
  array_sorting.context = context;
  if (count) qsort(items, count, size, array_compare);
}
