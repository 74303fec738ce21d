/* Makes the samples of a profile from the entries (sums of equal samples). */
#include "codec/fold/fold.h"

#include "core/threshold.h"
#include "profile/stack.h"

/* The unused part of a column is freed only if the used part has at least this many bytes. */
#define GIVE_BACK_FROM THRESHOLD((size_t)1 << 20)

/* Makes the profile's region own a column. The data of the column may get another address. */
static bool fold_hand_over(struct region *to, struct fold_column *column, size_t count,
                           size_t size) {
  if (!column->region) return true;
  size_t bytes = count * size;
  if (bytes >= GIVE_BACK_FROM && bytes < column->bytes) {
    void *items = arena_grow(&column->region->arena, column->items, column->bytes, bytes);
    if (!items) return false;
    column->items = items;
    column->bytes = bytes;
  }
  return region_adopt(to, column->region);
}

/* ---- stacks as single pieces ------------------------- */

/* True if every id in the stacks is the id of a location. */
static bool fold_ids_known(const struct fold *f, const struct id_map *ids) {
  const uint8_t *const *stacks = f->stack;
  const uint32_t *sizes = f->stack_size;
  if (!ids->ids) return true;
  for (size_t i = 0; i < f->count; i++) {
    const uint8_t *at = stacks[i], *end = at + sizes[i];
    uint64_t id;
    while (at < end)
      if (varint_read(&at, end, &id) != VARINT_GOOD || id_map_find(ids, id) == MAP_NONE)
        return false;
  }
  return true;
}

/* Copies a stack. Replaces each id by the index of its location plus 1. */
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

/* Replaces the ids in all stacks by indices of locations. Used if the ids are too sparse for a
 * table of ids (see rewrite_stack in codec/pprof_samples.c). */
static bool fold_rewrite(struct fold *f, const struct decoder *d) {
  const uint8_t **stacks = f->stack;
  uint32_t *sizes = f->stack_size;
  if (!d->location_ids.ids || d->location_ids.table) return true;
  for (size_t i = 0; i < f->count; i++)
    if (!fold_rewrite_stack(d, &stacks[i], &sizes[i])) return false;
  return true;
}

/* Copies each stack from the chunks of the tree into adjacent bytes. Entries with the same stack
 * share the copy. */
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

static bool fold_publish_stacks(struct fold *f, struct decoder *d) {
  if (!fold_expand(f) || !fold_ids_known(f, &d->location_ids) || !fold_rewrite(f, d)) return false;
  d->profile->samples.stack = f->stack;
  d->profile->samples.stack_size = f->stack_size;
  return region_adopt(d->profile->region, f->stacks);
}

/* ---- columns ----------------------------------------- */

bool fold_publish_sets(const struct fold *f, pprofc_profile *p) {
  uint32_t *set = arena_array(&p->region->arena, f->count, sizeof *set);
  if (!set) return false;
  const uint32_t *order = f->order.items;
  for (size_t i = 0; i < f->count; i++) set[i] = fold_refs(f)[order ? order[i] : i].label_set;
  p->samples.label_set = set;
  return true;
}

static bool fold_publish_labels(struct fold *f, pprofc_profile *p) {
  size_t sets = f->label_table.count + 1;
  if (sets == 1 || !f->count) return true;
  if (!fold_publish_sets(f, p) ||
      !fold_hand_over(p->region, &f->label, f->label_count, sizeof(struct label)) ||
      !fold_hand_over(p->region, &f->sets, sets, sizeof(struct label_set)))
    return false;
  ((struct label_set *)f->sets.items)[0] = (struct label_set){0, 0};
  p->samples.label_sets = f->sets.items;
  p->samples.label_set_count = sets;
  p->samples.labels = f->label.items;
  return true;
}

static bool fold_publish_values(struct fold *f, pprofc_profile *p) {
  if (!fold_hand_over(p->region, &f->values, f->count, f->width * sizeof(int64_t))) return false;
  p->samples.values = f->values.items;
  return true;
}

bool fold_publish_tree(struct fold *f, pprofc_profile *p) {
  if (!fold_hand_over(p->region, &f->refs, f->count, sizeof(struct stack_ref)) ||
      !fold_hand_over(p->region, &f->chunks, f->tree.chunk_count + 1, sizeof(struct stack_chunk)) ||
      !fold_hand_over(p->region, &f->leaves, f->leaf_bytes, 1) ||
      !fold_hand_over(p->region, &f->order, f->count, sizeof(uint32_t)))
    return false;
  struct stack_tree *tree = arena_copy(&p->region->arena, &f->tree, sizeof f->tree);
  if (!tree) return false;
  tree->refs = f->refs.items;
  tree->count = f->count;
  tree->chunks = f->chunks.items;
  tree->leaves = f->leaves.items;
  tree->ref_count = f->count;
  tree->sorted = f->order.items;
  tree->type = f->width == f->types ? STACK_TREE_ALL : (uint32_t)f->only;
  tree->labels = !f->lost_labels;
  p->samples.tree = tree;
  p->samples.count = f->count;
  p->samples.stack = NULL;
  p->samples.stack_size = NULL;
  return fold_publish_values(f, p);
}

/* True if the profile can have a stack tree. Its location ids must be 1, 2, 3 and so on. It must
 * not set drop_frames, because reports remove the frames that match it from the stacks. */
static bool fold_tree_serves(const struct fold *f, const struct decoder *d) {
  return f->count && !d->location_ids.ids && !d->profile->drop_frames;
}

/* True if the profile has the strings, types and locations of the entries. Checks the ids in stacks
 * only if location ids are 1, 2, 3 and so on; otherwise later steps check the ids. */
static bool fold_fits_tables(const struct fold *f, const struct decoder *d) {
  /* A wrong number of values is an error, even if all values are 0. */
  if (f->types && f->types != d->types) return false;
  if (f->largest_string >= d->strings) return false;
  if (d->location_ids.ids) return !f->left_out;
  return !f->id_zero && f->largest_id <= d->location_ids.count;
}

bool fold_publish(void *context, struct decoder *d) {
  struct fold *f = context;
  pprofc_profile *p = d->profile;
  struct segment *segment = arena_zero_array(d->arena, 1, sizeof *segment);
  if (!segment || !fold_fits_tables(f, d)) return false;
  p->folded = true;
  segment->map = d->location_ids.table;
  if (segment->map) segment->map_size = (size_t)d->location_ids.table_size;
  p->samples = (struct samples){
      .count = f->count,
      .segments = segment,
      .segment_count = f->count > 0,
      .max_depth = f->max_depth,
  };
  if (!fold_publish_labels(f, p)) return false;
  if (f->as_tree) return fold_tree_serves(f, d) && fold_publish_tree(f, p);
  return fold_publish_stacks(f, d) && fold_publish_values(f, p);
}
