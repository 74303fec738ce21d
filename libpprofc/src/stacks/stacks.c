/* Collects the distinct stacks in order. Reads each stack as the difference from the previous
 * stack, and adds it to a prefix tree. So frames that two stacks share are read once. At the end,
 * equal paths of the tree are joined and sorted. */
#include "stacks/stacks.h"

#include "codec/codec.h"
#include "core/budget.h"
#include "core/threshold.h"
#include "profile/delta.h"
#include "profile/sum.h"

/* A location of the current stack. */
struct stacks_step {
  uint32_t offset; /* offset of the location, as in struct fresh_frame */
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
  size_t most_nodes; /* minimum number of nodes in the tree at which equal paths are joined before
                        the last stack */
  bool limit;        /* true if there are more frames than permitted */
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
    b->limit = b->set->paths.count >= STACK_FRAMES_MAX;
    if (b->limit || !stack_paths_enter(&b->set->paths, &step->at, frame)) return false;
    step->depth++;
  }
  return true;
}

/* Adds the stack of a sample to the prefix tree, root first. Sets *last to its last location. Reads
 * only the locations that the previous stack does not have. */
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

/* ---- samples ----------------------------------------- */

/* Minimum number of samples that are worth sorting. */
#define SORT_FROM THRESHOLD((size_t)1 << 15)

/* Minimum number of nodes at which equal paths of unsorted samples are joined before the last
 * sample. */
#define MERGE_FROM THRESHOLD((size_t)1 << 20)

/* Returns a copy of the profile with its samples sorted by their stacks, or NULL if sorting is not
 * possible or not worth its time. In the copy, stacks that share frames are adjacent, so their
 * nodes are often in the caches of the processor. */
static pprofc_profile *stacks_sorted_copy(const pprofc_profile *p,
                                          const struct stack_selection *s) {
  const struct samples *samples = &p->samples;
  if (samples->count < SORT_FROM || samples->tree || samples->segment_count != 1 || s->samples ||
      s->from_leaf)
    return NULL;
  return fold_profile(p, s->one_type ? s->type : SIZE_MAX);
}

/* Returns the index in the profile of the selected sample number i. */
static size_t stacks_sample(const struct stacks_builder *b, size_t i) {
  return b->selection->samples ? b->selection->samples[i] : i;
}

/* Joins equal paths if the tree has become large, because samples that are not sorted may have many
 * equal paths. */
static bool stacks_limit(struct stacks_builder *b, size_t sample) {
  struct stack_paths *paths = &b->set->paths;
  if (paths->count < b->most_nodes) return true;
  if (!stack_paths_merge(paths)) return false;
  b->most_nodes = 2 * (paths->count > MERGE_FROM ? paths->count : MERGE_FROM);
  b->step_count = 0;
  delta_restart(&b->delta, sample);
  return true;
}

static bool stacks_add_sample(struct stacks_builder *b, size_t i) {
  size_t sample = stacks_sample(b, i);
  struct stacks_step last;
  if (values_are_zero(b->values.values + sample * b->values.step, b->set->types)) return true;
  if (!stacks_limit(b, sample)) return false;
  if (b->set->from_leaf)
    delta_move(&b->delta, sample);
  else
    delta_next(&b->delta, sample);
  return (b->set->from_leaf ? stacks_from_leaf(b, &last) : stacks_from_root(b, &last)) &&
         stack_paths_end(&b->set->paths, last.at, (uint32_t)i);
}

static bool stacks_add_samples(struct stacks_builder *b, size_t count) {
  const struct samples *samples = &b->profile->samples;
  size_t room = samples->max_depth + 1;
  b->steps = mem_zero_array(b->mem, room, sizeof *b->steps);
  bool done = b->steps && delta_init(&b->delta, b->mem, samples, 0);
  bool open = done;
  b->most_nodes = samples->tree && !b->set->from_leaf ? SIZE_MAX : MERGE_FROM;
  for (size_t i = 0; done && i < count; i++)
    done = stacks_add_sample(b, i) && !budget_poll(b->mem, i);
  if (open) delta_free(&b->delta, b->mem);
  mem_free(b->mem, b->steps, room, sizeof *b->steps);
  return done;
}

/* ---- order ------------------------------------------- */

/* Adds the values of a list of samples to a row. */
static void stacks_add_values(const struct stacks_builder *b, uint32_t first, int64_t *sums) {
  const struct stack_set *set = b->set;
  for (uint32_t i = first; i != MAP_NONE; i = set->paths.next[i]) {
    size_t sample = stacks_sample(b, i);
    const int64_t *values = b->values.values + sample * b->values.step;
    if (set->has_base && sample_is_base(b->profile, sample))
      for (size_t t = 0; t < set->types; t++)
        sums[set->types + t] = sum_subtract(sums[set->types + t], values[t]);
    else
      for (size_t t = 0; t < set->types; t++) sums[t] = sum_add(sums[t], values[t]);
  }
}

/* Adds a stack to the set: the stack that ends at the last node of a run. Stores its depth, and the
 * position of its frames in the prefix tree. The merged tree has one run for each stack, in the
 * same order. */
static void stacks_place(struct stack_set *set, uint32_t run) {
  const struct path_run *r = &set->paths.runs[run];
  uint32_t stack = (uint32_t)set->count++, above = stack;
  uint32_t nodes = run ? path_run_end(&set->paths, run) - r->first : 0;
  if (r->parent) do
      above = above == stack ? stack - 1 : set->rest[above].above;
    while (set->rest[above].first > r->parent);
  set->rest[stack] = (struct stack_rest){r->first, above};
  if (r->parent) set->shared[stack] = set->shared[above] + r->parent - set->rest[above].first + 1;
  set->depth[stack] = set->shared[stack] + nodes;
  if (set->depth[stack] > set->max_depth) set->max_depth = set->depth[stack];
}

/* Stores the stacks in order, with their values. Returns false when out of memory, or if there are
 * too many frames. */
static bool stacks_order(struct stacks_builder *b) {
  struct stack_set *set = b->set;
  struct stack_paths *paths = &set->paths;
  uint64_t frames = 0;
  if (!stack_paths_merge(paths)) return false;
  set->rest = arena_array(&set->arena, paths->run_count, sizeof *set->rest);
  set->depth = arena_array(&set->arena, paths->run_count, sizeof *set->depth);
  set->shared = arena_zero_array(&set->arena, paths->run_count, sizeof *set->shared);
  set->values = arena_zero_array(&set->arena, paths->run_count, set->columns * sizeof *set->values);
  if (!set->rest || !set->depth || !set->shared || !set->values) return false;
  for (uint32_t run = paths->runs[0].samples == MAP_NONE; run < paths->run_count; run++) {
    stacks_add_values(b, paths->runs[run].samples, set->values + set->count * set->columns);
    stacks_place(set, run);
    frames += set->depth[set->count - 1];
    if (budget_poll(b->mem, run)) return false;
  }
  stack_paths_finish(paths);
  b->limit = frames > STACK_FRAMES_MAX;
  return !b->limit;
}

pprofc_status stack_set_build(const struct stack_frames *frames,
                              const struct stack_selection *selection, const pprofc_allocator *mem,
                              struct stack_set *set, pprofc_error *error) {
  static const struct stack_selection all = {0};
  if (!selection) selection = &all;
  pprofc_profile *sorted = stacks_sorted_copy(frames->profile, selection);
  const pprofc_profile *p = sorted ? sorted : frames->profile;
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
  size_t count = selection->samples ? selection->count : p->samples.count;
  bool done = stack_paths_init(&set->paths, count, mem) && stacks_add_samples(&b, count) &&
              stacks_order(&b);
  pprofc_profile_release(sorted);
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
  size_t depth = set->depth[stack];
  for (uint32_t end = (uint32_t)depth; end > known; stack = set->rest[stack].above) {
    uint32_t shared = set->shared[stack], from = shared > known ? shared : known;
    memcpy(frames + from, set->paths.frames + set->rest[stack].first + (from - shared),
           (end - from) * sizeof *frames);
    end = from;
  }
  return depth;
}

void stack_set_free(struct stack_set *set) {
  stack_paths_free(&set->paths);
  arena_free(&set->arena);
  *set = (struct stack_set){.arena.mem = set->arena.mem};
}
