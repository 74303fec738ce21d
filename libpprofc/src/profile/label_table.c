/* Deduplicates label sets. */
#include "profile/label_table.h"

void label_table_init(struct label_table *table, const pprofc_allocator *mem,
                      const struct label *labels, struct label_set *sets) {
  *table = (struct label_table){.labels = labels, .sets = sets};
  map_init(&table->map, mem);
}

void label_table_free(struct label_table *table) {
  map_free(&table->map);
}

uint32_t label_table_add(struct label_table *table, size_t first, size_t count) {
  const struct label *labels = table->labels + first;
  uint64_t hash = hash_bytes(labels, count * sizeof *labels);
  struct map_probe probe = map_start(&table->map, hash);
  uint32_t index;
  while ((index = map_next(&table->map, &probe)) != MAP_NONE) {
    const struct label_set *set = &table->sets[index];
    if (set->count == count &&
        memcmp(table->labels + set->first, labels, count * sizeof *labels) == 0)
      return index;
  }
  index = (uint32_t)table->count;
  if (!map_insert(&table->map, hash, index)) return MAP_NONE;
  table->sets[table->count++] = (struct label_set){(uint32_t)first, (uint32_t)count};
  return index;
}
