/* Distinct stacks in order: samples with the same bytes are joined by hashing, the rest is sorted
 * by frames. */
#include "graph/stacks.h"

#include "base/map.h"
#include "base/parallel.h"

#include <stdlib.h>

/* A stack as the profile has it, locations. Two of them may turn out to have the same frames. */
struct packed_stack {
  uint32_t sample; /* the first with it */
  uint32_t depth;  /* of frames */
  uint64_t from;   /* of the pool */
  const uint32_t *map;
};

struct builder {
  const struct stack_frames *frames;
  const pprofc_profile *profile;
  const struct stack_selection *selection; /* or NULL */
  const pprofc_allocator *mem;
  size_t max_depth;
  struct stack_set *set;

  struct packed_stack *stacks;
  int64_t *values; /* [capacity * columns] */
  size_t count, capacity;
  uint32_t *pool; /* the frames of all packed stacks */
  unsigned workers;
};

/* ---- joining samples
 * ----------------------------------------------------------------------------- */

static bool is_base(const pprofc_profile *p, size_t sample) {
  const struct label *labels = sample_labels(&p->samples, sample);
  for (size_t i = 0, count = label_count(&p->samples, sample); i < count; i++)
    if (!labels[i].is_number && str_equal(profile_string(p, labels[i].key), STR("pprof::base")) &&
        str_equal(profile_string(p, labels[i].string), STR("true")))
      return true;
  return false;
}

static bool any_base(const pprofc_profile *p) {
  for (size_t i = 0; p->samples.label_from && i < p->samples.count; i++)
    if (is_base(p, i)) return true;
  return false;
}

static size_t selected_count(const struct builder *b) {
  return b->selection && b->selection->samples ? b->selection->count : b->profile->samples.count;
}

static size_t selected_sample(const struct builder *b, size_t i) {
  return b->selection && b->selection->samples ? b->selection->samples[i] : i;
}

static bool all_zero(const int64_t *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (values[i]) return false;
  return true;
}

/* Sums wrap, as everywhere. */
static void add_values(int64_t *to, const int64_t *from, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)from[i]);
}

static void add_sample(const struct builder *b, size_t stack, size_t sample) {
  const struct stack_set *set = b->set;
  const int64_t *values = b->profile->samples.values + sample * set->types;
  int64_t *sums = b->values + stack * set->columns;
  if (!set->has_base || !is_base(b->profile, sample)) {
    add_values(sums, values, set->types);
    return;
  }
  for (size_t i = 0; i < set->types; i++)
    sums[set->types + i] = (int64_t)((uint64_t)sums[set->types + i] - (uint64_t)values[i]);
}

/* The packed stack of a sample; MAP_NONE when out of memory. */
static uint32_t find_stack(struct builder *b, struct map *map, size_t sample,
                           const uint32_t *segment) {
  const struct samples *s = &b->profile->samples;
  uint64_t hash = hash_mix(hash_bytes(s->stack[sample], s->stack_size[sample]), (uintptr_t)segment);
  struct map_probe probe = map_start(map, hash);
  uint32_t index;
  while ((index = map_next(map, &probe)) != MAP_NONE) {
    size_t other = b->stacks[index].sample;
    if (b->stacks[index].map == segment && s->stack_size[other] == s->stack_size[sample] &&
        memcmp(s->stack[other], s->stack[sample], s->stack_size[sample]) == 0)
      return index;
  }
  if (!map_insert(map, hash, (uint32_t)b->count)) return MAP_NONE;
  b->stacks[b->count] = (struct packed_stack){.sample = (uint32_t)sample, .map = segment};
  return (uint32_t)b->count++;
}

/* Finds the distinct packed stacks and adds up their values. */
static bool join_samples(struct builder *b) {
  const struct samples *s = &b->profile->samples;
  size_t selected = selected_count(b);
  if (s->count >= MAP_NONE) return false;
  b->capacity = selected;
  b->stacks = mem_array(b->mem, selected, sizeof *b->stacks);
  size_t cells;
  if (!b->stacks || __builtin_mul_overflow(selected, b->set->columns, &cells)) return false;
  b->values = mem_zero_array(b->mem, cells, sizeof *b->values);
  if (!b->values) return false;
  struct map map;
  map_init(&map, b->mem);
  bool ok = map_reserve(&map, selected);
  struct stack_reader reader = stack_reader_at(s, 0);
  for (size_t i = 0; ok && i < selected; i++) {
    size_t sample = selected_sample(b, i);
    if (all_zero(s->values + sample * b->set->types, b->set->types)) continue;
    uint32_t stack = find_stack(b, &map, sample, stack_map(&reader, sample));
    ok = stack != MAP_NONE;
    if (ok) add_sample(b, stack, sample);
  }
  map_free(&map);
  return ok;
}

/* ---- frames
 * -------------------------------------------------------------------------------------- */

/* The locations of a stack, leaf first. */
static size_t unpack(const struct samples *s, const struct packed_stack *stack,
                     uint32_t *locations) {
  const uint8_t *p = s->stack[stack->sample], *end = p + s->stack_size[stack->sample];
  size_t depth = 0;
  while (p < end) {
    uint32_t id;
    p = stack_varint(p, &id);
    uint32_t location = stack->map ? stack->map[id] : id - 1;
    if (location != LOCATION_HIDDEN) locations[depth++] = location;
  }
  return depth;
}

/* How many frames a stack has; they are put into `out` when that is not NULL, root first. */
static size_t expand(const struct builder *b, const struct packed_stack *stack, uint32_t *locations,
                     uint32_t *out) {
  const uint32_t *from = b->frames->location_from;
  size_t filled = 0;
  for (size_t i = unpack(&b->profile->samples, stack, locations);
       i-- > 0 && filled < b->max_depth;) {
    size_t count = from[locations[i] + 1] - from[locations[i]];
    if (count > b->max_depth - filled) count = b->max_depth - filled;
    if (out)
      memcpy(out + filled, b->frames->location_frames + from[locations[i]], count * sizeof *out);
    filled += count;
  }
  return filled;
}

struct expansion {
  struct builder *builder;
  uint32_t *locations; /* [workers * max_depth] of the samples */
  bool fill;
};

static void expand_range(void *context, unsigned worker) {
  struct expansion *e = context;
  struct builder *b = e->builder;
  uint32_t *locations = e->locations + (size_t)worker * b->profile->samples.max_depth;
  size_t end = parallel_from(b->count, worker + 1, b->workers);
  for (size_t i = parallel_from(b->count, worker, b->workers); i < end; i++) {
    struct packed_stack *stack = &b->stacks[i];
    size_t depth = expand(b, stack, locations, e->fill ? b->pool + stack->from : NULL);
    stack->depth = depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
  }
}

static pprofc_status fill_pool(struct builder *b, struct expansion *e, pprofc_error *error) {
  parallel_run(b->workers, expand_range, e);
  uint64_t total = 0;
  for (size_t i = 0; i < b->count; i++) {
    b->stacks[i].from = total;
    total += b->stacks[i].depth;
    if (b->stacks[i].depth > b->set->max_depth) b->set->max_depth = b->stacks[i].depth;
    if (total > STACK_FRAMES_MAX)
      return error_set(error, PPROFC_E_LIMIT,
                       "stacks have more than %llu frames together (inlined calls can be left out "
                       "with -noinlines)",
                       (unsigned long long)STACK_FRAMES_MAX);
  }
  b->pool = arena_array(&b->set->arena, (size_t)total, sizeof *b->pool);
  if (!b->pool) return error_nomem(error);
  e->fill = true;
  parallel_run(b->workers, expand_range, e);
  return PPROFC_OK;
}

static pprofc_status expand_all(struct builder *b, pprofc_error *error) {
  size_t room = b->profile->samples.max_depth, all;
  if (__builtin_mul_overflow(room, (size_t)b->workers, &all)) return error_nomem(error);
  struct expansion e = {.builder = b, .locations = mem_array(b->mem, all, sizeof *e.locations)};
  if (!e.locations) return error_nomem(error);
  pprofc_status status = fill_pool(b, &e, error);
  mem_free(b->mem, e.locations, all, sizeof *e.locations);
  return status;
}

/* ---- order
 * --------------------------------------------------------------------------------------- */

/* A stack while it is sorted: two of its frames are at hand, those at the depth reached. */
struct sort_item {
  uint64_t key;
  const uint32_t *frames;
  uint32_t depth;
  uint32_t stack;
};

/* The frames at `at` and behind it; 0 behind the leaf, which comes first. */
static uint64_t sort_key(const struct sort_item *item, size_t at) {
  uint64_t first = at < item->depth ? (uint64_t)item->frames[at] + 1 : 0;
  uint64_t second = at + 1 < item->depth ? (uint64_t)item->frames[at + 1] + 1 : 0;
  return first << 32 | second;
}

static int compare_keys(const void *left, const void *right) {
  const struct sort_item *a = left, *b = right;
  return a->key < b->key ? -1 : a->key > b->key;
}

struct sort_range {
  size_t from, to,
      at; /* items [from, to) agree in the frames before `at`, and their keys are those of `at` */
  unsigned patience; /* bad splits that are still put up with */
};

static uint64_t median(uint64_t a, uint64_t b, uint64_t c) {
  if (a > b) {
    uint64_t t = a;
    a = b;
    b = t;
  }
  return c <= a ? a : c >= b ? b : c;
}

/* A key to split the range by. When chosen ones were bad too often, the range is sorted by key
 * first, which makes the true median known: no input can make this quadratic. */
static uint64_t pivot_key(struct sort_item *items, struct sort_range *range) {
  size_t n = range->to - range->from, middle = range->from + n / 2;
  if (!range->patience) {
    qsort(items + range->from, n, sizeof *items, compare_keys);
    range->patience = 8;
    return items[middle].key;
  }
  if (n < 64) return median(items[range->from].key, items[middle].key, items[range->to - 1].key);
  uint64_t thirds[3];
  for (size_t i = 0; i < 3; i++) {
    size_t at = range->from + n / 9 + i * (n / 3);
    thirds[i] = median(items[at - n / 9].key, items[at].key, items[at + n / 9].key);
  }
  return median(thirds[0], thirds[1], thirds[2]);
}

static void swap_items(struct sort_item *a, struct sort_item *b) {
  struct sort_item t = *a;
  *a = *b;
  *b = t;
}

/* Three-way partition; items equal to the pivot end up in [*lower, *upper). */
static void partition(struct sort_item *items, const struct sort_range *range, uint64_t pivot,
                      size_t *lower, size_t *upper) {
  size_t low = range->from, i = range->from, high = range->to;
  while (i < high) {
    if (items[i].key < pivot)
      swap_items(&items[low++], &items[i++]);
    else if (items[i].key > pivot)
      swap_items(&items[i], &items[--high]);
    else
      i++;
  }
  *lower = low;
  *upper = high;
}

/* True when a comes before b, both equal in the frames before `at`. */
static bool tail_before(const struct sort_item *a, const struct sort_item *b, size_t at) {
  if (a->key != b->key) return a->key < b->key;
  for (size_t i = at + 2;; i++) {
    if (i >= b->depth) return false;
    if (i >= a->depth) return true;
    if (a->frames[i] != b->frames[i]) return a->frames[i] < b->frames[i];
  }
}

static void insertion_sort(struct sort_item *items, const struct sort_range *range) {
  for (size_t i = range->from + 1; i < range->to; i++) {
    struct sort_item item = items[i];
    size_t k = i;
    for (; k > range->from && tail_before(&item, &items[k - 1], range->at); k--)
      items[k] = items[k - 1];
    items[k] = item;
  }
}

/* Splits a range into what is below, at and above a key. Returns how many ranges are left to sort.
 */
static size_t split(struct sort_item *items, struct sort_range range, struct sort_range parts[3]) {
  uint64_t pivot = pivot_key(items, &range);
  size_t lower, upper, n = range.to - range.from, count = 0;
  partition(items, &range, pivot, &lower, &upper);
  size_t larger = lower - range.from > range.to - upper ? lower - range.from : range.to - upper;
  unsigned patience = larger > n - n / 8 ? range.patience - 1 : range.patience;
  if (lower - range.from > 1)
    parts[count++] = (struct sort_range){range.from, lower, range.at, patience};
  if (range.to - upper > 1)
    parts[count++] = (struct sort_range){upper, range.to, range.at, patience};
  bool ended =
      (uint32_t)pivot == 0; /* the stack has no frame behind these: all of these are equal */
  if (upper - lower > 1 && !ended) {
    for (size_t i = lower; i < upper; i++) items[i].key = sort_key(&items[i], range.at + 2);
    parts[count++] = (struct sort_range){lower, upper, range.at + 2, 8};
  }
  return count;
}

/* Multikey quicksort by Bentley and Sedgewick, two frames at a time. The smallest part is sorted
 * first, so the ranges that wait shrink at least by half with each pair of them. */
static void sort_stacks(struct sort_item *items, size_t count) {
  struct sort_range waiting[160], parts[3];
  size_t depth = 0;
  if (count > 1) waiting[depth++] = (struct sort_range){0, count, 0, 8};
  while (depth) {
    struct sort_range range = waiting[--depth];
    if (range.to - range.from <= 12) {
      insertion_sort(items, &range);
      continue;
    }
    size_t n = split(items, range, parts);
    for (size_t i = 0; i < n; i++) { /* largest first, so that the smallest is next */
      size_t largest = i;
      for (size_t k = i + 1; k < n; k++)
        if (parts[k].to - parts[k].from > parts[largest].to - parts[largest].from) largest = k;
      waiting[depth++] = parts[largest];
      parts[largest] = parts[i];
    }
  }
}

/* ---- the result
 * ---------------------------------------------------------------------------------- */

static size_t shared_frames(const uint32_t *a, size_t a_depth, const uint32_t *b, size_t b_depth) {
  size_t most = a_depth < b_depth ? a_depth : b_depth, shared = 0;
  while (shared < most && a[shared] == b[shared]) shared++;
  return shared;
}

/* Joins what has the same frames and notes what neighbours share. */
static void join_sorted(struct builder *b, const struct sort_item *items) {
  struct stack_set *set = b->set;
  for (size_t i = 0; i < b->count; i++) {
    const int64_t *values = b->values + (size_t)items[i].stack * set->columns;
    size_t last = set->count - 1, shared = 0;
    if (set->count) {
      shared = shared_frames(set->frames[last], set->depth[last], items[i].frames, items[i].depth);
      if (shared == set->depth[last] && shared == items[i].depth) {
        add_values(set->values + last * set->columns, values, set->columns);
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

static bool sort_all(struct builder *b) {
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
          .frames = b->pool + b->stacks[i].from, .depth = b->stacks[i].depth, .stack = (uint32_t)i};
      items[i].key = sort_key(&items[i], 0);
    }
    sort_stacks(items, b->count);
    join_sorted(b, items);
  }
  mem_free(b->mem, items, b->count, sizeof *items);
  return ok;
}

pprofc_status stack_set_build(const struct stack_frames *frames,
                              const struct stack_selection *selection, const pprofc_allocator *mem,
                              struct stack_set *set, pprofc_error *error) {
  const pprofc_profile *p = frames->profile;
  *set = (struct stack_set){.types = p->type_count, .has_base = any_base(p)};
  set->columns = set->has_base ? 2 * set->types : set->types;
  arena_init(&set->arena, mem);
  struct builder b = {
      .frames = frames, .profile = p, .selection = selection, .mem = mem, .set = set};
  b.max_depth = selection && selection->max_depth ? selection->max_depth : SIZE_MAX;
  pprofc_status status = join_samples(&b) ? PPROFC_OK : error_nomem(error);
  b.workers = parallel_workers(p->threads, b.count, 20000);
  if (status == PPROFC_OK) status = expand_all(&b, error);
  if (status == PPROFC_OK && !sort_all(&b)) status = error_nomem(error);
  mem_free(mem, b.values, b.capacity * set->columns, sizeof *b.values);
  mem_free(mem, b.stacks, b.capacity, sizeof *b.stacks);
  if (status != PPROFC_OK) arena_free(&set->arena);
  return status;
}

void stack_set_free(struct stack_set *set) {
  arena_free(&set->arena);
}
