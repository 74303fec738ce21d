/* Collects the distinct stacks in order. Reads each stack as the difference from the previous
 * stack, and adds it to a prefix tree. Frames that stacks share are therefore read once.
 *
 * Two threads share the work for a large profile. Each makes a prefix tree of half of the samples.
 * Then one thread walks over both trees, and merges their stacks. */
#include "stacks/stacks.h"

#include "codec/codec.h"
#include "core/array.h"
#include "core/budget.h"
#include "core/parallel.h"
#include "core/threshold.h"
#include "graph/graph.h"
#include "profile/delta.h"
#include "profile/sum.h"

/* Minimum number of samples for two parts, and for stacks_of_sums. */
#define LARGE THRESHOLD((size_t)1 << 15)

/* A location of the current stack. */
struct stacks_step {
  uint32_t offset; /* number of bytes from this location to the end of the encoded stack, where the
                      root is */
  uint32_t depth;  /* number of frames from the root to this location, including its own frames */
  struct path_node at;
};

/* Builds a part of the set, and walks over its stacks. */
struct stacks_builder {
  const pprofc_profile *profile;
  const struct stack_selection *selection;
  struct value_column values; /* values of the first selected sample type */
  struct stack_set *set;
  struct stack_part *part;
  size_t from, to; /* range of the part's samples; indices of selection->samples, if it is set */
  uint64_t parts;  /* number of parts of the set */
  const pprofc_allocator *mem;
  struct stack_delta delta;
  struct stacks_step *steps; /* locations of the current stack; the root comes first */
  size_t step_count;
  uint64_t frames;         /* number of frames in all distinct stacks */
  uint64_t bytes;          /* size of the encoded stacks of all samples so far */
  uint32_t longest;        /* largest number of frames of a location */
  size_t deepest;          /* number of frames of the deepest stack */
  bool limit;              /* true if there are more frames than permitted */
  bool done;               /* true if the part is complete */
  struct path_walk walk;   /* walk over the stacks of the part */
  struct path_stack stack; /* current stack of the walk */
  uint32_t *read; /* frames of the current stack; only the first `known` frames are stored */
  uint32_t known;
  uint32_t shared; /* number of frames that the current stack shares with the last stack of the
                      set */
  bool ended;      /* true after the last stack */
};

/* ---- frames ------------------------------------------ */

/* Returns the permitted number of frames in all stacks so far. Several parts share FRAMES_FREE and
 * STACK_FRAMES_MAX, so that all parts together never have more frames than one part may have. */
static uint64_t stacks_permitted(const struct stacks_builder *b) {
  uint64_t most = frames_permitted(b->bytes) - FRAMES_FREE + FRAMES_FREE / b->parts;
  return most < STACK_FRAMES_MAX / b->parts ? most : STACK_FRAMES_MAX / b->parts;
}

/* True if all stacks, with the current one, have too many frames. Counts them before they need
 * memory. */
static bool stacks_exceed(const struct stacks_builder *b) {
  const struct stack_frames *f = b->set->frames;
  size_t most = b->selection->from_leaf ? 0 : b->selection->max_depth;
  /* Each location needs at least one byte of the stack. */
  if (b->frames + (uint64_t)b->delta.size * b->longest <= stacks_permitted(b)) return false;
  struct packed_stack stack = b->delta.stack;
  uint64_t depth = 0;
  uint32_t location;
  while (stack_take_leaf(&stack, &location))
    depth += f->location_from[location + 1] - f->location_from[location];
  if (most && depth > most) depth = most;
  return b->frames + depth > stacks_permitted(b);
}

/* Adds the frames of a location to the prefix tree, below the node of the step `from`. Sets depth
 * and node of the step `to`. Returns false when out of memory. */
static bool stacks_enter(struct stacks_builder *b, const struct stacks_step *from,
                         uint32_t location, struct stacks_step *to) {
  const struct stack_frames *f = b->set->frames;
  size_t most = b->selection->max_depth ? b->selection->max_depth : SIZE_MAX;
  uint32_t first = f->location_from[location], end = f->location_from[location + 1];
  uint32_t depth = from->depth;
  /* A local copy stays in a register, which is faster than memory. */
  struct path_node at = from->at;
  bool from_leaf = b->selection->from_leaf;
  for (uint32_t i = first; i < end && depth < most; i++) {
    at = stack_paths_enter(&b->part->paths, at,
                           f->location_frames[from_leaf ? end - 1 - (i - first) : i]);
    if (at.node == MAP_NONE) return false;
    depth++;
  }
  to->depth = depth;
  to->at = at;
  return true;
}

/* Adds the stack of a sample to the prefix tree, root first. Returns the stacks_step of the leaf,
 * or NULL after a failure. Skips the callers that this stack shares with the previous stack. */
static const struct stacks_step *stacks_from_root(struct stacks_builder *b) {
  const struct stack_delta *d = &b->delta;
  while (b->step_count && b->steps[b->step_count].offset > d->shared) b->step_count--;
  struct stacks_step *step = &b->steps[b->step_count];
  for (size_t k = d->count; k-- > 0; step++) {
    step[1].offset = d->fresh[k].offset;
    if (!stacks_enter(b, step, d->fresh[k].location, step + 1)) return NULL;
  }
  b->step_count = (size_t)(step - b->steps);
  return step;
}

static const struct stacks_step *stacks_from_leaf(struct stacks_builder *b) {
  struct packed_stack stack = b->delta.stack;
  struct stacks_step *step = &b->steps[0];
  uint32_t location;
  while (stack_take_leaf(&stack, &location)) {
    if (!stacks_enter(b, step, location, &b->steps[1])) return NULL;
    step = &b->steps[1];
  }
  return step;
}

/* ---- values ------------------------------------------ */

/* Returns the values of the stack that ends at the location *last, or NULL when out of memory. */
static int64_t *stacks_values(struct stacks_builder *b, const struct stacks_step *last) {
  struct stack_part *part = b->part;
  uint32_t known = part->paths.stacks, number = stack_paths_end(&part->paths, last->at);
  size_t columns = b->set->columns, row = columns * sizeof *part->values;
  if (number == MAP_NONE ||
      !array_reserve(b->mem, &part->values, &part->value_rows, number + (size_t)1, row ? row : 1))
    return NULL;
  int64_t *values = part->values + number * columns;
  if (number < known) return values;
  memset(values, 0, row);
  b->frames += last->depth;
  if (last->depth > b->deepest) b->deepest = last->depth;
  return values;
}

static bool stacks_add_sample(struct stacks_builder *b, size_t sample) {
  struct stack_set *set = b->set;
  const int64_t *values = b->values.values + sample * b->values.step;
  if (values_are_zero(values, set->types)) return true;
  if (set->from_leaf)
    delta_move(&b->delta, sample);
  else
    delta_next(&b->delta, sample);
  b->bytes += b->delta.size;
  b->limit = stacks_exceed(b);
  if (b->limit) return false;
  const struct stacks_step *last = set->from_leaf ? stacks_from_leaf(b) : stacks_from_root(b);
  int64_t *sums = last ? stacks_values(b, last) : NULL;
  bool is_base = set->has_base && sample_is_base(b->profile, sample);
  for (size_t i = 0; sums && i < set->types; i++)
    if (is_base)
      sums[set->types + i] = sum_subtract(sums[set->types + i], values[i]);
    else
      sums[i] = sum_add(sums[i], values[i]);
  return sums != NULL;
}

/* True if the profile may have many equal stacks. */
static bool stacks_may_repeat(const pprofc_profile *p, const struct stack_selection *s) {
  const struct samples *samples = &p->samples;
  return samples->count >= LARGE && !samples->tree && samples->segment_count == 1 && !s->samples;
}

/* Returns a copy of the profile that has each stack only once. Returns NULL if the profile is small
 * or few of its stacks are equal. The hash of a whole stack finds an equal stack faster than the
 * prefix tree, which compares frames. */
static pprofc_profile *stacks_of_sums(const pprofc_profile *p, const struct stack_selection *s) {
  if (!stacks_may_repeat(p, s)) return NULL;
  return fold_profile(p, s->one_type ? s->type : SIZE_MAX, true);
}

static bool stacks_add_samples(struct stacks_builder *b) {
  const struct samples *samples = &b->profile->samples;
  const uint32_t *selected = b->selection->samples;
  const uint32_t *from = b->set->frames->location_from;
  for (size_t i = 0; i < b->profile->locations.count; i++)
    if (from[i + 1] - from[i] > b->longest) b->longest = from[i + 1] - from[i];
  size_t room = samples->max_depth + 1;
  b->steps = mem_zero_array(b->mem, room, sizeof *b->steps);
  size_t first = selected && b->from < b->to ? selected[b->from] : b->from;
  bool done = b->steps && delta_init(&b->delta, b->mem, samples, first);
  bool open = done;
  for (size_t i = b->from; done && i < b->to; i++)
    done = stacks_add_sample(b, selected ? selected[i] : i) && !budget_poll(b->mem, i);
  if (open) delta_free(&b->delta, b->mem);
  mem_free(b->mem, b->steps, room, sizeof *b->steps);
  return done;
}

/* Adds the samples of a part to its prefix tree, and begins the walk. */
static void stacks_build_part(void *context, unsigned index) {
  struct stacks_builder *b = (struct stacks_builder *)context + index;
  b->done = stack_paths_init(&b->part->paths, b->mem) && stacks_add_samples(b) &&
            path_walk_begin(&b->walk, &b->part->paths);
  b->read = mem_array(b->mem, b->deepest, sizeof *b->read);
  b->done = b->done && b->read;
}

/* ---- order ------------------------------------------- */

/* Moves to the next stack of a part. The previous stack is the last stack of the set. */
static bool stacks_next(struct stacks_builder *b) {
  if (!path_walk_next(&b->walk, &b->stack, &b->ended)) return false;
  b->shared = b->stack.shared;
  if (b->known > b->shared) b->known = b->shared;
  return true;
}

static void stacks_load(struct stacks_builder *b) {
  stack_paths_read(&b->part->paths, b->stack.end, b->stack.depth, b->known, b->read);
  b->known = b->stack.depth;
}

/* Returns the number of frames that the current stacks of two parts share. At least `at` frames are
 * equal. */
static uint32_t stacks_common(struct stacks_builder *x, struct stacks_builder *y, uint32_t at) {
  stacks_load(x);
  stacks_load(y);
  while (at < x->known && at < y->known && x->read[at] == y->read[at]) at++;
  return at;
}

/* Compares the current stacks of two parts. A stack that shares more frames with the last stack of
 * the set comes first, because both come after that stack. Updates `shared` of the later stack,
 * because the caller adds the other stack to the set. */
static int stacks_compare(struct stacks_builder *x, struct stacks_builder *y) {
  if (x->ended || y->ended) return x->ended - y->ended;
  if (x->shared != y->shared) return x->shared > y->shared ? -1 : 1;
  uint32_t at = stacks_common(x, y, x->shared);
  bool x_ends = at == x->known, y_ends = at == y->known;
  if (x_ends && y_ends) return 0;
  bool is_first = x_ends || (!y_ends && x->read[at] < y->read[at]);
  (is_first ? y : x)->shared = at;
  return is_first ? -1 : 1;
}

/* Appends the current stack of a part to the set. */
static void stacks_put(struct stack_set *set, const struct stacks_builder *b) {
  size_t first = b->part == set->parts ? 0 : set->parts[0].paths.stacks;
  set->row[set->count] = (uint32_t)(first + b->stack.number);
  set->end[set->count] = b->stack.end;
  set->depth[set->count] = b->stack.depth;
  set->shared[set->count++] = b->shared;
}

/* Adds the values of the current stack of `from` to the current stack of `to`. */
static void stacks_join(const struct stacks_builder *to, const struct stacks_builder *from) {
  size_t columns = to->set->columns;
  int64_t *sums = to->part->values + to->stack.number * columns;
  const int64_t *values = from->part->values + from->stack.number * columns;
  for (size_t c = 0; c < columns; c++) sums[c] = sum_add(sums[c], values[c]);
}

/* Stores the stacks of both parts in order. An empty part has no stacks. */
static bool stacks_merge(struct stack_set *set, struct stacks_builder b[STACK_PARTS]) {
  bool done = stacks_next(&b[0]) && stacks_next(&b[1]);
  while (done && !(b[0].ended && b[1].ended) && !budget_poll(b[0].mem, set->count)) {
    int order = stacks_compare(&b[0], &b[1]);
    struct stacks_builder *first = &b[order > 0];
    if (!order) stacks_join(&b[0], &b[1]);
    stacks_put(set, first);
    done = stacks_next(first) && (order || stacks_next(&b[1]));
  }
  return done && b[0].ended && b[1].ended;
}

static bool stacks_order(struct stack_set *set, struct stacks_builder b[STACK_PARTS]) {
  size_t count = 0;
  for (size_t i = 0; i < STACK_PARTS; i++) {
    count += b[i].part->paths.stacks;
    if (b[i].deepest > set->max_depth) set->max_depth = b[i].deepest;
  }
  set->row = arena_array(&set->arena, count, sizeof *set->row);
  set->end = arena_array(&set->arena, count, sizeof *set->end);
  set->depth = arena_array(&set->arena, count, sizeof *set->depth);
  set->shared = arena_array(&set->arena, count, sizeof *set->shared);
  return count <= MAP_NONE && set->row && set->end && set->depth && set->shared &&
         stacks_merge(set, b);
}

/* Builds the set from `parts` parts. Returns false after a failure. Then *limit is the permitted
 * number of frames if there are too many frames, and 0 otherwise. */
static bool stacks_build(struct stack_set *set, const struct stacks_builder *first, size_t count,
                         unsigned parts, uint64_t *limit) {
  struct stacks_builder b[STACK_PARTS];
  bool done = true;
  arena_init(&set->arena, first->mem);
  for (unsigned i = 0; i < STACK_PARTS; i++) {
    b[i] = *first;
    b[i].part = &set->parts[i];
    b[i].parts = parts;
    b[i].ended = i >= parts;
    b[i].from = b[i].ended ? 0 : parallel_from(count, i, parts);
    b[i].to = b[i].ended ? 0 : parallel_from(count, i + 1, parts);
  }
  parallel_run(parts, stacks_build_part, b);
  for (unsigned i = 0; i < parts; i++) done = done && b[i].done;
  done = done && stacks_order(set, b);
  *limit = b[0].limit ? stacks_permitted(&b[0]) : 0;
  for (unsigned i = 0; i < parts; i++) {
    if (b[i].walk.paths) path_walk_end(&b[i].walk);
    mem_free(first->mem, b[i].read, b[i].deepest, sizeof *b[i].read);
  }
  if (!done) stack_set_free(set);
  return done;
}

/* Builds the set from a copy of the profile that has each stack only once, unless `sums` is NULL.
 * Releases the copy. */
static pprofc_status stacks_build_all(const struct stack_frames *frames, pprofc_profile *sums,
                                      const struct stack_selection *selection,
                                      const pprofc_allocator *mem, struct stack_set *set,
                                      pprofc_error *error) {
  const pprofc_profile *p = sums ? sums : frames->profile;
  size_t types = selection->one_type ? 1 : p->type_count;
  bool has_base = profile_has_base(p);
  const struct stack_set empty = {.types = types,
                                  .columns = has_base ? 2 * types : types,
                                  .has_base = has_base,
                                  .from_leaf = selection->from_leaf,
                                  .frames = frames};
  struct stacks_builder b = {.profile = p,
                             .selection = selection,
                             .values = {p->samples.values, p->type_count},
                             .set = set,
                             .mem = mem};
  if (selection->one_type) b.values = profile_values(p, selection->type);
  size_t count = selection->samples ? selection->count : p->samples.count;
  unsigned parts = parallel_workers(p->threads, count, LARGE / STACK_PARTS);
  uint64_t limit = 0;
  bool done = false;
  if (parts > STACK_PARTS) parts = STACK_PARTS;
  for (; !done && parts; parts--) { /* One part needs less memory than two parts. */
    *set = empty;
    done = stacks_build(set, &b, count, parts, &limit);
  }
  pprofc_profile_release(sums);
  if (done) return PPROFC_OK;
  return limit ? frames_too_many(limit, error) : error_nomem(error);
}

pprofc_status stack_set_build(const struct stack_frames *frames,
                              const struct stack_selection *selection, const pprofc_allocator *mem,
                              struct stack_set *set, pprofc_error *error) {
  static const struct stack_selection all = {0};
  if (!selection) selection = &all;
  pprofc_profile *sums = stacks_of_sums(frames->profile, selection);
  return stacks_build_all(frames, sums, selection, mem, set, error);
}

/* The work before the prefix trees. Two threads can share it. */
struct stacks_work {
  const pprofc_profile *profile;
  const struct stack_policy *policy;
  const struct stack_selection *selection;
  const pprofc_allocator *mem;
  struct stack_frames *frames;
  pprofc_profile *sums; /* see stacks_of_sums */
  pprofc_status status; /* status of stack_frames_build */
  pprofc_error *error;
};

static void stacks_prepare(void *context, unsigned index) {
  struct stacks_work *w = context;
  if (index)
    w->sums = stacks_of_sums(w->profile, w->selection);
  else
    w->status = stack_frames_build(w->profile, w->policy, w->mem, w->frames, w->error);
}

pprofc_status stack_set_and_frames_build(const pprofc_profile *profile,
                                         const struct stack_policy *policy,
                                         const struct stack_selection *selection,
                                         const pprofc_allocator *mem, struct stack_frames *frames,
                                         struct stack_set *set, pprofc_error *error) {
  struct stacks_work work = {profile, policy, selection, mem, frames, NULL, PPROFC_OK, error};
  if (stacks_may_repeat(profile, selection) && parallel_workers(profile->threads, 2, 1) > 1) {
    parallel_run(2, stacks_prepare, &work);
  } else {
    stacks_prepare(&work, 0);
    if (work.status == PPROFC_OK) stacks_prepare(&work, 1);
  }
  if (work.status != PPROFC_OK) {
    pprofc_profile_release(work.sums);
    return work.status;
  }
  pprofc_status status = stacks_build_all(frames, work.sums, selection, mem, set, error);
  if (status != PPROFC_OK) stack_frames_free(frames);
  return status;
}

/* ---- reading ----------------------------------------- */

void stack_set_mark(const struct stack_set *set, uint8_t *used) {
  for (const struct stack_part *part = set->parts; part < set->parts + STACK_PARTS; part++)
    for (size_t i = 1; i < part->paths.count; i++) used[part->paths.frames[i]] = 1;
}

size_t stack_set_read(const struct stack_set *set, size_t stack, uint32_t known, uint32_t *frames) {
  size_t row = set->row[stack];
  const struct stack_part *part = stack_part_of(set, &row);
  stack_paths_read(&part->paths, set->end[stack], set->depth[stack], known, frames);
  return set->depth[stack];
}

void stack_set_free(struct stack_set *set) {
  size_t row = set->columns * sizeof(int64_t);
  for (struct stack_part *part = set->parts; part < set->parts + STACK_PARTS; part++) {
    if (part->paths.mem) mem_free(part->paths.mem, part->values, part->value_rows, row ? row : 1);
    stack_paths_free(&part->paths);
  }
  arena_free(&set->arena);
  *set = (struct stack_set){.arena.mem = set->arena.mem};
}
