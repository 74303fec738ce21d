/* Hash tables that give dense indices: strings to ids, and any record to its index.
 * Nothing iterates over a table; what comes out is in order of first insertion. */
#ifndef PPROFC_BASE_MAP_H
#define PPROFC_BASE_MAP_H

#include "base/mem.h"
#include "base/str.h"

#define MAP_NONE UINT32_MAX

/* Hashes; seeded with a constant, the results are the same in every run. */
uint64_t hash_bytes(const void *data, size_t size);
static inline uint64_t hash_str(pprofc_str s) {
  return hash_bytes(s.data, s.size);
}
/* Mixes one more word into a hash. The word is spread first: hash_mix(a, b) of two small numbers
 * would otherwise be the same for all with the same a ^ b. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word * 0xD6E8FEB86659FD93u) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

/* An open-addressing table from hash to index. The records live elsewhere, and the caller compares:
 *
 *   struct map_probe probe = map_start(&map, hash);
 *   uint32_t index;
 *   while ((index = map_next(&map, &probe)) != MAP_NONE)
 *     if (records[index] equals key) return index;
 *   if (!map_insert(&map, hash, new_index)) out of memory;
 */
struct map_slot {
  uint32_t tag;   /* upper half of the hash */
  uint32_t index; /* MAP_NONE when free */
};

struct map {
  const pprofc_allocator *mem;
  struct map_slot *slots;
  size_t capacity; /* a power of two, or 0 */
  size_t count;
};

struct map_probe {
  size_t position;
  uint32_t tag;
};

void map_init(struct map *map, const pprofc_allocator *mem);
void map_free(struct map *map);
/* Makes room for `count` entries at once; false when out of memory. */
bool map_reserve(struct map *map, size_t count);
bool map_insert(struct map *map, uint64_t hash, uint32_t index);

/* Slots are chosen by the upper half of the hash, which is kept, so that growing needs no hash
 * again. */
static inline struct map_probe map_start(const struct map *map, uint64_t hash) {
  uint32_t tag = (uint32_t)(hash >> 32);
  return (struct map_probe){map->capacity ? tag * (size_t)0x9E3779B1u & (map->capacity - 1) : 0,
                            tag};
}

static inline uint32_t map_next(const struct map *map, struct map_probe *probe) {
  if (!map->capacity) return MAP_NONE;
  for (;;) {
    struct map_slot slot = map->slots[probe->position];
    if (slot.index == MAP_NONE) return MAP_NONE;
    probe->position = (probe->position + 1) & (map->capacity - 1);
    if (slot.tag == probe->tag) return slot.index;
  }
}

/* Strings to ids 0, 1, 2 ... in order of first use. Strings are not copied: their bytes must live
 * as long as the interner, or be put into an arena first (interner_copy). */
struct interner {
  struct map map;
  pprofc_str *items;
  size_t count, capacity;
};

void interner_init(struct interner *interner, const pprofc_allocator *mem);
void interner_free(struct interner *interner);
/* The id of s, or MAP_NONE when out of memory. */
uint32_t interner_add(struct interner *interner, pprofc_str s);
/* The same; copies s into the arena when it is new. */
uint32_t interner_copy(struct interner *interner, struct arena *arena, pprofc_str s);
/* The id of s, or MAP_NONE when it was never added. */
uint32_t interner_find(const struct interner *interner, pprofc_str s);

#endif
