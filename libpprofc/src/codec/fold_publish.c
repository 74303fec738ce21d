/* From entries to the samples of a profile. */
#include "codec/fold.h"

#include "profile/stack.h"

/* What is left of a column when it is full is given back where that is more than this. */
#define TRIM_FROM ((size_t)1 << 20)

bool fold_hand_over(struct region *to, struct fold_column *column, size_t count, size_t size) {
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
  const uint8_t *const *stacks = f->stack;
  const uint32_t *sizes = f->stack_size;
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
  const uint8_t **stacks = f->stack;
  uint32_t *sizes = f->stack_size;
  if (!d->location_ids.ids || d->location_ids.table) return true;
  for (size_t i = 0; i < f->count; i++)
    if (!fold_rewrite_stack(d, &stacks[i], &sizes[i])) return false;
  return true;
}

/* Stacks as most readers want them: each in one piece, those of one stack together. */
static bool fold_expand(struct fold *f) {
  size_t bytes = 0;
  for (size_t i = 0; i < f->count; i++)
    if (fold_refs(f)[i].chunk != FOLD_SAME) bytes += fold_refs(f)[i].size;
  f->stacks = region_new(f->mem);
  if (!f->stacks) return false;
  f->stack = arena_array(&f->stacks->arena, f->count, sizeof *f->stack);
  f->stack_size = arena_array(&f->stacks->arena, f->count, sizeof *f->stack_size);
  uint8_t *out = arena_alloc(&f->stacks->arena, bytes);
  if (!f->stack || !f->stack_size || !out) return false;
  for (size_t i = 0; i < f->count; i++) {
    const struct stack_ref *ref = &fold_refs(f)[i];
    if (ref->chunk == FOLD_SAME) {
      f->stack[i] = f->stack[ref->leaf];
      f->stack_size[i] = f->stack_size[ref->leaf];
      continue;
    }
    stack_tree_copy(&f->tree, ref, out);
    f->stack[i] = out;
    f->stack_size[i] = ref->size;
    out += ref->size;
  }
  return true;
}

/* The label set of each sample; NULL when out of memory. */
static const uint32_t *fold_label_sets(struct fold *f, struct decoder *d) {
  struct region *to = d->profile->region;
  if (f->as_rows && fold_hand_over(to, &f->row_sets, f->count, sizeof(uint32_t)))
    return f->row_sets.items;
  uint32_t *label_set = f->as_rows ? NULL : arena_array(d->arena, f->count, sizeof *label_set);
  for (size_t i = 0; label_set && i < f->count; i++) label_set[i] = fold_refs(f)[i].label_set;
  return label_set;
}

static bool fold_publish_labels(struct fold *f, struct decoder *d) {
  struct samples *samples = &d->profile->samples;
  if (!f->label_table.count || !f->count) return true;
  const uint32_t *label_set = fold_label_sets(f, d);
  if (!label_set) return false;
  struct label_set *sets = f->sets.items;
  sets[0] = (struct label_set){0, 0};
  samples->label_set = label_set;
  samples->label_sets = sets;
  samples->label_set_count = f->label_table.count + 1;
  samples->labels = f->label.items;
  struct region *to = d->profile->region;
  return fold_hand_over(to, &f->label, f->label_count, sizeof(struct label)) &&
         fold_hand_over(to, &f->sets, f->label_table.count + 1, sizeof(struct label_set));
}

/* The tree itself, for readers that put stacks together (graph/delta.h). */
static bool fold_publish_tree(struct fold *f, struct decoder *d) {
  if (f->id_zero || f->largest_id > d->location_ids.count) return false;
  struct region *to = d->profile->region;
  if (!fold_hand_over(to, &f->refs, f->count, sizeof(struct stack_ref)) ||
      !fold_hand_over(to, &f->chunks, f->tree.chunk_count + 1, sizeof(struct stack_chunk)) ||
      !fold_hand_over(to, &f->leaves, f->leaf_bytes, 1))
    return false;
  struct stack_tree *tree = arena_copy(d->arena, &f->tree, sizeof f->tree);
  if (!tree) return false;
  tree->refs = f->refs.items;
  tree->count = f->count;
  tree->chunks = f->chunks.items;
  tree->leaves = f->leaves.items;
  tree->type = f->only == SIZE_MAX ? STACK_TREE_ALL : (uint32_t)f->only;
  d->profile->samples.tree = tree;
  return true;
}

static bool fold_publish_stacks(struct fold *f, struct decoder *d) {
  if (!fold_expand(f) || !fold_ids_known(f, &d->location_ids) || !fold_rewrite(f, d)) return false;
  d->profile->samples.stack = f->stack;
  d->profile->samples.stack_size = f->stack_size;
  return region_adopt(d->profile->region, f->stacks);
}

/* The values as they are, after which those that are trimmed may be elsewhere. */
static bool fold_publish_values(struct fold *f, struct decoder *d) {
  if (!fold_hand_over(d->profile->region, &f->values, f->count, f->width * sizeof(int64_t)))
    return false;
  d->profile->samples.values = f->values.items;
  return true;
}

/* Values of all types, where a profile that is no tree has those of one: the others are 0. */
static bool fold_widen(struct fold *f, struct decoder *d) {
  int64_t *values = arena_zero_array(d->arena, f->count, f->types * sizeof *values);
  if (!values) return false;
  const int64_t *kept = f->values.items;
  for (size_t i = 0; i < f->count; i++) values[i * f->types + f->only] = kept[i];
  d->profile->samples.values = values;
  return true;
}

/* Whether the tree can be what the profile has: ids are locations as they are, and no filter that
 * every report applies changes stacks. */
static bool fold_tree_serves(const struct fold *f, const struct decoder *d) {
  return f->compact && f->count && !d->location_ids.ids && !d->profile->drop_frames;
}

static bool fold_publish_samples(struct fold *f, struct decoder *d) {
  bool tree = !f->as_rows && fold_tree_serves(f, d);
  if (tree) return fold_publish_tree(f, d) && fold_publish_values(f, d);
  if (!(f->as_rows ? fold_publish_rows(f, d) : fold_publish_stacks(f, d))) return false;
  bool as_they_are = f->width == f->types || d->profile->samples.tree;
  return as_they_are ? fold_publish_values(f, d) : fold_widen(f, d);
}

bool fold_publish(struct fold *f, struct decoder *d) {
  struct segment *segment = arena_zero_array(d->arena, 1, sizeof *segment);
  if (f->types && f->types != d->types) return false; /* that of samples of 0, too */
  if (f->left_out && d->location_ids.ids) return false;
  if (!segment || f->largest_string >= d->strings) return false;
  d->profile->folded = true;
  d->profile->one_type = f->only != SIZE_MAX;
  segment->map = d->location_ids.table;
  if (segment->map) segment->map_size = (size_t)d->location_ids.table_size;
  d->profile->samples = (struct samples){
      .count = f->count,
      .segments = segment,
      .segment_count = f->count > 0,
      .max_depth = f->max_depth,
  };
  return fold_publish_samples(f, d) && fold_publish_labels(f, d);
}
