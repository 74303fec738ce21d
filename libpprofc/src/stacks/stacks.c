/* Collects the distinct stacks in order. Reads each stack as the difference from the previous
 * stack, and adds it to a prefix tree. Frames that stacks share are therefore read once. */
#include "stacks/stacks.h"

#include "codec/codec.h"
#include "core/array.h"
#include "core/budget.h"
#include "core/threshold.h"
#include "profile/delta.h"
#include "profile/sum.h"

/* A location of the current stack. */
struct stacks_step {
  uint32_t offset; /* distance in bytes from the root end of the encoded stack */
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
  size_t value_capacity;
  uint64_t frames; /* number of frames in all distinct stacks */
  bool limit;      /* true if there are more frames than permitted */
};

/* ---- frames ------------------------------------------ */

/* Adds the frames of a location to the path in the prefix tree. Returns false when out of memory or
 * if there are too many frames. */
static bool stacks_enter(struct stacks_builder *b, struct stacks_step *step, uint32_t location) {
  const struct stack_frames *f = b->set->frames;
  size_t most = b->selection->max_depth ? b->selection->max_depth : SIZE_MAX;
  uint32_t from = f->location_from[location], to = f->location_from[location + 1];
  for (uint32_t i = from; i < to && step->depth < most; i++) {
    uint32_t frame = f->location_frames[b->selection->from_leaf ? to - 1 - (i - from) : i];
    b->limit = b->frames + step->depth >= STACK_FRAMES_MAX;
    if (b->limit || !stack_paths_enter(&b->set->paths, &step->at, frame)) return false;
    step->depth++;
  }
  return true;
}

/* Adds the stack of a sample to the prefix tree, root first. Sets *last to the step of the stack's
 * leaf. Skips the callers that this stack shares with the previous stack. */
static bool stacks_from_root(struct stacks_builder *b, struct stacks_step *last) {
  const struct stack_delta *d = &b->delta;
  while (b->step_count && b->steps[b->step_count].offset > d->shared) b->step_count--;
  *last = b->steps[b->step_count];
  for (size_t k = d->count; k-- > 0;) {
    last->offset = d->fresh[k].offset;
    if (!stacks_enter(b, last, d->fresh[k].location)) return false;
    b->steps[++b->step_count] = *last;
  }
  return true;
}

static bool stacks_from_leaf(struct stacks_builder *b, struct stacks_step *last) {
  struct packed_stack stack = b->delta.stack;
  uint32_t location;
  *last = b->steps[0];
  while (stack_take_leaf(&stack, &location))
    if (!stacks_enter(b, last, location)) return false;
  return true;
}

/* ---- values ------------------------------------------ */

/* Returns the values of the stack that ends at the location *last, or NULL when out of memory. */
static int64_t *stacks_values(struct stacks_builder *b, const struct stacks_step *last) {
  struct stack_set *set = b->set;
  uint32_t known = set->paths.stacks, number = stack_paths_end(&set->paths, last->at);
  size_t row = set->columns * sizeof *set->values;
  if (number == MAP_NONE ||
      !array_reserve(b->mem, &set->values, &b->value_capacity, number + (size_t)1, row ? row : 1))
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
  struct stacks_step last;
  if (values_are_zero(values, set->types)) return true;
  if (set->from_leaf)
    delta_move(&b->delta, sample);
  else
    delta_next(&b->delta, sample);
  if (!(set->from_leaf ? stacks_from_leaf(b, &last) : stacks_from_root(b, &last))) return false;
  int64_t *sums = stacks_values(b, &last);
  bool is_base = set->has_base && sample_is_base(b->profile, sample);
  for (size_t i = 0; sums && i < set->types; i++)
    if (is_base)
      sums[set->types + i] = sum_subtract(sums[set->types + i], values[i]);
    else
      sums[i] = sum_add(sums[i], values[i]);
  return sums != NULL;
}

/* Minimum number of samples of a profile whose equal stacks are added up first. */
#define REPEATED_FROM THRESHOLD((size_t)1 << 15)

/* Returns a copy of the profile that has each stack only once, or NULL if stacks hardly repeat. The
 * hash of a whole stack finds an equal stack faster than the prefix tree, which compares frames. */
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

/* Moves row from[i] of the values to row i for every i, in place. `scratch` has space for a row.
 * Afterwards from[i] is i. */
static void stacks_move_values(struct stack_set *set, uint32_t *from, int64_t *scratch) {
  size_t row = set->columns * sizeof *scratch;
  for (uint32_t i = 0; i < set->count; i++) {
    uint32_t to = i, next;
    if (from[i] == i) continue;
    memcpy(scratch, set->values + i * set->columns, row);
    for (; (next = from[to]) != i; to = next) {
      memcpy(set->values + to * set->columns, set->values + next * set->columns, row);
      from[to] = to;
    }
    memcpy(set->values + to * set->columns, scratch, row);
    from[to] = to;
  }
}

/* Stores the stacks in the order of the tree. number[i] becomes the index that stack_paths_end
 * returned for stack i. */
static bool stacks_walk(struct stack_set *set, struct path_walk *walk, uint32_t *number,
                        const pprofc_allocator *mem) {
  struct path_stack stack;
  bool ended = false;
  while (path_walk_next(walk, &stack, &ended) && !ended && !budget_poll(mem, set->count)) {
    number[set->count] = stack.number;
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
  uint32_t *number = mem_array(mem, count + 1, sizeof *number);
  int64_t *scratch = mem_array(mem, set->columns + 1, sizeof *scratch);
  set->end = arena_array(&set->arena, count, sizeof *set->end);
  set->depth = arena_array(&set->arena, count, sizeof *set->depth);
  set->shared = arena_array(&set->arena, count, sizeof *set->shared);
  done = done && number && scratch && set->end && set->depth && set->shared &&
         stacks_walk(set, &walk, number, mem);
  if (done) stacks_move_values(set, number, scratch);
  mem_free(mem, number, count + 1, sizeof *number);
  mem_free(mem, scratch, set->columns + 1, sizeof *scratch);
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
  set->value_rows = b.value_capacity;
  if (done) return PPROFC_OK;
  stack_set_free(set);
  if (!b.limit) return error_nomem(error);
  return error_set(error, PPROFC_E_LIMIT,
                   "stacks have more than %llu frames in total (-noinlines drops inlined calls)",
                   (unsigned long long)STACK_FRAMES_MAX);
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
