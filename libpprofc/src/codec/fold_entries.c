/* Adding samples up while they are read: one entry for each stack, and one more where equal stacks
 * differ in what a report can show.
 *
 * Every entry is a sum of samples that are zero in the same sample types. So the samples that count
 * in any one type come in the order of the first of each, as if none had been added up; where the
 * order is free, zeros are added to others, too. Values below zero are not, because totals are sums
 * of magnitudes. Stacks are kept as a tree (profile/stack_tree.h). */
#include "codec/fold.h"

#include "core/array.h"

/* ---- columns ----------------------------------------- */

/* Bytes of a column at first: large enough to be mapped alone, so that it grows in place and leaves
 * nothing behind. What is not used takes no memory. */
#define COLUMN_LEAST ((size_t)1 << 18)

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

/* The index of a chunk; 0 when out of memory. */
static uint32_t fold_chunk(struct fold *f, const struct stack_chunk *chunk) {
  uint64_t hash = hash_bytes(chunk, sizeof *chunk);
  struct fold_probe probe = fold_table_start(&f->chunk_table, hash);
  uint32_t index;
  while ((index = fold_table_next(&f->chunk_table, &probe)) != MAP_NONE)
    if (memcmp(&f->tree.chunks[index], chunk, sizeof *chunk) == 0) return index;
  if (!fold_column_reserve(&f->chunks, f->mem, f->tree.chunk_count + 1, sizeof *chunk)) return 0;
  f->tree.chunks = f->chunks.items;
  index = (uint32_t)f->tree.chunk_count + 1;
  if (index >= FOLD_SAME - 1 || !fold_table_insert(&f->chunk_table, f->mem, hash, index)) return 0;
  ((struct stack_chunk *)f->chunks.items)[index] = *chunk;
  f->tree.chunk_count++;
  return index;
}

/* Puts a stack into the tree. */
static bool fold_keep_stack(struct fold *f, const uint8_t *data, size_t size,
                            struct stack_ref *ref) {
  size_t rest = size % STACK_CHUNK;
  if (!f->leaf_bytes) f->leaf_bytes = STACK_CHUNK; /* see stack_tree.h */
  if (size > UINT32_MAX / 2 || f->leaf_bytes + rest > UINT32_MAX || !fold_note_ids(f, data, size) ||
      !fold_column_reserve(&f->leaves, f->mem, f->leaf_bytes + rest, 1))
    return false;
  if (f->leaf_bytes == STACK_CHUNK) memset(f->leaves.items, 0, STACK_CHUNK);
  struct stack_chunk chunk = {0};
  for (size_t at = size; at > rest;) {
    at -= STACK_CHUNK;
    memcpy(chunk.bytes, data + at, STACK_CHUNK);
    chunk.parent = fold_chunk(f, &chunk);
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

/* Whether the entry is the first one with the stack. */
static bool fold_has_stack(const struct fold *f, uint32_t entry, const struct fold_parts *p) {
  const struct stack_ref *ref = &fold_refs(f)[entry];
  return ref->chunk != FOLD_SAME && ref->size == p->stack_size &&
         stack_tree_equal(&f->tree, ref, p->stack);
}

/* Whether the sample may be added to the entry, which has its stack. */
static bool fold_fits(const struct fold *f, uint32_t entry, const struct fold_parts *p) {
  const int64_t *values = fold_values(f, entry);
  if (fold_refs(f)[entry].label_set != p->set) return false;
  for (size_t t = 0; t < f->width; t++)
    if (values[t] < 0 || ((values[t] == 0) != (p->row[t] == 0) && !f->any_order)) return false;
  return true;
}

/* What distinguishes samples of one stack. */
static uint64_t fold_variant(const struct fold *f, const struct fold_parts *p) {
  uint64_t variant = (uint64_t)p->set << 32;
  for (size_t t = 0; t < f->width && !f->any_order; t++) variant |= (uint64_t)(p->row[t] == 0) << t;
  return variant;
}

/* A new entry. */
static bool fold_append(struct fold *f, const struct fold_parts *p, struct stack_ref ref) {
  if (!fold_reserve(f)) return false;
  memcpy(fold_values(f, f->count), p->row, f->width * sizeof *p->row);
  ref.label_set = p->set;
  fold_refs(f)[f->count++] = ref;
  return true;
}

/* Adds the sample to the entry; as a new one when a sum would pass 64 bits. */
static bool fold_add(struct fold *f, uint32_t entry, uint32_t first, const struct fold_parts *p) {
  int64_t *values = fold_values(f, entry), sum[FOLD_TYPES_MAX];
  for (size_t t = 0; t < f->width; t++)
    if (__builtin_add_overflow(values[t], p->row[t], &sum[t]))
      return fold_append(f, p, (struct stack_ref){.chunk = FOLD_SAME, .leaf = first});
  memcpy(values, sum, f->width * sizeof *sum);
  return true;
}

/* Adds a sample of which `first` has the stack. */
static bool fold_add_variant(struct fold *f, uint32_t first, const struct fold_parts *p) {
  const struct stack_ref same = {.chunk = FOLD_SAME, .leaf = first};
  if (p->negative) return fold_append(f, p, same);
  if (fold_fits(f, first, p)) return fold_add(f, first, first, p);
  uint64_t hash = hash_mix(p->hash, fold_variant(f, p));
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

/* ---- what is asked for before it is needed ----------- */

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

static void fold_swap_values(struct fold *f, size_t a, size_t b) {
  int64_t *x = fold_values(f, a), *y = fold_values(f, b);
  for (size_t t = 0; t < f->width; t++) {
    int64_t value = x[t];
    x[t] = y[t];
    y[t] = value;
  }
}

/* Moves each entry to the place that to[] has for it. */
static void fold_permute(struct fold *f, uint32_t *to) {
  struct stack_ref *refs = f->refs.items;
  for (size_t i = 0; i < f->count; i++) {
    while (to[i] != i) {
      uint32_t place = to[i];
      struct stack_ref ref = refs[place];
      refs[place] = refs[i];
      refs[i] = ref;
      fold_swap_values(f, i, place);
      to[i] = to[place];
      to[place] = place;
    }
  }
}

static bool fold_sort(struct fold *f) {
  for (size_t i = 0; i < f->count; i++) {
    uint32_t set = fold_refs(f)[i].label_set;
    fold_refs(f)[i] = *fold_ref(f, i);
    fold_refs(f)[i].label_set = set;
  }
  uint32_t *to = mem_array(f->mem, f->count, sizeof *to);
  bool done = to && stack_tree_order(&f->tree, f->count, f->mem, to);
  if (done) fold_permute(f, to);
  mem_free(f->mem, to, f->count, sizeof *to);
  return done;
}

static void fold_free_tables(struct fold *f) {
  fold_table_free(&f->entries, f->mem);
  fold_table_free(&f->chunk_table, f->mem);
  map_free(&f->label_table.map);
  buffer_free(&f->joined);
}

bool fold_settle(struct fold *f) {
  fold_free_tables(f);
  return !f->any_order || f->as_rows || fold_sort(f);
}

void fold_free(struct fold *f) {
  struct fold_column *columns[] = {&f->values,   &f->refs,         &f->label,        &f->sets,
                                   &f->chunks,   &f->leaves,       &f->rows,         &f->groups,
                                   &f->row_sets, &f->counts.sizes, &f->counts.leaves};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (columns[i]->region) region_release(columns[i]->region);
  if (f->stacks) region_release(f->stacks);
  fold_free_tables(f);
}
