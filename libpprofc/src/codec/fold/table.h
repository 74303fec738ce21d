/* A table from hash to index with 8 bytes per slot. It stores half of each hash, so the caller
 * must compare the items found. Hashes are keyed (core/hash.h). */
#ifndef PPROFC_CODEC_FOLD_TABLE_H
#define PPROFC_CODEC_FOLD_TABLE_H

#include "core/map.h"

struct fold_table {
  uint64_t *slots; /* half of the hash, and index + 1; 0: free slot */
  size_t capacity; /* number of slots, a power of two or 0 */
  size_t count;
};

struct fold_probe {
  size_t at;
  uint32_t half;
};

static inline struct fold_probe fold_table_start(const struct fold_table *table, uint64_t hash) {
  uint32_t half = (uint32_t)(hash >> 32);
  return (struct fold_probe){half & (table->capacity - 1), half};
}

/* Returns the next index whose hash may match, or MAP_NONE. */
static inline uint32_t fold_table_next(const struct fold_table *table, struct fold_probe *probe) {
  if (!table->capacity) return MAP_NONE;
  for (;;) {
    uint64_t slot = table->slots[probe->at];
    if (!slot) return MAP_NONE;
    probe->at = (probe->at + 1) & (table->capacity - 1);
    if (slot >> 32 == probe->half) return (uint32_t)slot - 1;
  }
}

/* Adds an index below MAP_NONE - 1; false when out of memory. */
bool fold_table_insert(struct fold_table *table, const pprofc_allocator *mem, uint64_t hash,
                       uint32_t index);
void fold_table_free(struct fold_table *table, const pprofc_allocator *mem);

#endif
