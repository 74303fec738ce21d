/* Arrays that grow. */
#include "core/array.h"

#include <string.h>

#define FIRST_CAPACITY 16

bool array_reserve(const pprofc_allocator *mem, void *items, size_t *capacity, size_t count,
                   size_t size) {
  if (count <= *capacity) return true;
  size_t wanted = *capacity ? *capacity : FIRST_CAPACITY;
  while (wanted < count && wanted <= SIZE_MAX / 2) wanted *= 2;
  if (wanted < count) return false;
  void *old;
  memcpy(&old, items, sizeof old);
  void *grown = mem_resize(mem, old, *capacity, wanted, size);
  if (!grown) return false;
  memcpy(items, &grown, sizeof grown);
  *capacity = wanted;
  return true;
}
