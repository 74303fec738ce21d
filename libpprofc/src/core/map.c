/* Implements hash tables that map keys to dense indices (0, 1, 2 ...), and the interner of strings.
 */
#include "core/map.h"

void map_init(struct map *map, const pprofc_allocator *mem) {
  hash_init();
  *map = (struct map){.mem = mem};
}

void map_free(struct map *map) {
  mem_free(map->mem, map->slots, map->capacity, sizeof *map->slots);
  *map = (struct map){.mem = map->mem};
}

static void map_place(struct map *map, struct map_slot slot) {
  size_t mask = map->capacity - 1, first = slot.tag & mask, position = first;
  while (map->slots[position].index != MAP_NONE) position = (position + 1) & mask;
  map->slots[position] = slot;
  map->steps += (position - first) & mask;
}

static bool map_grow(struct map *map, size_t capacity) {
  struct map old = *map;
  map->slots = mem_array(map->mem, capacity, sizeof *map->slots);
  if (!map->slots) {
    map->slots = old.slots;
    return false;
  }
  mem_will_fill(map->slots, capacity * sizeof *map->slots);
  memset(map->slots, 0xFF, capacity * sizeof *map->slots);
  map->capacity = capacity;
  for (size_t i = 0; i < old.capacity; i++)
    if (old.slots[i].index != MAP_NONE) map_place(map, old.slots[i]);
  mem_free(map->mem, old.slots, old.capacity, sizeof *old.slots);
  return true;
}

bool map_reserve(struct map *map, size_t count) {
  size_t capacity = map->capacity ? map->capacity : 16;
  while (capacity - capacity / 4 < count) {
    if (capacity > SIZE_MAX / 2 / sizeof *map->slots) return false;
    capacity *= 2;
  }
  return capacity == map->capacity || map_grow(map, capacity);
}

bool map_insert(struct map *map, uint64_t hash, uint32_t index) {
  if (!map_reserve(map, map->count + 1)) return false;
  map_place(map, (struct map_slot){map_start(map, hash).tag, index});
  map->count++;
  return true;
}

void interner_init(struct interner *interner, const pprofc_allocator *mem) {
  *interner = (struct interner){0};
  map_init(&interner->map, mem);
}

void interner_free(struct interner *interner) {
  loose_free(interner->map.mem, interner->items, interner->capacity, sizeof *interner->items);
  interner->items = NULL;
  interner->count = interner->capacity = 0;
  map_free(&interner->map);
}

static uint32_t interner_lookup(const struct interner *interner, uint64_t hash, pprofc_str s) {
  MAP_FIND(index, &interner->map, hash, str_equal(interner->items[index], s));
  return index;
}

uint32_t interner_find(const struct interner *interner, pprofc_str s) {
  return interner_lookup(interner, hash_str(s), s);
}

pprofc_str *interner_take(struct interner *interner, struct arena *arena) {
  pprofc_str *items = arena_take(arena, interner->items, interner->capacity, interner->count,
                                 sizeof *interner->items);
  if (!items) return NULL;
  interner->items = NULL;
  interner_free(interner);
  return items;
}

static uint32_t interner_insert(struct interner *interner, struct arena *arena, pprofc_str s) {
  uint64_t hash = hash_str(s);
  uint32_t index = interner_lookup(interner, hash, s);
  if (index != MAP_NONE) return index;
  if (interner->count >= MAP_NONE) return MAP_NONE;
  if (interner->count == interner->capacity &&
      !array_grow_loose(interner->map.mem, &interner->items, &interner->capacity,
                        interner->count + 1, sizeof *interner->items))
    return MAP_NONE;
  if (arena) {
    s = arena_str(arena, s);
    if (!s.data) return MAP_NONE;
  }
  if (!map_insert(&interner->map, hash, (uint32_t)interner->count)) return MAP_NONE;
  interner->items[interner->count] = s;
  return (uint32_t)interner->count++;
}

uint32_t interner_add(struct interner *interner, pprofc_str s) {
  return interner_insert(interner, NULL, s);
}

uint32_t interner_copy(struct interner *interner, struct arena *arena, pprofc_str s) {
  return interner_insert(interner, arena, s);
}
