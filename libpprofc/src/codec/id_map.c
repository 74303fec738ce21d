/* Maps ids of a file, which may have gaps, to the indices 0, 1, 2 ... */
#include "codec/pprof_decode.h"

static uint64_t hash_id(uint64_t id) {
  return hash_mix(0, id);
}

uint32_t id_map_find_slow(const struct id_map *map, uint64_t id) {
  MAP_FIND(index, &map->hash, hash_id(id), map->ids[index] == id);
  return index;
}

static bool build_table(struct id_map *map, uint64_t largest, struct arena *arena) {
  uint32_t *table = arena_array(arena, (size_t)largest + 1, sizeof *table);
  if (!table) return false;
  memset(table, 0xFF, ((size_t)largest + 1) * sizeof *table);
  for (size_t i = 0; i < map->count; i++) {
    uint32_t *slot = &table[map->ids[i]];
    if (*slot == MAP_NONE)
      *slot = (uint32_t)i;
    else if (map->duplicate == MAP_NONE)
      map->duplicate = (uint32_t)i;
  }
  map->table = table;
  map->table_size = largest + 1;
  return true;
}

static bool build_hash(struct id_map *map) {
  if (!map_reserve(&map->hash, map->count)) return false;
  for (size_t i = 0; i < map->count; i++) {
    if (id_map_find_slow(map, map->ids[i]) != MAP_NONE) {
      if (map->duplicate == MAP_NONE) map->duplicate = (uint32_t)i;
    } else if (!map_insert(&map->hash, hash_id(map->ids[i]), (uint32_t)i)) {
      return false;
    }
  }
  return true;
}

bool id_map_build(struct id_map *map, const uint64_t *ids, size_t count, struct arena *arena) {
  *map = (struct id_map){.count = count, .duplicate = MAP_NONE};
  map_init(&map->hash, arena->mem);
  bool dense = true;
  uint64_t largest = 0;
  for (size_t i = 0; i < count; i++) {
    dense = dense && ids[i] == i + 1;
    if (ids[i] > largest) largest = ids[i];
  }
  if (dense) return true;
  map->ids = ids;
  bool small = largest < 4 * (uint64_t)count + 1024;
  return small ? build_table(map, largest, arena) : build_hash(map);
}

void id_map_free(struct id_map *map) {
  map_free(&map->hash);
}
