/* Distinct stacks in order. Samples with the same bytes are joined by hashing, as long as that
 * finds some; the rest is sorted by frames. Stacks stay where the profile has them. */
#include "stacks/stacks.h"

#include "core/array.h"
#include "core/budget.h"
#include "core/map.h"
#include "core/parallel.h"
#include "core/threshold.h"
#include "profile/stack.h"
#include "profile/sum.h"
#include "stacks/sort.h"

struct stacks_builder {
  const struct stack_frames *frames;
  const pprofc_profile *profile;
  const struct stack_selection *selection; /* or NULL */
  const pprofc_allocator *mem;
  struct stack_set *set;

  uint32_t *sample; /* [capacity] the first sample of each stack; NULL: no samples were joined */
  int64_t *values;  /* [value_capacity * columns] of each stack, when some were joined */
  size_t count, capacity, value_capacity;
  bool useless; /* too few samples share a stack to look for them */

  size_t item_count; /* the sorted items: set->sample, stacks of the source until it is sorted */
  unsigned workers;
};

/* ---- joining samples --------------------------------- */

static size_t selected_count(const struct stacks_builder *b) {
  return b->selection && b->selection->samples ? b->selection->count : b->profile->samples.count;
}

static size_t selected_sample(const struct stacks_builder *b, size_t i) {
  return b->selection && b->selection->samples ? b->selection->samples[i] : i;
}

static void stacks_add_values(int64_t *to, const int64_t *from, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] = sum_add(to[i], from[i]);
}

/* Adds the values of a sample to its stack. */
static void stacks_add_sample(const struct stacks_builder *b, int64_t *sums, size_t sample) {
  const struct stack_set *set = b->set;
  const int64_t *values = b->profile->samples.values + sample * set->types;
  if (!set->has_base || !sample_is_base(b->profile, sample)) {
    stacks_add_values(sums, values, set->types);
    return;
  }
  for (size_t i = 0; i < set->types; i++)
    sums[set->types + i] = sum_subtract(sums[set->types + i], values[i]);
}

/* A sample on its way into the table. Many are on their way at once, and each prefetches its
 * memory a round ahead: the slot of the table, the stack found there, then its bytes. */
struct pending {
  size_t sample;
  const uint32_t *map; /* map of the stack's segment */
  uint64_t hash;
  uint32_t likely; /* the stack that has the same hash, or MAP_NONE */
};

#define PENDING_MAX  32
#define PREFETCH_MAX 256u /* bytes of a stack */

static bool stacks_is_same(const struct stacks_builder *b, uint32_t index,
                           const struct pending *pending) {
  const struct samples *s = &b->profile->samples;
  uint32_t other = b->sample[index], size = s->stack_size[pending->sample];
  return s->stack_size[other] == size && cursor_map(s, other) == pending->map &&
         (size == 0 || memcmp(s->stack[other], s->stack[pending->sample], size) == 0);
}

/* Makes room for one more stack with its values. */
static bool stacks_grow(struct stacks_builder *b) {
  size_t columns = b->set->columns;
  return ARRAY_RESERVE(b->mem, b->sample, b->capacity, b->count + 1) &&
         array_reserve(b->mem, &b->values, &b->value_capacity, b->count + 1,
                       columns * sizeof *b->values);
}

/* The packed stack of a sample; MAP_NONE when out of memory. */
static uint32_t find_stack(struct stacks_builder *b, struct map *map,
                           const struct pending *pending) {
  struct map_probe probe = map_start(map, pending->hash);
  uint32_t index;
  while ((index = map_next(map, &probe)) != MAP_NONE)
    if (stacks_is_same(b, index, pending)) return index;
  if (!stacks_grow(b) || !map_insert(map, pending->hash, (uint32_t)b->count)) return MAP_NONE;
  memset(b->values + b->count * b->set->columns, 0, b->set->columns * sizeof *b->values);
  b->sample[b->count] = (uint32_t)pending->sample;
  return (uint32_t)b->count++;
}

/* Hashes samples from the i-th selected one on; returns where to go on. */
static size_t hash_samples(const struct stacks_builder *b, const struct map *map, size_t i,
                           struct stack_reader *reader, struct pending *pending, size_t *count) {
  const struct samples *s = &b->profile->samples;
  size_t selected = selected_count(b);
  for (*count = 0; i < selected && *count < PENDING_MAX; i++) {
    size_t sample = selected_sample(b, i);
    if (values_are_zero(s->values + sample * b->set->types, b->set->types)) continue;
    struct pending *p = &pending[(*count)++];
    *p = (struct pending){.sample = sample, .map = stack_map(reader, sample)};
    p->hash = hash_mix(hash_bytes(s->stack[sample], s->stack_size[sample]), (uintptr_t)p->map);
    if (map->capacity) __builtin_prefetch(&map->slots[map_start(map, p->hash).position]);
  }
  return i;
}

/* Asks for the memory of the stacks that hashed samples are likely to have. */
static void prefetch_stacks(const struct stacks_builder *b, const struct map *map,
                            struct pending *pending, size_t count) {
  const struct samples *s = &b->profile->samples;
  for (size_t k = 0; k < count; k++) {
    struct map_probe probe = map_start(map, pending[k].hash);
    uint32_t likely = pending[k].likely = map_next(map, &probe);
    if (likely == MAP_NONE) continue;
    pending[k].likely = likely = b->sample[likely];
    __builtin_prefetch(&s->stack[likely]);
    __builtin_prefetch(&s->stack_size[likely]);
  }
  for (size_t k = 0; k < count; k++) {
    if (pending[k].likely == MAP_NONE) continue;
    uint32_t size = s->stack_size[pending[k].likely];
    const uint8_t *leaf = s->stack[pending[k].likely];
    if (size > PREFETCH_MAX) size = PREFETCH_MAX;
    for (uint32_t at = 0; at < size; at += 64) __builtin_prefetch(leaf + at);
  }
}

#define TRIED_SAMPLES THRESHOLD(65536) /* after this number of samples, no more are joined ... */
#define TRIED_NEW     THRESHOLD(61440) /* ... when this number of them had a stack of their own */

static bool join_in_order(struct stacks_builder *b, struct map *map) {
  struct pending pending[PENDING_MAX];
  struct stack_reader reader = stack_reader_at(&b->profile->samples, 0);
  size_t count, tried = 0, selected = selected_count(b);
  for (size_t i = 0; i < selected && !b->useless;) {
    i = hash_samples(b, map, i, &reader, pending, &count);
    prefetch_stacks(b, map, pending, count);
    for (size_t k = 0; k < count; k++) {
      uint32_t stack = find_stack(b, map, &pending[k]);
      if (stack == MAP_NONE || budget_poll(b->mem, pending[k].sample)) return false;
      stacks_add_sample(b, b->values + stack * b->set->columns, pending[k].sample);
    }
    bool decides = tried < TRIED_SAMPLES && tried + count >= TRIED_SAMPLES;
    tried += count;
    b->useless = decides && b->count > TRIED_NEW;
  }
  return true;
}

static void stacks_forget_joined(struct stacks_builder *b) {
  ARRAY_FREE(b->mem, b->sample, b->capacity);
  mem_free(b->mem, b->values, b->value_capacity, b->set->columns * sizeof *b->values);
  b->values = NULL;
  b->value_capacity = b->count = 0;
}

/* Finds the distinct packed stacks and adds up their values. */
static bool join_samples(struct stacks_builder *b) {
  if (b->profile->samples.count >= MAP_NONE) return false;
  struct map map;
  map_init(&map, b->mem);
  bool ok = stacks_grow(b) && join_in_order(b, &map);
  map_free(&map);
  if (b->useless) stacks_forget_joined(b);
  return ok;
}

/* Lists the items to sort: the joined stacks, or all samples with a value. */
static bool stacks_list(struct stacks_builder *b) {
  struct stack_set *set = b->set;
  size_t types = set->types, selected = selected_count(b);
  set->sample = arena_array(&set->arena, b->sample ? b->count : selected, sizeof *set->sample);
  if (!set->sample) return false;
  if (b->sample) {
    for (; b->item_count < b->count; b->item_count++)
      set->sample[b->item_count] = (uint32_t)b->item_count;
    return true;
  }
  for (size_t i = 0; i < selected; i++) {
    size_t sample = selected_sample(b, i);
    if (!values_are_zero(b->profile->samples.values + sample * types, types))
      set->sample[b->item_count++] = (uint32_t)sample;
  }
  return true;
}

/* ---- how many frames --------------------------------- */

/* The most frames that the stacks can have, without looking at them. */
static uint64_t frames_bound(const struct stacks_builder *b) {
  const struct samples *s = &b->profile->samples;
  const uint32_t *from = b->frames->location_from;
  uint64_t bytes = 0, most = 1;
  for (size_t i = 0; i < b->item_count; i++) {
    uint32_t stack = b->set->sample[i];
    bytes += s->stack_size[b->sample ? b->sample[stack] : stack];
  }
  for (size_t i = 0; i < b->profile->locations.count; i++)
    if (from[i + 1] - from[i] > most) most = from[i + 1] - from[i];
  return bytes > UINT64_MAX / most ? UINT64_MAX : bytes * most;
}

/* Returns the depth of a stack from the depth of the one before, if both end the same bytes. */
static uint64_t depth_after(struct frame_cursor cursor, struct frame_cursor before,
                            uint64_t before_depth) {
  if (!cursor_is_same_path(&before, &cursor)) return frame_cursor_rest(cursor);
  if (before.size <= cursor.size) {
    cursor.place.at = before.size;
    return before_depth + frame_cursor_rest(cursor);
  }
  before.place.at = cursor.size;
  return before_depth - frame_cursor_rest(before);
}

static pprofc_status check_frames(const struct stacks_builder *b, const struct stack_source *source,
                                  pprofc_error *error) {
  struct frame_cursor before = {.source = source};
  uint64_t total = 0, depth = 0;
  if (frames_bound(b) <= STACK_FRAMES_MAX) return PPROFC_OK;
  for (size_t i = 0; i < b->item_count && total <= STACK_FRAMES_MAX; i++) {
    struct frame_cursor cursor = frame_cursor_begin(source, b->set->sample[i]);
    depth = depth_after(cursor, before, depth);
    before = cursor;
    total += depth < source->max_depth ? depth : source->max_depth;
    if (budget_poll(b->mem, i)) return error_nomem(error);
  }
  if (total <= STACK_FRAMES_MAX) return PPROFC_OK;
  return error_set(error, PPROFC_E_LIMIT,
                   "stacks have more than %llu frames in total (-noinlines drops inlined calls)",
                   (unsigned long long)STACK_FRAMES_MAX);
}

/* ---- the result -------------------------------------- */

/* Sorted stacks, while it is found what neighbours share. */
struct stacks_compare {
  const struct stacks_builder *builder;
  const struct stack_source *source;
  const uint32_t *order; /* [item_count] stacks of the source */
};

/* Sets depth and shared of one stack. The one before may be missing; `known`: its depth is set. */
static void compare_neighbours(const struct stacks_compare *c, size_t i, bool known) {
  const struct stack_source *source = c->source;
  struct stack_set *set = c->builder->set;
  struct frame_cursor cursor = frame_cursor_begin(source, c->order[i]);
  uint32_t shared = 0, frame, other;
  if (i) {
    struct frame_cursor before = frame_cursor_begin(source, c->order[i - 1]), next = cursor;
    bool longer = known && before.size <= cursor.size && cursor_is_same_path(&before, &cursor);
    if (longer) {
      shared = set->depth[i - 1];
      cursor.place.at = before.size;
    }
    while (!longer && shared < source->max_depth && frame_cursor_next(&before, &other) &&
           frame_cursor_next(&next, &frame) && frame == other) {
      shared++;
      cursor = next;
    }
  }
  uint64_t depth = shared + frame_cursor_rest(cursor);
  set->depth[i] = (uint32_t)(depth < source->max_depth ? depth : source->max_depth);
  set->shared[i] = shared;
}

static void compare_range(void *context, unsigned worker) {
  const struct stacks_compare *c = context;
  const struct stacks_builder *b = c->builder;
  size_t from = parallel_from(b->item_count, worker, b->workers);
  size_t end = parallel_from(b->item_count, worker + 1, b->workers);
  for (size_t i = from; i < end; i++) {
    cursor_touch_ahead(c->source->samples, c->source->sample, c->order, i, b->item_count);
    compare_neighbours(c, i, i > from);
  }
}

/* True if a stack has the frames of the one before. */
static bool stacks_is_again(const struct stack_set *set, size_t i) {
  return i && set->shared[i] == set->depth[i] && set->depth[i - 1] == set->depth[i];
}

/* True if each stack comes from one sample: then there is nothing to add up. */
static bool stacks_are_single(const struct stacks_builder *b) {
  bool single = !b->sample && !b->set->has_base;
  for (size_t i = 0; single && i < b->item_count; i++) single = !stacks_is_again(b->set, i);
  return single;
}

/* Adds the values of a stack of the source to the last one of the set. */
static void stacks_take_values(const struct stacks_builder *b, uint32_t stack, bool again) {
  const struct stack_set *set = b->set;
  size_t columns = set->columns;
  int64_t *sums = set->values + (set->count - 1) * columns;
  if (!again) memset(sums, 0, columns * sizeof *sums);
  if (b->sample)
    stacks_add_values(sums, b->values + stack * columns, columns);
  else
    stacks_add_sample(b, sums, stack);
}

/* Joins neighbours with the same frames and puts the values into the order of the stacks. The order
 * of the source's stacks becomes the order of samples. */
static void join_sorted(struct stacks_builder *b) {
  struct stack_set *set = b->set;
  bool again = false;
  for (size_t i = 0; i < b->item_count; i++) {
    uint32_t depth = set->depth[i], stack = set->sample[i];
    bool next_again = i + 1 < b->item_count && stacks_is_again(set, i + 1);
    if (!again) {
      set->sample[set->count] = b->sample ? b->sample[stack] : stack;
      set->depth[set->count] = depth;
      set->shared[set->count++] = set->shared[i];
      if (depth > set->max_depth) set->max_depth = depth;
    }
    if (set->values) stacks_take_values(b, stack, again);
    again = next_again;
  }
}

static bool make_set(struct stacks_builder *b, const struct stack_source *source) {
  struct stack_set *set = b->set;
  size_t count = b->item_count, cells;
  if (__builtin_mul_overflow(count, set->columns, &cells)) cells = SIZE_MAX;
  if (!stack_sort(source, set->sample, count, b->mem)) return false;
  set->depth = arena_array(&set->arena, count, sizeof *set->depth);
  set->shared = arena_array(&set->arena, count, sizeof *set->shared);
  if (!set->depth || !set->shared) return false;
  struct stacks_compare compare = {b, source, set->sample};
  parallel_run(b->workers, compare_range, &compare);
  if (!stacks_are_single(b)) {
    set->values = arena_array(&set->arena, cells, sizeof *set->values);
    if (!set->values) return false;
  }
  join_sorted(b);
  return !budget_stopped(b->mem);
}

/* Copies the parts of the selection that the set keeps. */
static void start_set(const struct stack_frames *frames, const struct stack_selection *selection,
                      const pprofc_allocator *mem, struct stack_set *set) {
  const pprofc_profile *p = frames->profile;
  *set = (struct stack_set){
      .types = p->type_count, .has_base = profile_has_base(p), .frames = frames, .cut = SIZE_MAX};
  set->columns = set->has_base ? 2 * set->types : set->types;
  if (selection) set->from_leaf = selection->from_leaf;
  if (selection && selection->max_depth) set->cut = selection->max_depth;
  arena_init(&set->arena, mem);
}

pprofc_status stack_set_build(const struct stack_frames *frames,
                              const struct stack_selection *selection, const pprofc_allocator *mem,
                              struct stack_set *set, pprofc_error *error) {
  const pprofc_profile *p = frames->profile;
  start_set(frames, selection, mem, set);
  struct stacks_builder b = {
      .frames = frames, .profile = p, .selection = selection, .mem = mem, .set = set};
  pprofc_status status = join_samples(&b) && stacks_list(&b) ? PPROFC_OK : error_nomem(error);
  unsigned threads = selection && selection->threads ? selection->threads : p->threads;
  b.workers = parallel_workers(threads, b.item_count, 20000);
  struct stack_source source = {frames, &p->samples, b.sample, set->from_leaf, set->cut};
  if (status == PPROFC_OK) status = check_frames(&b, &source, error);
  if (status == PPROFC_OK && !make_set(&b, &source)) status = error_nomem(error);
  stacks_forget_joined(&b);
  if (status != PPROFC_OK) stack_set_free(set);
  return status;
}

void stack_set_mark(const struct stack_set *set, uint8_t *used) {
  const struct samples *samples = &set->frames->profile->samples;
  const struct stack_source source = {set->frames, samples, NULL, set->from_leaf, set->cut};
  for (size_t i = 0; i < samples->count; i++) {
    if (values_are_zero(samples->values + i * set->types, set->types)) continue;
    struct frame_cursor cursor = frame_cursor_begin(&source, i);
    uint32_t frame;
    for (size_t d = 0; d < set->cut && frame_cursor_next(&cursor, &frame); d++) used[frame] = 1;
  }
}

static struct stack_source set_source(const struct stack_set *set) {
  return (struct stack_source){set->frames, &set->frames->profile->samples, set->sample,
                               set->from_leaf, set->cut};
}

/* Reads a byte that stacks after this one need (stacks/cursor.h). */
static void stacks_touch_ahead(const struct stack_set *set, size_t stack) {
  cursor_touch_ahead(&set->frames->profile->samples, set->sample, NULL, stack, set->count);
  if (!set->values && stack + CURSOR_NEAR < set->count)
    (void)*(const volatile int64_t *)stack_values(set, stack + CURSOR_NEAR);
}

size_t stack_set_read(const struct stack_set *set, size_t stack, uint32_t *frames) {
  const struct stack_source source = set_source(set);
  struct frame_cursor cursor = frame_cursor_begin(&source, stack);
  size_t depth = set->depth[stack];
  stacks_touch_ahead(set, stack);
  for (size_t i = 0; i < depth; i++) frame_cursor_next(&cursor, &frames[i]);
  return depth;
}

size_t stack_set_go_on(const struct stack_set *set, size_t stack, uint32_t *frames) {
  struct stack_source source = set_source(set);
  size_t depth = set->depth[stack], shared = set->shared[stack];
  if (set->cut != SIZE_MAX) return stack_set_read(set, stack, frames);
  stacks_touch_ahead(set, stack);
  source.from_leaf = !source.from_leaf;
  struct frame_cursor cursor = frame_cursor_begin(&source, stack);
  for (size_t i = depth; i > shared; i--) frame_cursor_next(&cursor, &frames[i - 1]);
  return depth;
}

bool stack_set_next(const struct stack_set *set, size_t stack, struct stack_part *part) {
  const struct stack_source source = set_source(set);
  struct cursor_place place = {part->at, part->taken};
  struct frame_cursor cursor = frame_cursor_at(&source, stack, place);
  if (!part->first && !part->count) stacks_touch_ahead(set, stack);
  part->first += part->count;
  uint32_t left = set->depth[stack] - part->first;
  part->count = left < STACK_PART ? left : STACK_PART;
  for (uint32_t i = 0; i < part->count; i++) frame_cursor_next(&cursor, &part->frames[i]);
  part->at = cursor.place.at;
  part->taken = cursor.place.taken;
  return part->count > 0;
}

void stack_set_free(struct stack_set *set) {
  arena_free(&set->arena);
}
