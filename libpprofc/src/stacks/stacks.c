/* Distinct stacks in order: samples with the same bytes are joined by hashing, the rest is sorted
 * by frames. */
#include "stacks/stacks.h"

#include "core/budget.h"
#include "core/map.h"
#include "core/parallel.h"
#include "profile/stack.h"
#include "profile/sum.h"
#include "stacks/sort.h"

/* A stack as the profile has it, locations. Two of them may turn out to have the same frames. */
struct distinct_stack {
  const uint32_t *map; /* of its segment */
  union {
    const uint8_t *leaf;    /* the packed bytes, until it is expanded */
    const uint32_t *frames; /* then: root first */
  };
  uint32_t size;  /* of the packed bytes */
  uint32_t depth; /* frames: more than locations where calls were inlined */
};

struct stacks_builder {
  const struct stack_frames *frames;
  const pprofc_profile *profile;
  const struct stack_selection *selection; /* or NULL */
  const pprofc_allocator *mem;
  size_t max_depth;
  struct stack_set *set;

  struct distinct_stack *stacks;
  int64_t *values; /* [capacity * columns] */
  size_t count, capacity;
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

static void stacks_add_sample(const struct stacks_builder *b, size_t stack, size_t sample) {
  const struct stack_set *set = b->set;
  const int64_t *values = b->profile->samples.values + sample * set->types;
  int64_t *sums = b->values + stack * set->columns;
  if (!set->has_base || !sample_is_base(b->profile, sample)) {
    stacks_add_values(sums, values, set->types);
    return;
  }
  for (size_t i = 0; i < set->types; i++)
    sums[set->types + i] = sum_subtract(sums[set->types + i], values[i]);
}

/* A sample on its way into the table. Many are on their way at once, and the memory that each will
 * need is asked for a round before: the slot of the table, what is known of the stack found there,
 * then its bytes. */
struct pending {
  size_t sample;
  const uint32_t *map; /* of its segment */
  uint64_t hash;
  uint32_t likely; /* the stack that has the same hash, or MAP_NONE */
};

#define PENDING_MAX  32
#define PREFETCH_MAX 256u /* bytes of a stack */

static bool stacks_is_same(const struct stacks_builder *b, uint32_t index,
                           const struct pending *pending) {
  const struct samples *s = &b->profile->samples;
  const struct distinct_stack *stack = &b->stacks[index];
  uint32_t size = s->stack_size[pending->sample];
  return stack->map == pending->map && stack->size == size &&
         (size == 0 || memcmp(stack->leaf, s->stack[pending->sample], size) == 0);
}

/* The packed stack of a sample; MAP_NONE when out of memory. */
static uint32_t find_stack(struct stacks_builder *b, struct map *map,
                           const struct pending *pending) {
  const struct samples *s = &b->profile->samples;
  struct map_probe probe = map_start(map, pending->hash);
  uint32_t index;
  while ((index = map_next(map, &probe)) != MAP_NONE)
    if (stacks_is_same(b, index, pending)) return index;
  if (!map_insert(map, pending->hash, (uint32_t)b->count)) return MAP_NONE;
  b->stacks[b->count] = (struct distinct_stack){.map = pending->map,
                                                .leaf = s->stack[pending->sample],
                                                .size = s->stack_size[pending->sample]};
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
    __builtin_prefetch(&map->slots[map_start(map, p->hash).position]);
  }
  return i;
}

/* Asks for the memory of the stacks that hashed samples are likely to have. */
static void prefetch_stacks(const struct stacks_builder *b, const struct map *map,
                            struct pending *pending, size_t count) {
  for (size_t k = 0; k < count; k++) {
    struct map_probe probe = map_start(map, pending[k].hash);
    uint32_t likely = pending[k].likely = map_next(map, &probe);
    if (likely == MAP_NONE) continue;
    __builtin_prefetch(&b->stacks[likely]);
    __builtin_prefetch(b->values + likely * b->set->columns);
  }
  for (size_t k = 0; k < count; k++) {
    if (pending[k].likely == MAP_NONE) continue;
    const struct distinct_stack *stack = &b->stacks[pending[k].likely];
    uint32_t size = stack->size < PREFETCH_MAX ? stack->size : PREFETCH_MAX;
    for (uint32_t at = 0; at < size; at += 64) __builtin_prefetch(stack->leaf + at);
  }
}

static bool join_in_order(struct stacks_builder *b, struct map *map) {
  struct pending pending[PENDING_MAX];
  struct stack_reader reader = stack_reader_at(&b->profile->samples, 0);
  size_t count, selected = selected_count(b);
  for (size_t i = 0; i < selected;) {
    i = hash_samples(b, map, i, &reader, pending, &count);
    prefetch_stacks(b, map, pending, count);
    for (size_t k = 0; k < count; k++) {
      uint32_t stack = find_stack(b, map, &pending[k]);
      if (stack == MAP_NONE || budget_poll(b->mem, pending[k].sample)) return false;
      stacks_add_sample(b, stack, pending[k].sample);
    }
  }
  return true;
}

/* Finds the distinct packed stacks and adds up their values. */
static bool join_samples(struct stacks_builder *b) {
  size_t cells;
  b->capacity = selected_count(b);
  if (b->profile->samples.count >= MAP_NONE ||
      __builtin_mul_overflow(b->capacity, b->set->columns, &cells))
    return false;
  b->stacks = mem_array(b->mem, b->capacity, sizeof *b->stacks);
  b->values = mem_zero_array(b->mem, cells, sizeof *b->values);
  struct map map;
  map_init(&map, b->mem);
  bool ok = b->stacks && b->values && map_reserve(&map, b->capacity) && join_in_order(b, &map);
  map_free(&map);
  return ok;
}

/* ---- frames ------------------------------------------ */

/* The locations of a stack, leaf first. */
static size_t unpack(const struct distinct_stack *stack, uint32_t *locations) {
  struct packed_stack packed = {stack->leaf, stack->leaf + stack->size, stack->map};
  return stack_unpack(packed, locations);
}

/* Room for the frames of many stacks. */
struct stack_slab {
  struct stack_slab *next;
  size_t capacity, used;
  uint32_t frames[];
};

#define SLAB_FRAMES ((size_t)1 << 20)

static void free_slabs(struct stack_slab *slab, const pprofc_allocator *mem) {
  while (slab) {
    struct stack_slab *next = slab->next;
    mem_free(mem, slab, 1, sizeof *slab + slab->capacity * sizeof *slab->frames);
    slab = next;
  }
}

/* One thread that expands a range of stacks. */
struct expander {
  struct stacks_builder *builder;
  struct stack_slab *slabs;
  uint32_t *locations; /* [max_depth] of the samples */
  uint64_t total;
  bool failed; /* out of memory */
};

static uint32_t *take_frames(struct expander *e, size_t count) {
  if (!e->slabs || count > e->slabs->capacity - e->slabs->used) {
    size_t capacity = count > SLAB_FRAMES ? count : SLAB_FRAMES;
    struct stack_slab *slab =
        mem_array(e->builder->mem, 1, sizeof *slab + capacity * sizeof *slab->frames);
    if (!slab) return NULL;
    *slab = (struct stack_slab){.next = e->slabs, .capacity = capacity};
    e->slabs = slab;
  }
  e->slabs->used += count;
  return e->slabs->frames + e->slabs->used - count;
}

/* The frames of a stack from the root on; false when there are too many or no memory for them. */
static bool stacks_expand(struct expander *e, struct distinct_stack *stack) {
  const struct stacks_builder *b = e->builder;
  const uint32_t *from = b->frames->location_from;
  size_t locations = unpack(stack, e->locations), depth = 0;
  for (size_t i = 0; i < locations; i++) depth += from[e->locations[i] + 1] - from[e->locations[i]];
  if (depth > b->max_depth) depth = b->max_depth;
  e->total += depth;
  if (e->total > STACK_FRAMES_MAX) return false;
  uint32_t *frames = take_frames(e, depth);
  if (!frames) {
    e->failed = true;
    return false;
  }
  stack->frames = frames;
  stack->depth = (uint32_t)depth;
  for (size_t i = locations, filled = 0; i-- > 0 && filled < depth;) {
    const uint32_t *next = b->frames->location_frames + from[e->locations[i]];
    const uint32_t *end = b->frames->location_frames + from[e->locations[i] + 1];
    while (next < end && filled < depth) frames[filled++] = *next++;
  }
  return true;
}

static void expand_range(void *context, unsigned worker) {
  struct expander *e = (struct expander *)context + worker;
  struct stacks_builder *b = e->builder;
  size_t end = parallel_from(b->count, worker + 1, b->workers);
  for (size_t i = parallel_from(b->count, worker, b->workers); i < end; i++)
    if (!stacks_expand(e, &b->stacks[i]) || budget_poll(b->mem, i)) return;
}

/* Hands the slabs of all threads to the set. */
static pprofc_status stacks_gather(struct stacks_builder *b, struct expander *expanders,
                                   pprofc_error *error) {
  uint64_t total = 0;
  bool failed = false;
  for (unsigned w = 0; w < b->workers; w++) {
    struct stack_slab *last = expanders[w].slabs;
    while (last && last->next) last = last->next;
    if (last) {
      last->next = b->set->slabs;
      b->set->slabs = expanders[w].slabs;
    }
    total += expanders[w].total;
    failed = failed || expanders[w].failed;
  }
  if (failed) return error_nomem(error);
  if (total > STACK_FRAMES_MAX)
    return error_set(error, PPROFC_E_LIMIT,
                     "stacks have more than %llu frames together (inlined calls can be left out "
                     "with -noinlines)",
                     (unsigned long long)STACK_FRAMES_MAX);
  for (size_t i = 0; i < b->count; i++)
    if (b->stacks[i].depth > b->set->max_depth) b->set->max_depth = b->stacks[i].depth;
  return PPROFC_OK;
}

static pprofc_status expand_all(struct stacks_builder *b, pprofc_error *error) {
  struct expander *expanders = mem_zero_array(b->mem, b->workers, sizeof *expanders);
  size_t room = b->profile->samples.max_depth;
  bool ready = expanders != NULL;
  for (unsigned w = 0; expanders && w < b->workers; w++) {
    expanders[w].builder = b;
    expanders[w].locations = mem_array(b->mem, room, sizeof *expanders[w].locations);
    ready = ready && expanders[w].locations;
  }
  pprofc_status status = ready ? PPROFC_OK : error_nomem(error);
  if (ready) {
    parallel_run(b->workers, expand_range, expanders);
    status = stacks_gather(b, expanders, error);
  }
  for (unsigned w = 0; expanders && w < b->workers; w++)
    mem_free(b->mem, expanders[w].locations, room, sizeof *expanders[w].locations);
  mem_free(b->mem, expanders, b->workers, sizeof *expanders);
  return status;
}

/* ---- the result -------------------------------------- */

static size_t shared_frames(const uint32_t *a, size_t a_depth, const uint32_t *b, size_t b_depth) {
  size_t most = a_depth < b_depth ? a_depth : b_depth, shared = 0;
  while (shared < most && a[shared] == b[shared]) shared++;
  return shared;
}

/* Joins what has the same frames and notes what neighbours share. */
static void join_sorted(struct stacks_builder *b, const struct sort_item *items) {
  struct stack_set *set = b->set;
  for (size_t i = 0; i < b->count; i++) {
    const int64_t *values = b->values + (size_t)items[i].stack * set->columns;
    size_t last = set->count - 1, shared = 0;
    if (set->count) {
      shared = shared_frames(set->frames[last], set->depth[last], items[i].frames, items[i].depth);
      if (shared == set->depth[last] && shared == items[i].depth) {
        stacks_add_values(set->values + last * set->columns, values, set->columns);
        continue;
      }
    }
    set->frames[set->count] = items[i].frames;
    set->depth[set->count] = items[i].depth;
    set->shared[set->count] = (uint32_t)shared;
    memcpy(set->values + set->count * set->columns, values, set->columns * sizeof *values);
    set->count++;
  }
}

static bool sort_all(struct stacks_builder *b) {
  struct stack_set *set = b->set;
  struct sort_item *items = mem_array(b->mem, b->count, sizeof *items);
  set->frames = arena_array(&set->arena, b->count, sizeof *set->frames);
  set->depth = arena_array(&set->arena, b->count, sizeof *set->depth);
  set->shared = arena_array(&set->arena, b->count, sizeof *set->shared);
  set->values = arena_array(&set->arena, b->count * set->columns, sizeof *set->values);
  bool ok = items && set->frames && set->depth && set->shared && set->values;
  if (ok) {
    for (size_t i = 0; i < b->count; i++) {
      items[i] = (struct sort_item){
          .frames = b->stacks[i].frames, .depth = b->stacks[i].depth, .stack = (uint32_t)i};
      items[i].key = stack_sort_key(&items[i], 0);
    }
    stack_sort(items, b->count);
    join_sorted(b, items);
  }
  mem_free(b->mem, items, b->count, sizeof *items);
  return ok;
}

pprofc_status stack_set_build(const struct stack_frames *frames,
                              const struct stack_selection *selection, const pprofc_allocator *mem,
                              struct stack_set *set, pprofc_error *error) {
  const pprofc_profile *p = frames->profile;
  *set = (struct stack_set){.types = p->type_count, .has_base = profile_has_base(p)};
  set->columns = set->has_base ? 2 * set->types : set->types;
  arena_init(&set->arena, mem);
  struct stacks_builder b = {
      .frames = frames, .profile = p, .selection = selection, .mem = mem, .set = set};
  b.max_depth = selection && selection->max_depth ? selection->max_depth : SIZE_MAX;
  pprofc_status status = join_samples(&b) ? PPROFC_OK : error_nomem(error);
  unsigned threads = selection && selection->threads ? selection->threads : p->threads;
  b.workers = parallel_workers(threads, b.count, 20000);
  if (status == PPROFC_OK) status = expand_all(&b, error);
  if (status == PPROFC_OK && !sort_all(&b)) status = error_nomem(error);
  mem_free(mem, b.values, b.capacity * set->columns, sizeof *b.values);
  mem_free(mem, b.stacks, b.capacity, sizeof *b.stacks);
  if (status != PPROFC_OK) stack_set_free(set);
  return status;
}

void stack_set_free(struct stack_set *set) {
  free_slabs(set->slabs, set->arena.mem);
  set->slabs = NULL;
  arena_free(&set->arena);
}
