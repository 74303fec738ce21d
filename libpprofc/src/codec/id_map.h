/* Maps ids of a file to dense indices (0, 1, 2 ...). */
#ifndef PPROFC_CODEC_ID_MAP_H
#define PPROFC_CODEC_ID_MAP_H

#include "core/base.h"

/* A map from ids to indices. The map needs no table if the ids are 1, 2, 3 ..., as in most files.
 * Small ids in another order need a table. Large ids (addresses, hashes) need a hash table. */
struct id_map {
  size_t count;
  const uint64_t *ids;   /* ids by index; NULL: each id is its index + 1 */
  const uint32_t *table; /* index of each id below `table_size`, or MAP_NONE; NULL: no table */
  uint64_t table_size;
  struct map hash;
  uint32_t duplicate; /* first index whose id occurs at a lower index as well, or MAP_NONE */
};

/* Builds a map of `count` ids, which must outlive the map. Allocates `table` in the arena;
 * id_map_free frees the hash table. Returns false when out of memory. */
bool id_map_build(struct id_map *map, const uint64_t *ids, size_t count, struct arena *arena);
void id_map_free(struct id_map *map);

uint32_t id_map_find_slow(const struct id_map *map, uint64_t id);

/* Returns the index of id, or MAP_NONE. */
static inline uint32_t id_map_find(const struct id_map *map, uint64_t id) {
  if (!map->ids) return id - 1 < map->count ? (uint32_t)(id - 1) : MAP_NONE;
  if (map->table) return id < map->table_size ? map->table[id] : MAP_NONE;
  return id_map_find_slow(map, id);
}

#endif
