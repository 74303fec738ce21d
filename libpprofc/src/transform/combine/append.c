/* Makes the difference of two profiles: appends the samples of the second profile to the samples of
 * the first, and reuses the memory of the first. The result shares stack trees
 * (profile/stack_tree.h) with the two profiles. */
#include "transform/combine/diff.h"

#include "codec/codec.h"
#include "profile/stack_tree.h"
#include "transform/merge/merge.h"
#include "transform/transform.h"

enum { HEAD, BASE, SIDES };

struct append {
  struct merge m;
  pprofc_profile *profiles[SIDES];
  /* For head and for base: true if only this operation uses the profile and its columns. */
  bool ours[SIDES];
  bool joins;   /* true to add up equal samples of head and base; both must have stack trees */
  bool trees;   /* true if the profiles have stack trees; the result then keeps samples whose values
                   are 0 */
  size_t width; /* number of values of a sample */
  /* Numbers of samples that the result takes from head and from base, and their sum. */
  size_t kept[SIDES], total;
};

/* ---- tables to free ----------------------------------- */

static void drop(const struct append *a, int side, const void *column, size_t count, size_t size) {
  if (a->ours[side] && column) region_drop(a->profiles[side]->region, column, count * size);
}

static void drop_tables(const struct append *a, int side) {
  const pprofc_profile *p = a->profiles[side];
  const struct functions *f = &p->functions;
  const struct locations *l = &p->locations;
  size_t lines = l->count ? l->line_from[l->count] : 0;
  drop(a, side, f->ids, f->count, sizeof *f->ids);
  drop(a, side, f->name, f->count, sizeof *f->name);
  drop(a, side, f->system_name, f->count, sizeof *f->system_name);
  drop(a, side, f->filename, f->count, sizeof *f->filename);
  drop(a, side, f->start_line, f->count, sizeof *f->start_line);
  drop(a, side, l->ids, l->count, sizeof *l->ids);
  drop(a, side, l->address, l->count, sizeof *l->address);
  drop(a, side, l->mapping, l->count, sizeof *l->mapping);
  drop(a, side, l->line_from, l->count + 1, sizeof *l->line_from);
  drop(a, side, l->lines, lines, sizeof *l->lines);
  drop(a, side, l->is_folded, l->count, sizeof *l->is_folded);
  drop(a, side, p->strings.items, p->strings.count, sizeof *p->strings.items);
}

/* ---- columns ----------------------------------------- */

/* Returns a column of head with space for the samples of head and base. Reuses the memory of the
 * column if possible, else makes a copy. */
static void *take_column(struct append *a, const void *column, size_t size) {
  struct arena *arena = &a->m.out->region->arena;
  size_t old = a->profiles[HEAD]->samples.count * size, new_size;
  if (__builtin_mul_overflow(a->total, size, &new_size)) return NULL;
  void *taken = NULL;
  if (a->ours[HEAD] && new_size >= old)
    taken = region_move(a->m.out->region, a->profiles[HEAD]->region, column, old, new_size);
  if (taken) return taken;
  taken = arena_alloc(arena, new_size > old ? new_size : old);
  if (taken && old) memcpy(taken, column, old);
  return taken;
}

/* True if the sample becomes part of the result. */
static bool append_keeps(const struct append *a, const struct samples *s, size_t sample) {
  return a->trees || !values_are_zero(s->values + sample * a->width, a->width);
}

/* Copies a column to `to`, without the entries of samples that the result omits. Works in place if
 * `to` equals `from`. */
static void keep_entries(const struct append *a, int side, void *to, const void *from,
                         size_t size) {
  const struct samples *s = &a->profiles[side]->samples;
  size_t n = 0;
  if (a->kept[side] == s->count) {
    if (to != from && s->count) memcpy(to, from, s->count * size);
    return;
  }
  for (size_t i = 0; i < s->count; i++) {
    if (!append_keeps(a, s, i)) continue;
    memmove((char *)to + n * size, (const char *)from + i * size, size);
    n++;
  }
}

/* Stores the stack trees of head and base in the result. Each segment (the samples of one of the
 * two profiles) has its own tree. */
static bool append_trees(struct append *a) {
  struct samples *out = &a->m.out->samples;
  struct stack_tree *trees = arena_array(&a->m.out->region->arena, SIDES, sizeof *trees);
  if (!trees) return false;
  for (int side = 0; side < SIDES; side++) {
    const struct samples *s = &a->profiles[side]->samples;
    trees[side] = *s->tree;
    if (s->max_depth > out->max_depth) out->max_depth = s->max_depth;
  }
  out->tree = trees;
  return true;
}

static bool append_stacks(struct append *a) {
  struct samples *out = &a->m.out->samples;
  struct samples *head = &a->profiles[HEAD]->samples, *base = &a->profiles[BASE]->samples;
  const uint8_t **stack = take_column(a, head->stack, sizeof *stack);
  if (!stack) return false;
  if (a->ours[HEAD]) head->stack = stack;
  keep_entries(a, HEAD, stack, stack, sizeof *stack);
  keep_entries(a, BASE, stack + a->kept[HEAD], base->stack, sizeof *stack);
  drop(a, BASE, base->stack, base->count, sizeof *stack);
  uint32_t *stack_size = take_column(a, head->stack_size, sizeof *stack_size);
  if (!stack_size) return false;
  if (a->ours[HEAD]) head->stack_size = stack_size;
  keep_entries(a, HEAD, stack_size, stack_size, sizeof *stack_size);
  keep_entries(a, BASE, stack_size + a->kept[HEAD], base->stack_size, sizeof *stack_size);
  drop(a, BASE, base->stack_size, base->count, sizeof *stack_size);
  out->stack = stack;
  out->stack_size = stack_size;
  out->max_depth = head->max_depth > base->max_depth ? head->max_depth : base->max_depth;
  return true;
}

/* Adds the label sets of a profile with a stack tree in the order of the file. The samples of the
 * tree have another order, because they are sorted by stack. Reports show the first unit that the
 * file has for a numeric key. Returns false when out of memory. */
static bool append_sets_of_tree(struct append *a, struct merge_labels *labels, uint32_t side) {
  const struct samples *s = &a->profiles[side]->samples;
  if (!s->tree || !s->label_set) return true;
  size_t *user = arena_array(&a->m.arena, s->label_set_count, sizeof *user);
  if (!user) return false;
  memset(user, 0xFF, s->label_set_count * sizeof *user);
  for (size_t i = 0; i < s->count; i++)
    if (append_keeps(a, s, i)) user[s->label_set[i]] = i;
  for (size_t k = 0; k < s->label_set_count; k++)
    if (user[k] != SIZE_MAX && merge_label_set(labels, side, user[k]) == NONE) return false;
  return true;
}

/* Sets the label set of each sample of head or of base. Returns false when out of memory. */
static bool append_label_sets(struct append *a, struct merge_labels *labels, uint32_t side,
                              uint32_t *set) {
  const struct samples *s = &a->profiles[side]->samples;
  size_t n = 0;
  if (!append_sets_of_tree(a, labels, side)) return false;
  for (size_t i = 0; i < s->count; i++) {
    if (!append_keeps(a, s, i)) continue;
    set[n] = n && !s->label_set ? set[0] : merge_label_set(labels, side, i);
    if (set[n++] == NONE) return false;
  }
  return true;
}

static bool append_labels(struct append *a) {
  struct merge_labels labels;
  uint32_t *set = arena_array(&a->m.out->region->arena, a->total, sizeof *set);
  if (!set || !merge_labels_open(&labels, &a->m, a->joins)) return false;
  bool ok = true;
  for (uint32_t side = HEAD; side < SIDES; side++) {
    const struct samples *s = &a->profiles[side]->samples;
    ok = ok && append_label_sets(a, &labels, side, set + (side ? a->kept[HEAD] : 0));
    drop(a, (int)side, s->label_set, s->count, sizeof *s->label_set);
  }
  merge_labels_close(&labels, ok ? set : NULL);
  return ok;
}

/* Makes the segments of the result: ranges of samples whose stacks use the same location numbers.
 * Each segment has a table (`map`) that translates these numbers to locations of the result. The
 * segments have only the samples for which append_keeps is true. */
static bool append_segments(struct append *a) {
  struct merge *m = &a->m;
  size_t n = 0, at = 0;
  struct segment *segments =
      arena_zero_array(&m->out->region->arena, m->segment_count + 1, sizeof *segments);
  if (!segments) return false;
  for (uint32_t side = HEAD; side < SIDES; side++) {
    const struct samples *s = &a->profiles[side]->samples;
    for (size_t i = 0; i < s->count; i++) {
      if (at < m->segment_count && m->segments[at].first == m->sources[side].first_sample + i) {
        segments[at].first = n;
        if (!merge_make_map(m, &m->segments[at], &segments[at])) return false;
        at++;
      }
      n += append_keeps(a, s, i);
    }
  }
  m->out->samples.segments = segments;
  m->out->samples.segment_count = at;
  return true;
}

/* Fills the values of the result. The caller first makes all other columns, because append_keeps
 * reads the old values. */
static bool append_values(struct append *a) {
  struct samples *head = &a->profiles[HEAD]->samples, *base = &a->profiles[BASE]->samples;
  size_t row = a->width * sizeof(int64_t);
  int64_t *values = take_column(a, head->values, row);
  if (!values) return false;
  if (a->ours[HEAD]) head->values = values;
  keep_entries(a, HEAD, values, values, row);
  int64_t *end = values + a->kept[HEAD] * a->width;
  keep_entries(a, BASE, end, base->values, row);
  for (size_t i = 0; i < a->kept[BASE] * a->width; i++) end[i] = edit_negate(end[i]);
  drop(a, BASE, base->values, base->count, row);
  a->m.out->samples.values = values;
  a->m.out->samples.count = a->total;
  return true;
}

/* ---- numbers ----------------------------------------- */

/* Marks the locations that the samples of a stack tree use. Returns false when out of memory. */
static bool append_mark_used(const struct append *a, int side, uint8_t *used) {
  const struct samples *s = &a->profiles[side]->samples;
  const uint32_t *map = s->segments[0].map;
  struct stack_cursor c;
  bool done = stack_cursor_init(&c, &a->m.out->mem, s->tree, 1);
  if (done) stack_cursor_enter(&c, s->tree, 0);
  for (size_t i = 0; done && i < s->count; i++) {
    if (values_are_zero(s->values + i * a->width, a->width)) continue;
    uint32_t shared = stack_cursor_move(&c, i), location;
    struct packed_stack rest = {c.end - c.size, c.end - shared, map};
    while (stack_take_leaf(&rest, &location)) used[location] = 1;
  }
  stack_cursor_free(&c, &a->m.out->mem);
  return done;
}

/* Numbers the locations that samples use. A merged location combines at most one location of each
 * profile (merge_is_one_to_one). It gets the fields of head's location if samples of head use that
 * location. */
static bool append_number_used(struct append *a) {
  uint8_t *used[SIDES];
  for (int side = 0; side < SIDES; side++) {
    used[side] = arena_zero_array(&a->m.tables, a->profiles[side]->locations.count, 1);
    if (!used[side] || !append_mark_used(a, side, used[side])) return false;
  }
  return merge_number_tables(&a->m, (const uint8_t *const *)used);
}

static bool append_number(struct append *a) {
  if (!a->m.ambiguous) return merge_number_tables(&a->m, NULL);
  return a->trees ? append_number_used(a) : merge_number_samples(&a->m);
}

/* ---- equal samples ----------------------------------- */

/* Makes a segment for the samples of head, and one for the samples of base. In their stacks, each
 * number means a merged location. */
static bool append_merged_segments(struct append *a) {
  struct samples *out = &a->m.out->samples;
  struct segment *segments = arena_array(&a->m.out->region->arena, SIDES, sizeof *segments);
  if (!segments) return false;
  for (int side = 0; side < SIDES; side++) {
    const struct merge_segment *from = &a->m.segments[side];
    segments[side] = (struct segment){side ? a->kept[HEAD] : 0, from->merged, from->size};
  }
  out->segments = segments;
  out->segment_count = SIDES;
  return true;
}

/* Drops the samples of the result whose values are all 0. */
static bool append_drop_zeros(struct append *a) {
  pprofc_profile *out = a->m.out;
  size_t count = out->samples.count;
  uint8_t *keep = mem_array(&out->mem, count, 1);
  for (size_t i = 0; keep && i < count; i++)
    keep[i] = !values_are_zero(out->samples.values + i * a->width, a->width);
  bool good = keep && edit_keep_samples(out, keep, NULL) == PPROFC_OK;
  mem_free(&out->mem, keep, count, 1);
  return good;
}

/* Fills the result with the sums of equal samples of head and base. Numbers the locations in the
 * order in which these sums use them. */
static bool append_sums(struct append *a) {
  struct merge *m = &a->m;
  return append_labels(a) && append_trees(a) && append_values(a) && append_merged_segments(a) &&
         fold_join(m->out) && append_drop_zeros(a) && merge_number_tree(m) && merge_write_tables(m);
}

/* ---- the whole --------------------------------------- */

static void open_sides(struct append *a, pprofc_profile *head, pprofc_profile *base) {
  a->profiles[HEAD] = head;
  a->profiles[BASE] = base;
  a->trees = head->samples.tree != NULL;
  a->width = profile_values_each(head);
  a->total = 0;
  for (int side = 0; side < SIDES; side++) {
    pprofc_profile *p = a->profiles[side];
    /* The result may reuse the columns of a profile if only the profile and the result refer to its
     * region. */
    a->ours[side] = head != base && p->references == 1 && p->region->references == 2;
    a->kept[side] = 0;
    for (size_t i = 0; i < p->samples.count; i++) a->kept[side] += append_keeps(a, &p->samples, i);
    a->total += a->kept[side];
  }
}

static bool append_columns(struct append *a) {
  struct merge *m = &a->m;
  if (!append_number(a)) return false;
  if (a->joins) return append_sums(a);
  if (!merge_write_tables(m)) return false;
  for (int side = 0; side < SIDES; side++) drop_tables(a, side);
  if (!append_segments(a) || !append_labels(a)) return false;
  return (a->trees ? append_trees(a) : append_stacks(a)) && append_values(a);
}

pprofc_status append_difference(pprofc_profile *head, pprofc_profile *base, pprofc_diff_kind kind,
                                pprofc_profile **difference, pprofc_error *error) {
  struct append a;
  const pprofc_profile *both[] = {head, base};
  pprofc_status status = compatible_check(head, base, error);
  if (status == PPROFC_OK) {
    bool ok = merge_begin(&a.m, both, SIDES, true);
    if (ok) a.m.sources[BASE].is_base = kind == PPROFC_COMPARE;
    if (ok) open_sides(&a, head, base);
    a.joins = kind == PPROFC_SUBTRACT;
    if (ok) a.m.out->has_leftovers = !a.joins;
    bool serves = ok && (!a.trees || !a.m.ambiguous || merge_is_one_to_one(&a.m));
    status = merge_end(&a.m, ok && serves && append_columns(&a), difference, error);
    if (ok && !serves) status = PPROFC_E_NO_MATCH;
  }
  pprofc_profile_release(head);
  pprofc_profile_release(base);
  return status;
}
