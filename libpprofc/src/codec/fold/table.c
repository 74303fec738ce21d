/* The hash table of the fold reader. */
#include "codec/fold/table.h"

#define LEAST_SLOTS 32768 /* malloc maps this many slots, and unmaps them when the table grows */

static void fold_table_put(struct fold_table *table, uint64_t slot) {
  size_t at = (size_t)(slot >> 32) & (table->capacity - 1);
  while (table->slots[at]) at = (at + 1) & (table->capacity - 1);
  table->slots[at] = slot;
}

static bool fold_table_grow(struct fold_table *table, const pprofc_allocator *mem) {
  struct fold_table larger = {NULL, table->capacity ? table->capacity * 2 : LEAST_SLOTS,
                              table->count};
  larger.slots = mem_zero_array(mem, larger.capacity, sizeof *larger.slots);
  if (!larger.slots) return false;
  for (size_t i = 0; i < table->capacity; i++)
    if (table->slots[i]) fold_table_put(&larger, table->slots[i]);
  fold_table_free(table, mem);
  *table = larger;
  return true;
}

bool fold_table_insert(struct fold_table *table, const pprofc_allocator *mem, uint64_t hash,
                       uint32_t index) {
  if (table->count >= table->capacity / 4 * 3 && !fold_table_grow(table, mem)) return false;
  fold_table_put(table, (hash >> 32) << 32 | (index + 1));
  table->count++;
  return true;
}

void fold_table_free(struct fold_table *table, const pprofc_allocator *mem) {
  mem_free(mem, table->slots, table->capacity, sizeof *table->slots);
  *table = (struct fold_table){NULL, 0, 0};
}
