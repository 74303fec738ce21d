/* Adding samples up while they are read: one entry for each stack, and one more where equal stacks
 * differ in what a report can show.
 *
 * Every entry is a sum of samples that are zero in the same sample types. So the samples that count
 * in any one type come in the order of the first of each, as if none had been added up. Values
 * below zero are not added to others, because totals are sums of magnitudes. */
#include "codec/fold.h"

#include "core/array.h"

#define STACK_ROOM  ((size_t)256 * 1024)
#define CHECK_EVERY 8192u /* samples */
#define CHECK_UNTIL (8u * CHECK_EVERY)

/* ---- columns ----------------------------------------- */

bool fold_column_reserve(struct fold_column *column, const pprofc_allocator *mem, size_t count,
                         size_t size) {
  size_t needed, bytes;
  if (__builtin_mul_overflow(count + 1, size, &needed)) return false;
  if (needed <= column->bytes) return true;
  if (!column->region) column->region = region_new(mem);
  if (!column->region) return false;
  bytes = array_capacity(column->bytes, needed < 4096 ? 4096 : needed);
  void *items = arena_grow(&column->region->arena, column->items, column->bytes, bytes);
  if (!items) return false;
  column->items = items;
  column->bytes = bytes;
  return true;
}

static bool fold_reserve(struct fold *f) {
  if (f->count < f->capacity) return true;
  size_t capacity = array_capacity(f->capacity, f->count + 1);
  if (capacity >= MAP_NONE ||
      !fold_column_reserve(&f->values, f->mem, capacity, f->types * sizeof(int64_t)) ||
      !fold_column_reserve(&f->stack, f->mem, capacity, sizeof(uint8_t *)) ||
      !fold_column_reserve(&f->stack_size, f->mem, capacity, sizeof(uint32_t)) ||
      !fold_column_reserve(&f->label_set, f->mem, capacity, sizeof(uint32_t)))
    return false;
  f->capacity = capacity;
  return true;
}

static int64_t *fold_values(const struct fold *f, size_t entry) {
  return (int64_t *)f->values.items + entry * f->types;
}

static const uint8_t **fold_stacks(const struct fold *f) {
  return f->stack.items;
}

static uint32_t *fold_stack_sizes(const struct fold *f) {
  return f->stack_size.items;
}

static uint32_t *fold_label_sets(const struct fold *f) {
  return f->label_set.items;
}

/* ---- stacks ------------------------------------------ */

/* Notes the ids of a stack that was not there before; false when one cannot be read or there are
 * too many. */
static bool fold_note_ids(struct fold *f, const uint8_t *data, size_t size) {
  const uint8_t *at = data, *end = data + size;
  size_t depth = 0;
  for (uint64_t id; at < end; depth++) {
    if (varint_is_three(at, end)) {
      id = varint_three(at);
      at += 3;
    } else if (varint_read(&at, end, &id) != VARINT_GOOD) {
      return false;
    }
    if (id > f->largest_id) f->largest_id = id;
    f->id_zero |= id == 0;
  }
  if (depth > f->max_depth) f->max_depth = depth;
  return depth <= f->limits->stack_depth;
}

/* A copy of a stack that stays; NULL when it cannot be kept. */
static const uint8_t *fold_keep_stack(struct fold *f, const uint8_t *data, size_t size) {
  if (size > UINT32_MAX || !fold_note_ids(f, data, size)) return NULL;
  uint8_t *copy;
  if (size > STACK_ROOM / 16) {
    copy = arena_alloc(&f->stacks->arena, size);
  } else {
    if (size > f->room_left || !f->room) {
      f->room = arena_alloc(&f->stacks->arena, STACK_ROOM);
      f->room_left = f->room ? STACK_ROOM : 0;
    }
    copy = f->room;
    if (!copy) return NULL;
    f->room += size;
    f->room_left -= size;
  }
  if (copy && size) memcpy(copy, data, size);
  return copy;
}

/* ---- entries ----------------------------------------- */

static bool fold_same_stack(const struct fold *f, uint32_t entry, const struct fold_parts *p) {
  return fold_stack_sizes(f)[entry] == p->stack_size &&
         memcmp(fold_stacks(f)[entry], p->stack, p->stack_size) == 0;
}

/* Whether the sample may be added to the entry, which has its stack. */
static bool fold_fits(const struct fold *f, uint32_t entry, const struct fold_parts *p) {
  const int64_t *values = fold_values(f, entry);
  if (fold_label_sets(f)[entry] != p->set) return false;
  for (size_t t = 0; t < f->types; t++)
    if (values[t] < 0 || (values[t] == 0) != (p->row[t] == 0)) return false;
  return true;
}

/* What distinguishes samples of one stack. */
static uint64_t fold_variant(const struct fold *f, const struct fold_parts *p) {
  uint64_t variant = (uint64_t)p->set << 32;
  for (size_t t = 0; t < f->types; t++) variant |= (uint64_t)(p->row[t] == 0) << t;
  return variant;
}

/* A new entry, with a stack that stays. */
static bool fold_append(struct fold *f, const struct fold_parts *p, const uint8_t *stack) {
  if (!stack || !fold_reserve(f)) return false;
  memcpy(fold_values(f, f->count), p->row, f->types * sizeof *p->row);
  fold_stacks(f)[f->count] = stack;
  fold_stack_sizes(f)[f->count] = (uint32_t)p->stack_size;
  fold_label_sets(f)[f->count] = p->set;
  f->count++;
  return true;
}

/* Adds the sample to the entry; as a new one when a sum would pass 64 bits. */
static bool fold_add(struct fold *f, uint32_t entry, const struct fold_parts *p) {
  int64_t *values = fold_values(f, entry), sum[FOLD_TYPES_MAX];
  for (size_t t = 0; t < f->types; t++)
    if (__builtin_add_overflow(values[t], p->row[t], &sum[t]))
      return fold_append(f, p, fold_stacks(f)[entry]);
  memcpy(values, sum, f->types * sizeof *sum);
  return true;
}

/* Adds a sample of which `entry` has the stack. */
static bool fold_add_variant(struct fold *f, uint32_t entry, const struct fold_parts *p) {
  const uint8_t *stack = fold_stacks(f)[entry];
  if (p->negative) return fold_append(f, p, stack);
  if (fold_fits(f, entry, p)) return fold_add(f, entry, p);
  uint64_t hash = hash_mix(p->hash, fold_variant(f, p));
  struct map_probe probe = map_start(&f->map, hash);
  uint32_t other;
  while ((other = map_next(&f->map, &probe)) != MAP_NONE)
    if (fold_stacks(f)[other] == stack && fold_fits(f, other, p)) return fold_add(f, other, p);
  return map_insert(&f->map, hash, (uint32_t)f->count) && fold_append(f, p, stack);
}

static bool fold_put(struct fold *f, const struct fold_parts *p) {
  struct map_probe probe = map_start(&f->map, p->hash);
  uint32_t entry;
  while ((entry = map_next(&f->map, &probe)) != MAP_NONE)
    if (fold_same_stack(f, entry, p)) return fold_add_variant(f, entry, p);
  return map_insert(&f->map, p->hash, (uint32_t)f->count) &&
         fold_append(f, p, fold_keep_stack(f, p->stack, p->stack_size));
}

/* ---- batches ----------------------------------------- */

/* An entry is anywhere in memory. So samples are added in batches, and what the entries of a batch
 * consist of is asked for before it is needed: first the slot of the table, then the columns, then
 * the stack. */

#define LINE 64 /* bytes that are fetched together */

static void fold_fetch_columns(const struct fold *f, uint32_t entry) {
  __builtin_prefetch(&fold_stacks(f)[entry]);
  __builtin_prefetch(&fold_stack_sizes(f)[entry]);
  __builtin_prefetch(&fold_label_sets(f)[entry]);
  __builtin_prefetch(fold_values(f, entry), 1);
}

bool fold_flush(struct fold *f) {
  uint32_t entry[FOLD_BATCH];
  size_t count = f->batched;
  f->batched = 0;
  for (size_t i = 0; i < count; i++) {
    struct map_probe probe = map_start(&f->map, f->batch[i].hash);
    entry[i] = map_next(&f->map, &probe);
    if (entry[i] != MAP_NONE) fold_fetch_columns(f, entry[i]);
  }
  for (size_t i = 0; i < count; i++)
    for (size_t at = 0; entry[i] != MAP_NONE && at < f->batch[i].stack_size; at += LINE)
      __builtin_prefetch(fold_stacks(f)[entry[i]] + at);
  for (size_t i = 0; i < count; i++)
    if (!fold_put(f, &f->batch[i])) return false;
  return true;
}

/* Puts a sample that was read into the batch. */
static bool fold_put_later(struct fold *f, struct fold_parts *p) {
  p->negative = false;
  for (size_t t = 0; t < f->types; t++) p->negative |= p->row[t] < 0;
  if (p->negative && !f->labels) return false;
  p->hash = hash_bytes(p->stack, p->stack_size);
  if (f->map.capacity) __builtin_prefetch(&f->map.slots[map_start(&f->map, p->hash).position]);
  f->batched++;
  return (f->batched < FOLD_BATCH && p->pieces <= 1) || fold_flush(f);
}

/* ---- one sample -------------------------------------- */

/* One more run of location ids: the first is taken where it is, later ones make a copy of all. */
static bool fold_add_piece(struct fold *f, struct fold_parts *p, const uint8_t *data, size_t size) {
  if (!p->pieces++) {
    p->stack = data;
    p->stack_size = size;
    return true;
  }
  if (p->pieces == 2) {
    buffer_clear(&f->joined);
    buffer_add(&f->joined, p->stack, p->stack_size);
  }
  buffer_add(&f->joined, data, size);
  p->stack = (const uint8_t *)f->joined.data;
  p->stack_size = f->joined.size;
  return !f->joined.failed;
}

/* `head` is where the field begins. */
static bool fold_locations(struct fold *f, struct fold_parts *p, const struct wire_field *field,
                           const uint8_t *head, const uint8_t *end) {
  if (field->type == WIRE_BYTES) return fold_add_piece(f, p, field->data, field->size);
  uint64_t key;
  return field->type == WIRE_VARINT && varint_read(&head, end, &key) == VARINT_GOOD &&
         fold_add_piece(f, p, head, (size_t)(end - head));
}

static bool fold_add_values(struct fold_parts *p, const struct wire_field *field) {
  if (field->type == WIRE_VARINT) {
    if (p->values == FOLD_TYPES_MAX) return false;
    p->row[p->values++] = (int64_t)field->value;
    return true;
  }
  if (field->type != WIRE_BYTES) return false;
  struct wire w = {field->data, field->data + field->size, NULL};
  for (uint64_t value; w.at < w.end; p->row[p->values++] = (int64_t)value)
    if (p->values == FOLD_TYPES_MAX || !wire_varint(&w, &value)) return false;
  return true;
}

static bool fold_field(struct fold *f, struct fold_parts *p, const struct wire_field *field,
                       const uint8_t *head, const uint8_t *end) {
  size_t before = f->label_count;
  switch (field->number) {
  case SAMPLE_LOCATION:
    return fold_locations(f, p, field, head, end);
  case SAMPLE_VALUE:
    return fold_add_values(p, field);
  case SAMPLE_LABEL:
    if (field->type != WIRE_BYTES || !fold_label(f, field)) return false;
    p->labels += f->label_count - before;
    return true;
  default:
    return true;
  }
}

/* Whether enough samples were added to others lately: stacks that are all different are read
 * faster, and take less memory, where they are. Profiles repeat themselves more and more, so it is
 * asked only at the beginning. */
static bool fold_pays(struct fold *f) {
  f->samples++;
  if (f->samples % CHECK_EVERY || f->samples > CHECK_UNTIL || f->always) return true;
  size_t added = f->count - f->checked_count;
  f->checked_count = f->count;
  return added <= CHECK_EVERY / 16 * 15;
}

bool fold_sample(struct fold *f, const uint8_t *data, size_t size) {
  static const uint8_t nothing;
  struct wire w = {data, data + size, NULL};
  struct wire_field field;
  struct fold_parts *p = &f->batch[f->batched];
  p->stack = &nothing;
  p->stack_size = p->pieces = p->values = p->labels = 0;
  p->set = 0;
  while (w.at < w.end) {
    const uint8_t *head = w.at;
    if (!wire_next(&w, &field) || !fold_field(f, p, &field, head, w.at)) return false;
  }
  if (!f->types) f->types = p->values;
  if (!p->values || p->values != f->types) return false;
  if (p->labels && !fold_labels_end(f, p->labels, &p->set)) return false;
  return fold_put_later(f, p) && fold_pays(f);
}

/* ---- beginning and end ------------------------------- */

bool fold_init(struct fold *f, const pprofc_allocator *mem, const pprofc_limits *limits) {
  *f = (struct fold){.mem = mem, .limits = limits};
  map_init(&f->map, mem);
  label_table_init(&f->label_table, mem, NULL, NULL);
  buffer_init(&f->joined, mem, SIZE_MAX / 2);
  f->stacks = region_new(mem);
  return f->stacks != NULL;
}

void fold_settle(struct fold *f) {
  map_free(&f->map);
  map_free(&f->label_table.map);
  buffer_free(&f->joined);
}

void fold_free(struct fold *f) {
  struct region *regions[] = {
      f->values.region, f->stack.region, f->stack_size.region, f->label_set.region, f->label.region,
      f->sets.region,   f->stacks};
  for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
    if (regions[i]) region_release(regions[i]);
  fold_settle(f);
}
