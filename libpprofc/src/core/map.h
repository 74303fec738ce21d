/* Hash tables that give dense indices: strings to ids, and any record to its index.
 * No code iterates over a table: output is in the order of first insertion. */
#ifndef PPROFC_CORE_MAP_H
#define PPROFC_CORE_MAP_H

#include "core/hash.h"
#include "core/mem.h"
#include "core/str.h"

#define MAP_NONE  UINT32_MAX
#define MAP_LARGE ((size_t)1 << 16) /* slots that the caches do not have all */

/* An open-addressing table from hash to index. The caller owns the records and compares keys:
 *
 *   struct map_probe probe = map_start(&map, hash);
 *   uint32_t index;
 *   while ((index = map_next(&map, &probe)) != MAP_NONE)
 *     if (records[index] equals key) return index;
 *   if (!map_insert(&map, hash, new_index)) out of memory;
 */
/* 8 bytes: a table that is larger than the caches takes a miss for each probe that begins. */
struct map_slot {
  uint32_t tag;   /* 32 bits of the spread hash, of which the lowest give the slot */
  uint32_t index; /* MAP_NONE when free */
};

struct map {
  const pprofc_allocator *mem;
  struct map_slot *slots;
  size_t capacity; /* a power of two, or 0 */
  size_t count;
  uint64_t steps; /* slots that entries found taken when they were put in, growing included */
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

/* Tags are kept, so that growing needs no hash again and a key is looked at only where 32 bits are
 * equal. */
static inline struct map_probe map_start(const struct map *map, uint64_t hash) {
  uint32_t tag = (uint32_t)hash_spread(hash);
  return (struct map_probe){map->capacity ? tag & (map->capacity - 1) : 0, tag};
}

static inline uint32_t map_next(const struct map *map, struct map_probe *probe) {
  if (!map->capacity) return MAP_NONE;
  for (;;) {
    const struct map_slot *slot = &map->slots[probe->position];
    if (slot->index == MAP_NONE) return MAP_NONE;
    probe->position = (probe->position + 1) & (map->capacity - 1);
    if (slot->tag == probe->tag) return slot->index;
  }
}

/* Fetches the slot of a hash that is looked for soon into the caches: for several at a time, so
 * that they are not waited for one by one. */
static inline void map_expect(const struct map *map, uint64_t hash) {
  if (map->capacity >= MAP_LARGE) __builtin_prefetch(&map->slots[map_start(map, hash).position]);
}

/* Whether the record `index` has the key. */
typedef bool (*map_equal_fn)(const void *records, uint32_t index, const void *key);

/* The index of the record with the key; when there is none, enters `next` for it and returns that,
 * and the caller appends the record. MAP_NONE when out of memory. `equal` is called only where 32
 * bits of the hash agree. Inlined, so that a call of a static function costs no more than the
 * loop. */
static inline uint32_t map_find_or_add(struct map *map, uint64_t hash, map_equal_fn equal,
                                       const void *records, const void *key, uint32_t next) {
  struct map_probe probe = map_start(map, hash);
  uint32_t index;
  while ((index = map_next(map, &probe)) != MAP_NONE)
    if (equal(records, index, key)) return index;
  return map_insert(map, hash, next) ? next : MAP_NONE;
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
/* Fetches the slot of a string that is looked for soon into the caches. */
static inline void interner_expect(const struct interner *interner, pprofc_str s) {
  if (interner->map.capacity >= MAP_LARGE) map_expect(&interner->map, hash_str(s));
}
/* The id of s, or MAP_NONE when out of memory. */
uint32_t interner_add(struct interner *interner, pprofc_str s);
/* The same; copies s into the arena when it is new. */
uint32_t interner_copy(struct interner *interner, struct arena *arena, pprofc_str s);
/* Gives the strings, in the order of their ids, to an arena of the same allocator; the interner is
 * empty then. NULL when out of memory. */
pprofc_str *interner_take(struct interner *interner, struct arena *arena);
/* The id of s, or MAP_NONE when it was never added. */
uint32_t interner_find(const struct interner *interner, pprofc_str s);

#endif
