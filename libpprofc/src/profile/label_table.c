/* Finds equal label sets with a hash table. Each set is then stored once. */
#include "profile/label_table.h"

void label_table_init(struct label_table *table, const pprofc_allocator *mem,
                      const struct label *labels, struct label_set *sets) {
  *table = (struct label_table){.labels = labels, .sets = sets};
  map_init(&table->map, mem);
}

void label_table_free(struct label_table *table) {
  map_free(&table->map);
}

static inline bool label_table_equal(const struct label_table *table, uint32_t set, size_t first,
                                     size_t count) {
  const struct label *labels = table->labels;
  return table->sets[set].count == count &&
         memcmp(labels + table->sets[set].first, labels + first, count * sizeof *labels) == 0;
}

uint32_t label_table_add(struct label_table *table, size_t first, size_t count) {
  if (table->last < table->count && label_table_equal(table, table->last, first, count))
    return table->last;
  uint64_t hash = hash_bytes(table->labels + first, count * sizeof *table->labels);
  MAP_FIND(index, &table->map, hash, label_table_equal(table, index, first, count));
  if (index == MAP_NONE) {
    index = (uint32_t)table->count;
    if (!map_insert(&table->map, hash, index)) return MAP_NONE;
    table->sets[table->count++] = (struct label_set){(uint32_t)first, (uint32_t)count};
  }
  table->last = index;
  return index;
}
