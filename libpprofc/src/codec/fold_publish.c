/* From entries to the samples of a profile. */
#include "codec/fold.h"

#include "profile/stack.h"

/* What is left of a column when it is full is given back where that is more than this. */
#define TRIM_FROM ((size_t)1 << 20)

/* Hands a column over: the profile's region keeps it alive. */
static bool fold_hand_over(struct region *to, struct fold_column *column, size_t count,
                           size_t size) {
  if (!column->region) return true;
  size_t bytes = count * size;
  if (bytes >= TRIM_FROM && bytes < column->bytes) {
    void *items = arena_grow(&column->region->arena, column->items, column->bytes, bytes);
    if (!items) return false;
    column->items = items;
    column->bytes = bytes;
  }
  return region_adopt(to, column->region);
}

/* Whether every id of the stacks is that of a location. */
static bool fold_ids_known(const struct fold *f, const struct id_map *ids) {
  const uint8_t *const *stacks = f->stack.items;
  const uint32_t *sizes = f->stack_size.items;
  if (!ids->ids) return !f->id_zero && f->largest_id <= ids->count;
  for (size_t i = 0; i < f->count; i++) {
    const uint8_t *at = stacks[i], *end = at + sizes[i];
    uint64_t id;
    while (at < end)
      if (varint_read(&at, end, &id) != VARINT_GOOD || id_map_find(ids, id) == MAP_NONE)
        return false;
  }
  return true;
}

/* Writes a stack anew, each frame as index + 1. */
static bool fold_rewrite_stack(const struct decoder *d, const uint8_t **stack, uint32_t *size) {
  const uint8_t *at = *stack, *end = at + *size;
  size_t bytes = 0;
  uint64_t id;
  while (at < end && varint_read(&at, end, &id) == VARINT_GOOD)
    bytes += varint_bytes((uint64_t)id_map_find(&d->location_ids, id) + 1);
  uint8_t *out = bytes <= UINT32_MAX ? arena_alloc(d->arena, bytes) : NULL;
  if (!out) return false;
  bytes = 0;
  at = *stack;
  while (at < end && varint_read(&at, end, &id) == VARINT_GOOD)
    bytes += varint_put(out + bytes, (uint64_t)id_map_find(&d->location_ids, id) + 1);
  *stack = out;
  *size = (uint32_t)bytes;
  return true;
}

/* A table from sparse ids to locations would be too large (codec/pprof_samples.c). */
static bool fold_rewrite(struct fold *f, const struct decoder *d) {
  const uint8_t **stacks = f->stack.items;
  uint32_t *sizes = f->stack_size.items;
  if (!d->location_ids.ids || d->location_ids.table) return true;
  for (size_t i = 0; i < f->count; i++)
    if (!fold_rewrite_stack(d, &stacks[i], &sizes[i])) return false;
  return true;
}

static bool fold_hand_over_all(struct fold *f, struct region *to) {
  return region_adopt(to, f->stacks) &&
         fold_hand_over(to, &f->values, f->count, f->types * sizeof(int64_t)) &&
         fold_hand_over(to, &f->stack, f->count, sizeof(uint8_t *)) &&
         fold_hand_over(to, &f->stack_size, f->count, sizeof(uint32_t)) &&
         fold_hand_over(to, &f->label_set, f->count, sizeof(uint32_t)) &&
         fold_hand_over(to, &f->label, f->label_count, sizeof(struct label)) &&
         fold_hand_over(to, &f->sets, f->label_table.count + 1, sizeof(struct label_set));
}

bool fold_publish(struct fold *f, struct decoder *d) {
  struct segment *segment = arena_zero_array(d->arena, 1, sizeof *segment);
  if (f->count && f->types != d->types) return false;
  if (!segment || f->largest_string >= d->strings || !fold_ids_known(f, &d->location_ids) ||
      !fold_rewrite(f, d) || !fold_hand_over_all(f, d->profile->region))
    return false;
  segment->map = d->location_ids.table;
  if (segment->map) segment->map_size = (size_t)d->location_ids.table_size;
  struct samples *samples = &d->profile->samples;
  *samples = (struct samples){
      .count = f->count,
      .values = f->values.items,
      .stack = f->stack.items,
      .stack_size = f->stack_size.items,
      .segments = segment,
      .segment_count = f->count > 0,
      .max_depth = f->max_depth,
  };
  if (!f->label_table.count) return true;
  struct label_set *sets = f->sets.items;
  sets[0] = (struct label_set){0, 0};
  samples->label_set = f->label_set.items;
  samples->label_sets = sets;
  samples->label_set_count = f->label_table.count + 1;
  samples->labels = f->label.items;
  return true;
}
