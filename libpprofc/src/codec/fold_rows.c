/* Samples that are not added up, because hardly any stack comes twice: their stacks become rows,
 * one behind the other (profile/stack_tree.h). One thread inflates, another one writes the rows,
 * and of the stream nothing else stays. */
#include "codec/fold.h"

#include "core/array.h"
#include "profile/stack.h"

#define ROW_STACK_MAX (UINT32_MAX / 2)

static int64_t *fold_values_of_rows(const struct fold *f) {
  return f->values.items;
}

/* Room for a row and its values, and its place in the index. */
static bool fold_reserve_row(struct fold *f, size_t stack_size) {
  size_t group = f->count / STACK_ROW_GROUP;
  if (f->count >= MAP_NONE ||
      !fold_column_reserve(&f->rows, f->mem, f->row_bytes + VARINT32_BYTES_MAX + stack_size, 1) ||
      !fold_column_reserve(&f->values, f->mem, f->count, f->width * sizeof(int64_t)))
    return false;
  if (f->labels && !fold_column_reserve(&f->row_sets, f->mem, f->count, sizeof(uint32_t)))
    return false;
  if (f->count % STACK_ROW_GROUP) return true;
  if (!fold_column_reserve(&f->groups, f->mem, group, sizeof(size_t))) return false;
  ((size_t *)f->groups.items)[group] = f->row_bytes;
  return true;
}

bool fold_add_row(struct fold *f, const struct fold_parts *p) {
  if (p->set && !f->labels) return false; /* keys and units of labels, of which a row has none */
  if (p->stack_size > ROW_STACK_MAX || !fold_reserve_row(f, p->stack_size)) return false;
  bool good = f->counts.on ? fold_count_row(f, p->stack, p->stack_size, p->row[0])
                           : fold_note_ids(f, p->stack, p->stack_size);
  if (!good) return false;
  uint8_t *out = (uint8_t *)f->rows.items + f->row_bytes;
  size_t head = varint_put(out, p->stack_size);
  if (p->stack_size) memcpy(out + head, p->stack, p->stack_size);
  f->row_bytes += head + p->stack_size;
  if (f->labels) ((uint32_t *)f->row_sets.items)[f->count] = p->set;
  memcpy(fold_values_of_rows(f) + f->count * f->width, p->row, f->width * sizeof *p->row);
  f->count++;
  fold_counts_check(f);
  return true;
}

/* ---- the stacks of a profile ------------------------- */

static bool fold_ids_of_row_known(const struct id_map *ids, const uint8_t *at, const uint8_t *end) {
  uint64_t id;
  while (at < end)
    if (varint_read(&at, end, &id) != VARINT_GOOD || id_map_find(ids, id) == MAP_NONE) return false;
  return true;
}

/* Whether every id is that of a location, and none has to be written anew. */
static bool fold_ids_of_rows_serve(const struct fold *f, const struct id_map *ids) {
  if (!ids->ids) return !f->id_zero && f->largest_id <= ids->count;
  const uint8_t *at = f->rows.items;
  bool known = ids->table != NULL;
  for (size_t i = 0; i < f->count && known; i++) {
    uint32_t size;
    at = varint_next(at, &size);
    known = fold_ids_of_row_known(ids, at, at + size);
    at += size;
  }
  return known;
}

/* Columns, for readers of any kind. The stacks stay where they are. */
static bool fold_columns_of_rows(const struct fold *f, struct decoder *d) {
  struct samples *s = &d->profile->samples;
  const uint8_t **stack = arena_array(d->arena, f->count, sizeof *stack);
  uint32_t *stack_size = arena_array(d->arena, f->count, sizeof *stack_size);
  if (!stack || !stack_size) return false;
  const uint8_t *at = f->rows.items;
  for (size_t i = 0; i < f->count; i++) {
    stack[i] = varint_next(at, &stack_size[i]);
    at = stack[i] + stack_size[i];
  }
  s->stack = stack;
  s->stack_size = stack_size;
  return true;
}

/* The rows themselves, for readers that take one after the other. */
static bool fold_tree_of_rows(struct fold *f, struct decoder *d) {
  struct stack_tree *tree = arena_zero_array(d->arena, 1, sizeof *tree);
  if (!tree) return false;
  tree->rows = f->rows.items;
  tree->row_groups = f->groups.items;
  tree->type = f->only == SIZE_MAX ? STACK_TREE_ALL : (uint32_t)f->only;
  d->profile->samples.tree = tree;
  return fold_publish_counts(f, d, tree);
}

bool fold_publish_rows(struct fold *f, struct decoder *d) {
  struct region *to = d->profile->region;
  size_t groups = f->count / STACK_ROW_GROUP + (f->count % STACK_ROW_GROUP != 0);
  fold_counts_note(f);
  if (!f->count || !fold_ids_of_rows_serve(f, &d->location_ids)) return false;
  if (!fold_hand_over(to, &f->rows, f->row_bytes, 1) ||
      !fold_hand_over(to, &f->groups, groups, sizeof(size_t)))
    return false;
  bool serves = f->compact && !d->profile->drop_frames;
  return serves ? fold_tree_of_rows(f, d) : fold_columns_of_rows(f, d);
}
