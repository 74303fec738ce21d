/* Adds up samples while they are read. An entry is the sum of samples with equal stacks. Samples
 * with different labels, or with the value 0 in different sample types, have different entries.
 *
 * For a sample type, reports list stacks in the order of their first samples with a value other
 * than 0. This is the order of the entries, because all samples of an entry are 0 in the same
 * types. If the order does not matter to a report, samples that are 0 in different types share an
 * entry.
 *
 * Negative values are never added up, because totals are sums of absolute values. Stacks are stored
 * as a tree (profile/stack_tree.h). */
#include "codec/fold/fold.h"
#include "core/array.h"
#include "core/threshold.h"

/* ---- the table --------------------------------------- */

/* Initial number of slots of a table. It is so large that malloc uses a memory mapping, which is
 * unmapped when the table grows. */
#define LEAST_SLOTS 32768

static void fold_table_put(struct fold_table *table, uint64_t slot) {
  size_t at = (size_t)(slot >> 32) & (table->capacity - 1);
  while (table->slots[at]) at = (at + 1) & (table->capacity - 1);
  table->slots[at] = slot;
}

static void fold_table_free(struct fold_table *table, const pprofc_allocator *mem) {
  mem_free(mem, table->slots, table->capacity, sizeof *table->slots);
  *table = (struct fold_table){NULL, 0, 0};
}

/* Doubles the table in place, because page faults in new memory cost more than moving the slots.
 * Removes each slot and inserts it again. Begins after a free slot, so that the first slot of each
 * chain (adjacent used slots) moves first. */
static bool fold_table_grow(struct fold_table *table, const pprofc_allocator *mem) {
  size_t old = table->capacity, start = 0;
  if (!ARRAY_RESERVE(mem, table->slots, table->capacity, old ? old * 2 : LEAST_SLOTS)) return false;
  uint64_t *slots = table->slots;
  memset(slots + old, 0, (table->capacity - old) * sizeof *slots);
  while (old && slots[start]) start++;
  for (size_t i = start + 1; i < start + old; i++) {
    uint64_t slot = slots[i & (old - 1)];
    slots[i & (old - 1)] = 0;
    if (slot) fold_table_put(table, slot);
  }
  return true;
}

/* Adds an index, below MAP_NONE - 1, with its hash. Returns false when out of memory. */
static bool fold_table_insert(struct fold_table *table, const pprofc_allocator *mem, uint64_t hash,
                              uint32_t index) {
  if (table->count >= table->capacity / 4 * 3 && !fold_table_grow(table, mem)) return false;
  fold_table_put(table, (hash >> 32) << 32 | (index + 1));
  table->count++;
  return true;
}

/* ---- columns ----------------------------------------- */

/* Initial size of a column in bytes. A block of this size has its own memory mapping, so it can
 * grow in place. Unused pages take no memory. */
#define COLUMN_LEAST THRESHOLD((size_t)1 << 18)

bool fold_column_reserve(struct fold_column *column, const pprofc_allocator *mem, size_t count,
                         size_t size) {
  size_t needed, bytes;
  if (__builtin_mul_overflow(count + 1, size, &needed)) return false;
  if (needed <= column->bytes) return true;
  if (!column->region) column->region = region_new(mem);
  if (!column->region) return false;
  bytes = array_capacity(column->bytes, needed < COLUMN_LEAST ? COLUMN_LEAST : needed);
  void *items = arena_grow(&column->region->arena, column->items, column->bytes, bytes);
  if (!items) return false;
  column->items = items;
  column->bytes = bytes;
  return true;
}

static bool fold_reserve(struct fold *f) {
  if (f->count < f->capacity) return true;
  size_t capacity = array_capacity(f->capacity, f->count + 1);
  if (capacity >= MAP_NONE - 1 ||
      !fold_column_reserve(&f->values, f->mem, capacity, f->width * sizeof(int64_t)) ||
      !fold_column_reserve(&f->refs, f->mem, capacity, sizeof(struct stack_ref)))
    return false;
  f->capacity = capacity;
  f->tree.refs = f->refs.items;
  return true;
}

static int64_t *fold_values(const struct fold *f, size_t entry) {
  return (int64_t *)f->values.items + entry * f->width;
}

/* ---- stacks ------------------------------------------ */

/* Returns the index of a chunk (a part of a stack). `level` is the number of chunks nearer to the
 * root. Adds the chunk if it is new. Returns 0 when out of memory. */
static uint32_t fold_chunk(struct fold *f, const struct stack_chunk *chunk, size_t level) {
  uint32_t *latest = &f->latest[level % FOLD_LATEST];
  if (*latest && memcmp(&f->tree.chunks[*latest], chunk, sizeof *chunk) == 0) return *latest;
  uint64_t hash = hash_bytes(chunk, sizeof *chunk);
  struct fold_probe probe = fold_table_start(&f->chunk_table, hash);
  uint32_t index;
  while ((index = fold_table_next(&f->chunk_table, &probe)) != MAP_NONE)
    if (memcmp(&f->tree.chunks[index], chunk, sizeof *chunk) == 0) return *latest = index;
  if (!fold_column_reserve(&f->chunks, f->mem, f->tree.chunk_count + 1, sizeof *chunk)) return 0;
  f->tree.chunks = f->chunks.items;
  index = (uint32_t)f->tree.chunk_count + 1;
  if (index >= FOLD_SAME - 1 || !fold_table_insert(&f->chunk_table, f->mem, hash, index)) return 0;
  ((struct stack_chunk *)f->chunks.items)[index] = *chunk;
  f->tree.chunk_count++;
  return *latest = index;
}

/* Adds a stack to the tree, and stores its position in *ref. */
static bool fold_keep_stack(struct fold *f, const uint8_t *data, size_t size,
                            struct stack_ref *ref) {
  size_t rest = size % STACK_CHUNK;
  if (!f->leaf_bytes)
    f->leaf_bytes = STACK_CHUNK; /* the first STACK_CHUNK bytes of `leaves` stay 0 (stack_tree.h) */
  if (size > UINT32_MAX / 2 || f->leaf_bytes + rest > UINT32_MAX ||
      !(f->joins || fold_note_ids(f, data, size)) ||
      !fold_column_reserve(&f->leaves, f->mem, f->leaf_bytes + rest, 1))
    return false;
  if (f->leaf_bytes == STACK_CHUNK) memset(f->leaves.items, 0, STACK_CHUNK);
  struct stack_chunk chunk = {0};
  for (size_t at = size; at > rest;) {
    at -= STACK_CHUNK;
    memcpy(chunk.bytes, data + at, STACK_CHUNK);
    chunk.parent = fold_chunk(f, &chunk, (size - at) / STACK_CHUNK - 1);
    if (!chunk.parent) return false;
  }
  f->tree.leaves = f->leaves.items;
  *ref = (struct stack_ref){chunk.parent, (uint32_t)f->leaf_bytes, (uint32_t)size, 0};
  if (rest) memcpy((uint8_t *)f->leaves.items + f->leaf_bytes, data, rest);
  f->leaf_bytes += rest;
  if (size > f->tree.longest) f->tree.longest = (uint32_t)size;
  return true;
}

/* ---- entries ----------------------------------------- */

/* True if the entry has the stack of the sample, and is the first entry with this stack. */
static bool fold_has_stack(const struct fold *f, uint32_t entry, const struct fold_parts *p) {
  const struct stack_ref *ref = &fold_refs(f)[entry];
  return ref->chunk != FOLD_SAME && ref->size == p->stack_size &&
         stack_tree_equal(&f->tree, ref, p->stack);
}

/* Returns a bit mask of the sample types in which the sample is 0. Returns 0 if the report ignores
 * the order of entries. Samples that are 0 in different types may then share an entry. */
static uint64_t fold_zero_types(const struct fold *f, const int64_t *values) {
  uint64_t zeros = 0;
  for (size_t t = 0; t < f->width && (f->labels || !f->as_tree); t++)
    zeros |= (uint64_t)(values[t] == 0) << t;
  return zeros;
}

/* True if the sample may be added to the entry. Both must have the same labels and the same
 * fold_zero_types. Unless `joins` is set, the entry must have no negative value. The caller has
 * compared the stacks. */
static bool fold_fits(const struct fold *f, uint32_t entry, const struct fold_parts *p) {
  const int64_t *values = fold_values(f, entry);
  for (size_t t = 0; t < f->width && !f->joins; t++)
    if (values[t] < 0) return false;
  return fold_refs(f)[entry].label_set == p->set &&
         fold_zero_types(f, values) == fold_zero_types(f, p->row);
}

/* Appends an entry with the values of the sample. */
static bool fold_append(struct fold *f, const struct fold_parts *p, struct stack_ref ref) {
  if (!fold_reserve(f)) return false;
  memcpy(fold_values(f, f->count), p->row, f->width * sizeof *p->row);
  ref.label_set = p->set;
  fold_refs(f)[f->count++] = ref;
  return true;
}

/* Adds the sample to `entry`. If a sum would overflow, appends a new entry with the sample's values
 * instead. The stack's first entry is `first`. */
static bool fold_add(struct fold *f, uint32_t entry, uint32_t first, const struct fold_parts *p) {
  int64_t *values = fold_values(f, entry), sum[FOLD_TYPES_MAX];
  for (size_t t = 0; t < f->width; t++)
    if (__builtin_add_overflow(values[t], p->row[t], &sum[t]) && !f->joins)
      return fold_append(f, p, (struct stack_ref){.chunk = FOLD_SAME, .leaf = first});
  memcpy(values, sum, f->width * sizeof *sum);
  return true;
}

/* Adds a sample whose stack is equal to the stack of the entry `first`. Adds its values to an entry
 * with the same stack and labels if the sample and the entry are 0 in the same sample types.
 * Otherwise appends an entry. Also appends one if a value is negative, or if `in_order` is set. */
static bool fold_add_variant(struct fold *f, uint32_t first, const struct fold_parts *p) {
  const struct stack_ref same = {.chunk = FOLD_SAME, .leaf = first};
  if (p->negative || f->in_order) return fold_append(f, p, same);
  if (fold_fits(f, first, p)) return fold_add(f, first, first, p);
  uint64_t hash = hash_mix(p->hash, (uint64_t)p->set << 32 | fold_zero_types(f, p->row));
  struct fold_probe probe = fold_table_start(&f->entries, hash);
  uint32_t other;
  while ((other = fold_table_next(&f->entries, &probe)) != MAP_NONE) {
    const struct stack_ref *ref = &fold_refs(f)[other];
    if (ref->chunk == FOLD_SAME && ref->leaf == first && fold_fits(f, other, p))
      return fold_add(f, other, first, p);
  }
  return fold_table_insert(&f->entries, f->mem, hash, (uint32_t)f->count) &&
         fold_append(f, p, same);
}

bool fold_add_entry(struct fold *f, const struct fold_parts *p) {
  struct fold_probe probe = fold_table_start(&f->entries, p->hash);
  uint32_t entry;
  while ((entry = fold_table_next(&f->entries, &probe)) != MAP_NONE)
    if (fold_has_stack(f, entry, p)) return fold_add_variant(f, entry, p);
  struct stack_ref ref;
  return fold_keep_stack(f, p->stack, p->stack_size, &ref) &&
         fold_table_insert(&f->entries, f->mem, p->hash, (uint32_t)f->count) &&
         fold_append(f, p, ref);
}

/* ---- prefetching ------------------------------------- */

void fold_fetch_slot(const struct fold *f, uint64_t hash) {
  if (f->entries.capacity)
    __builtin_prefetch(&f->entries.slots[fold_table_start(&f->entries, hash).at]);
}

uint32_t fold_fetch_entry(const struct fold *f, uint64_t hash) {
  struct fold_probe probe = fold_table_start(&f->entries, hash);
  uint32_t entry = fold_table_next(&f->entries, &probe);
  if (entry == MAP_NONE) return entry;
  __builtin_prefetch(&fold_refs(f)[entry]);
  __builtin_prefetch(fold_values(f, entry), 1);
  return entry;
}

void fold_fetch_stack(const struct fold *f, uint32_t entry) {
  const struct stack_ref *ref = fold_ref(f, entry);
  if (ref->size % STACK_CHUNK) __builtin_prefetch(f->tree.leaves + ref->leaf);
  if (ref->chunk) __builtin_prefetch(&f->tree.chunks[ref->chunk]);
}

/* ---- beginning and end ------------------------------- */

void fold_init(struct fold *f, const pprofc_allocator *mem, const pprofc_limits *limits) {
  *f = (struct fold){.mem = mem, .limits = limits, .only = SIZE_MAX};
  hash_init();
  label_table_init(&f->label_table, mem, NULL, NULL);
  buffer_init(&f->joined, mem, SIZE_MAX / 2);
}

/* Moves the value with the index from[i] of a column to the index i, for each i. Copies the values
 * into a new block, which is faster than swapping. */
static bool fold_reorder(struct fold *f, struct fold_column *column, const uint32_t *from,
                         size_t size) {
  struct fold_column sorted = {0};
  if (!f->count) return true;
  if (!fold_column_reserve(&sorted, f->mem, f->count - 1, size)) {
    if (sorted.region) region_release(sorted.region);
    return false;
  }
  for (size_t i = 0; i < f->count; i++)
    memcpy((char *)sorted.items + i * size, (char *)column->items + from[i] * size, size);
  region_release(column->region);
  *column = sorted;
  return true;
}

/* Sorts the values of the entries by their stacks, unless `in_order` is set. The references to the
 * stacks stay unsorted: f->order maps each entry to the index of its reference. */
static bool fold_sort(struct fold *f) {
  for (size_t i = 0; i < f->count; i++) {
    uint32_t set = fold_refs(f)[i].label_set;
    fold_refs(f)[i] = *fold_ref(f, i);
    fold_refs(f)[i].label_set = set;
  }
  if (!fold_column_reserve(&f->order, f->mem, f->count, sizeof(uint32_t))) return false;
  uint32_t *from = f->order.items;
  for (size_t i = 0; i < f->count && f->in_order; i++) from[i] = (uint32_t)i;
  if (f->in_order) return true;
  return stack_tree_order(&f->tree, f->count, f->mem, from) &&
         fold_reorder(f, &f->values, from, f->width * sizeof(int64_t));
}

static void fold_free_tables(struct fold *f) {
  fold_table_free(&f->entries, f->mem);
  fold_table_free(&f->chunk_table, f->mem);
  map_free(&f->label_table.map);
  buffer_free(&f->joined);
}

bool fold_settle(void *context) {
  struct fold *f = context;
  fold_free_tables(f);
  return !f->as_tree || fold_sort(f);
}

void fold_free(struct fold *f) {
  struct fold_column *columns[] = {&f->values, &f->refs,   &f->label, &f->sets,
                                   &f->chunks, &f->leaves, &f->order};
  for (size_t i = 0; i < COUNT(columns); i++)
    if (columns[i]->region) region_release(columns[i]->region);
  if (f->stacks) region_release(f->stacks);
  fold_free_tables(f);
}
