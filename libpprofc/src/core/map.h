/* Declares hash tables that map strings to ids, and records to their indices. Code never iterates
 * over a table, so output is in the order of first insertion. */
#ifndef PPROFC_CORE_MAP_H
#define PPROFC_CORE_MAP_H

#include "core/array.h"
#include "core/hash.h"
#include "core/mem.h"
#include "core/str.h"

#define MAP_NONE UINT32_MAX
/* A table with at least this number of slots does not fit into the CPU caches. */
#define MAP_LARGE ((size_t)1 << 16)

/* An open-addressing table from hash to index. The caller owns the records and compares keys:
 *
 *   MAP_FIND(index, &map, hash, records[index] equals key);
 *   if (index != MAP_NONE) return index;
 *   if (!map_insert(&map, hash, new_index)) out of memory;
 */
/* A slot of the table. A slot has only 8 bytes, so that tables stay small: each lookup in a table
 * larger than the caches starts with a cache miss. */
struct map_slot {
  uint32_t tag;   /* 32 bits of the result of hash_spread; the lowest bits select the slot */
  uint32_t index; /* index of the record; MAP_NONE: the slot is free */
};

struct map {
  const pprofc_allocator *mem;
  struct map_slot *slots;
  size_t capacity; /* number of slots: a power of two, or 0 */
  size_t count;
  uint64_t steps; /* number of slots that insertions have examined, for tests */
};

struct map_probe {
  size_t position;
  uint32_t tag;
};

void map_init(struct map *map, const pprofc_allocator *mem);
void map_free(struct map *map);
/* map_reserve provides space for `count` entries. map_insert adds an index with the hash of its
 * key. Both return false when out of memory. */
bool map_reserve(struct map *map, size_t count);
bool map_insert(struct map *map, uint64_t hash, uint32_t index);

/* Begins a lookup. A slot stores 32 bits of the hash as its tag. Keys are compared only if their
 * tags are equal, and a growing table computes no hashes again. */
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

/* Declares `at`, and sets it to the index of the first record that has this hash and satisfies
 * `same`, or to MAP_NONE. `same` is an expression that uses `at`. It is evaluated only for records
 * whose hashes agree with `hash` in 32 bits. */
#define MAP_FIND(at, map, hash, same)                                                              \
  uint32_t at;                                                                                     \
  for (struct map_probe at##_probe = map_start((map), (hash));                                     \
       (at = map_next((map), &at##_probe)) != MAP_NONE && !(same);)                                \
  continue

/* Appends a record to an array, and its index to the map. The macro is false when out of memory. */
#define MAP_PUSH(mem, map, hash, items, count, capacity, ...)                                      \
  (ARRAY_RESERVE((mem), (items), (capacity), (count) + 1) &&                                       \
   map_insert((map), (hash), (uint32_t)(count)) && ((items)[(count)++] = __VA_ARGS__, true))
#define MAP_PUSH_IN(arena, map, hash, items, count, capacity, ...)                                 \
  (ARRAY_RESERVE_IN((arena), (items), (capacity), (count) + 1) &&                                  \
   map_insert((map), (hash), (uint32_t)(count)) && ((items)[(count)++] = __VA_ARGS__, true))

/* Prefetches the slot of a hash that will be looked up soon. If a caller does this for a batch of
 * hashes, their cache misses overlap. */
static inline void map_expect(const struct map *map, uint64_t hash) {
  if (map->capacity >= MAP_LARGE) __builtin_prefetch(&map->slots[map_start(map, hash).position]);
}

/* True if the record at `index` has the key. */
typedef bool (*map_equal_fn)(const void *records, uint32_t index, const void *key);

/* Returns the index of the record that has the key. If there is no such record, inserts and returns
 * `next`, and the caller must append the record. Returns MAP_NONE when out of memory. Calls `equal`
 * only for records whose hashes agree with `hash` in 32 bits. The function is inline, so that a
 * static `equal` is also inlined. */
static inline uint32_t map_find_or_add(struct map *map, uint64_t hash, map_equal_fn equal,
                                       const void *records, const void *key, uint32_t next) {
  struct map_probe probe = map_start(map, hash);
  uint32_t index;
  while ((index = map_next(map, &probe)) != MAP_NONE)
    if (equal(records, index, key)) return index;
  return map_insert(map, hash, next) ? next : MAP_NONE;
}

/* Maps strings to ids 0, 1, 2 ... in the order of first use. Strings are not copied, so their bytes
 * must outlive the interner. interner_copy copies new strings to an arena. */
struct interner {
  struct map map;
  pprofc_str *items;
  size_t count, capacity;
};

void interner_init(struct interner *interner, const pprofc_allocator *mem);
void interner_free(struct interner *interner);
/* Returns the id of s. Adds s if it is new. Returns MAP_NONE when out of memory. */
uint32_t interner_add(struct interner *interner, pprofc_str s);
/* Does the same as interner_add, but copies a new string to the arena. */
uint32_t interner_copy(struct interner *interner, struct arena *arena, pprofc_str s);
/* Moves the strings, in the order of their ids, to an arena with the interner's allocator. Empties
 * the interner. Returns NULL when out of memory. */
pprofc_str *interner_take(struct interner *interner, struct arena *arena);
/* Returns the id of s, or MAP_NONE if s was never added. */
uint32_t interner_find(const struct interner *interner, pprofc_str s);

#endif
