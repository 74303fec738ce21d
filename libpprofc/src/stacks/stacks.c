/* Collects the distinct stacks in order. Reads each stack as the difference from the previous
 * stack, and adds it to a prefix tree. Frames that stacks share are therefore read once. */
#include "stacks/stacks.h"

#include "codec/codec.h"
#include "core/array.h"
#include "core/budget.h"
#include "core/threshold.h"
#include "graph/graph.h"
#include "profile/delta.h"
#include "profile/sum.h"

/* A location of the current stack. */
struct stacks_step {
  uint32_t offset; /* number of bytes from this location to the end of the encoded stack, where the
                      root is */
  uint32_t depth;  /* number of frames from the root to this location, including its own frames */
  struct path_node at;
};

struct stacks_builder {
  const pprofc_profile *profile;
  const struct stack_selection *selection;
  struct value_column values; /* values of the first selected sample type */
  struct stack_set *set;
  const pprofc_allocator *mem;
  struct stack_delta delta;
  struct stacks_step *steps; /* locations of the current stack; the root comes first */
  size_t step_count;
  uint64_t frames;  /* number of frames in all distinct stacks */
  uint64_t bytes;   /* size of the encoded stacks of all samples so far */
  uint32_t longest; /* largest number of frames of a location */
  bool limit;       /* true if there are more frames than permitted */
};

/* ---- frames ------------------------------------------ */

/* Returns the permitted number of frames in all stacks so far. */
static uint64_t stacks_permitted(const struct stacks_builder *b) {
  uint64_t most = frames_permitted(b->bytes);
  return most < STACK_FRAMES_MAX ? most : STACK_FRAMES_MAX;
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
    at = stack_paths_enter(&b->set->paths, at,
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
  struct stack_set *set = b->set;
  uint32_t known = set->paths.stacks, number = stack_paths_end(&set->paths, last->at);
  size_t row = set->columns * sizeof *set->values;
  if (number == MAP_NONE ||
      !array_reserve(b->mem, &set->values, &set->value_rows, number + (size_t)1, row ? row : 1))
    return NULL;
  int64_t *values = set->values + number * set->columns;
  if (number < known) return values;
  memset(values, 0, row);
  b->frames += last->depth;
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

/* Minimum number of samples of a profile for stacks_of_sums. */
#define REPEATED_FROM THRESHOLD((size_t)1 << 15)

/* Returns a copy of the profile that has each stack only once. Returns NULL if the profile is small
 * or few of its stacks are equal. The hash of a whole stack finds an equal stack faster than the
 * prefix tree, which compares frames. */
static pprofc_profile *stacks_of_sums(const pprofc_profile *p, const struct stack_selection *s) {
  const struct samples *samples = &p->samples;
  if (samples->count < REPEATED_FROM || samples->tree || samples->segment_count != 1 || s->samples)
    return NULL;
  return fold_profile(p, s->one_type ? s->type : SIZE_MAX, true);
}

static bool stacks_add_samples(struct stacks_builder *b) {
  const struct samples *samples = &b->profile->samples;
  const uint32_t *selected = b->selection->samples;
  size_t count = selected ? b->selection->count : samples->count;
  const uint32_t *from = b->set->frames->location_from;
  for (size_t i = 0; i < b->profile->locations.count; i++)
    if (from[i + 1] - from[i] > b->longest) b->longest = from[i + 1] - from[i];
  size_t room = samples->max_depth + 1;
  b->steps = mem_zero_array(b->mem, room, sizeof *b->steps);
  bool done = b->steps && delta_init(&b->delta, b->mem, samples, 0);
  bool open = done;
  for (size_t i = 0; done && i < count; i++)
    done = stacks_add_sample(b, selected ? selected[i] : i) && !budget_poll(b->mem, i);
  if (open) delta_free(&b->delta, b->mem);
  mem_free(b->mem, b->steps, room, sizeof *b->steps);
  return done;
}

/* ---- order ------------------------------------------- */

/* Stores the stacks in the order of the tree. */
static bool stacks_walk(struct stack_set *set, struct path_walk *walk,
                        const pprofc_allocator *mem) {
  struct path_stack stack;
  bool ended = false;
  while (path_walk_next(walk, &stack, &ended) && !ended && !budget_poll(mem, set->count)) {
    set->row[set->count] = stack.number;
    set->end[set->count] = stack.end;
    set->depth[set->count] = stack.depth;
    set->shared[set->count++] = stack.shared;
    if (stack.depth > set->max_depth) set->max_depth = stack.depth;
  }
  return ended;
}

static bool stacks_order(struct stack_set *set, const pprofc_allocator *mem) {
  struct path_walk walk;
  size_t count = set->paths.stacks;
  bool done = path_walk_begin(&walk, &set->paths);
  set->row = arena_array(&set->arena, count, sizeof *set->row);
  set->end = arena_array(&set->arena, count, sizeof *set->end);
  set->depth = arena_array(&set->arena, count, sizeof *set->depth);
  set->shared = arena_array(&set->arena, count, sizeof *set->shared);
  done = done && set->row && set->end && set->depth && set->shared && stacks_walk(set, &walk, mem);
  path_walk_end(&walk);
  return done;
}

pprofc_status stack_set_build(const struct stack_frames *frames,
                              const struct stack_selection *selection, const pprofc_allocator *mem,
                              struct stack_set *set, pprofc_error *error) {
  static const struct stack_selection all = {0};
  if (!selection) selection = &all;
  pprofc_profile *sums = stacks_of_sums(frames->profile, selection);
  const pprofc_profile *p = sums ? sums : frames->profile;
  *set = (struct stack_set){.types = selection->one_type ? 1 : p->type_count,
                            .has_base = profile_has_base(p),
                            .from_leaf = selection->from_leaf,
                            .frames = frames};
  set->columns = set->has_base ? 2 * set->types : set->types;
  arena_init(&set->arena, mem);
  struct stacks_builder b = {.profile = p,
                             .selection = selection,
                             .values = {p->samples.values, p->type_count},
                             .set = set,
                             .mem = mem};
  if (selection->one_type) b.values = profile_values(p, selection->type);
  bool done =
      stack_paths_init(&set->paths, mem) && stacks_add_samples(&b) && stacks_order(set, mem);
  pprofc_profile_release(sums);
  if (done) return PPROFC_OK;
  stack_set_free(set);
  if (!b.limit) return error_nomem(error);
  return frames_too_many(stacks_permitted(&b), error);
}

/* ---- reading ----------------------------------------- */

void stack_set_mark(const struct stack_set *set, uint8_t *used) {
  for (size_t i = 1; i < set->paths.count; i++) used[set->paths.frames[i]] = 1;
}

size_t stack_set_read(const struct stack_set *set, size_t stack, uint32_t known, uint32_t *frames) {
  stack_paths_read(&set->paths, set->end[stack], set->depth[stack], known, frames);
  return set->depth[stack];
}

void stack_set_free(struct stack_set *set) {
  size_t row = set->columns * sizeof *set->values;
  if (set->paths.mem) mem_free(set->paths.mem, set->values, set->value_rows, row ? row : 1);
  stack_paths_free(&set->paths);
  arena_free(&set->arena);
  *set = (struct stack_set){.arena.mem = set->arena.mem};
}
