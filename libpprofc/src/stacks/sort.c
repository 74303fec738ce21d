/* Sorting stacks by their frames.
 *
 * While stacks are sorted, each takes 20 bytes more. So many of them are divided into groups by
 * their first frames, and one group is sorted after the other. */
#include "stacks/sort.h"

#include "core/budget.h"
#include "core/threshold.h"

/* A stack while it is sorted: two of its frames are at hand, those at the depth reached. */
struct sort_item {
  uint32_t key[2];           /* frames + 1; 0 after the last */
  struct cursor_place place; /* place in the stack after these frames */
  uint32_t stack;            /* index of the stack in the source */
};

static uint64_t sort_key(const struct sort_item *item) {
  return (uint64_t)item->key[0] << 32 | item->key[1];
}

/* Reads the frames from depth `at` on; 0 stands for the end, which comes first. */
static void sort_read(const struct stack_source *source, struct sort_item *item, size_t at) {
  struct frame_cursor cursor = frame_cursor_at(source, item->stack, item->place);
  for (size_t k = 0; k < 2; k++) {
    uint32_t frame;
    bool any = at + k < source->max_depth && frame_cursor_next(&cursor, &frame);
    item->key[k] = any ? frame + 1 : 0;
    if (!any) item->key[1] = 0;
  }
  item->place = cursor.place;
}

static void swap_items(struct sort_item *a, struct sort_item *b) {
  struct sort_item t = *a;
  *a = *b;
  *b = t;
}

/* Moves an item down until those below it have no greater key. */
static void sort_sift(struct sort_item *items, size_t at, size_t count) {
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && sort_key(&items[child + 1]) > sort_key(&items[child])) child++;
    if (sort_key(&items[child]) <= sort_key(&items[at])) return;
    swap_items(&items[at], &items[child]);
  }
}

/* Sorts by keys, a heap's way: slower than other ways, but for no input much slower. */
static void sort_by_keys(struct sort_item *items, size_t count) {
  for (size_t i = count / 2; i-- > 0;) sort_sift(items, i, count);
  for (size_t end = count; end-- > 1;) {
    swap_items(&items[0], &items[end]);
    sort_sift(items, 0, end);
  }
}

struct sort_range {
  size_t from, to,
      at; /* items [from, to) agree in the frames before `at`, and have the keys of `at` */
  unsigned patience; /* bad splits that are still put up with */
};

static uint64_t median(uint64_t a, uint64_t b, uint64_t c) {
  if (a > b) {
    uint64_t t = a;
    a = b;
    b = t;
  }
  if (c <= a) return a;
  return c >= b ? b : c;
}

/* A key to split the range by. When chosen ones were bad too often, the range is sorted by key
 * first, which makes the true median known: no input can make this quadratic. */
static uint64_t pivot_key(struct sort_item *items, struct sort_range *range) {
  size_t n = range->to - range->from, middle = range->from + n / 2;
  if (!range->patience) {
    sort_by_keys(items + range->from, n);
    range->patience = 8;
    return sort_key(&items[middle]);
  }
  if (n < 64)
    return median(sort_key(&items[range->from]), sort_key(&items[middle]),
                  sort_key(&items[range->to - 1]));
  uint64_t thirds[3];
  for (size_t i = 0; i < 3; i++) {
    size_t at = range->from + n / 9 + i * (n / 3);
    thirds[i] =
        median(sort_key(&items[at - n / 9]), sort_key(&items[at]), sort_key(&items[at + n / 9]));
  }
  return median(thirds[0], thirds[1], thirds[2]);
}

/* Three-way partition; items equal to the pivot end up in [*lower, *upper). */
static void partition(struct sort_item *items, const struct sort_range *range, uint64_t pivot,
                      size_t *lower, size_t *upper) {
  size_t low = range->from, i = range->from, high = range->to;
  while (i < high) {
    uint64_t key = sort_key(&items[i]);
    if (key < pivot)
      swap_items(&items[low++], &items[i++]);
    else if (key > pivot)
      swap_items(&items[i], &items[--high]);
    else
      i++;
  }
  *lower = low;
  *upper = high;
}

/* True when a comes before b, both equal in the frames before `at`. */
static bool tail_before(const struct stack_source *source, const struct sort_item *a,
                        const struct sort_item *b, size_t at) {
  uint64_t x = sort_key(a), y = sort_key(b);
  if (x != y || !a->key[1]) return x < y;
  struct frame_cursor p = frame_cursor_at(source, a->stack, a->place),
                      q = frame_cursor_at(source, b->stack, b->place);
  for (size_t i = at + 2; i < source->max_depth; i++) {
    uint32_t f, g;
    if (!frame_cursor_next(&q, &g)) return false;
    if (!frame_cursor_next(&p, &f)) return true;
    if (f != g) return f < g;
  }
  return false;
}

static void insertion_sort(const struct stack_source *source, struct sort_item *items,
                           const struct sort_range *range) {
  for (size_t i = range->from + 1; i < range->to; i++) {
    struct sort_item item = items[i];
    size_t k = i;
    for (; k > range->from && tail_before(source, &item, &items[k - 1], range->at); k--)
      items[k] = items[k - 1];
    items[k] = item;
  }
}

/* From this depth on, a range may be one path. Most stacks differ before, and pay nothing. */
#define PATH_FROM 32

/* Sorts a range whose stacks are ends of the same bytes by their sizes; false if it is another.
 * Without this, a chain of n calls that are n samples takes n * n steps. */
static bool sort_path(const struct stack_source *source, struct sort_item *items,
                      const struct sort_range *range) {
  size_t n = range->to - range->from;
  if (range->at < PATH_FROM) return false;
  items += range->from;
  struct frame_cursor first = frame_cursor_at(source, items[0].stack, items[0].place);
  for (size_t i = 1; i < n; i++) {
    struct frame_cursor next = frame_cursor_at(source, items[i].stack, items[i].place);
    if (!cursor_is_same_path(&first, &next)) return false;
  }
  for (size_t i = 0; i < n; i++) {
    items[i].key[0] = frame_cursor_at(source, items[i].stack, items[i].place).size;
    items[i].key[1] = 0;
  }
  sort_by_keys(items, n);
  return true;
}

/* Splits a range into the parts below, at and above a key. Returns the number of ranges left
 * to sort. */
static size_t sort_split(const struct stack_source *source, struct sort_item *items,
                         struct sort_range range, struct sort_range parts[3]) {
  uint64_t pivot = pivot_key(items, &range);
  size_t lower, upper, n = range.to - range.from, count = 0;
  partition(items, &range, pivot, &lower, &upper);
  size_t larger = lower - range.from > range.to - upper ? lower - range.from : range.to - upper;
  unsigned patience = larger > n - n / 8 ? range.patience - 1 : range.patience;
  if (lower - range.from > 1)
    parts[count++] = (struct sort_range){range.from, lower, range.at, patience};
  if (range.to - upper > 1)
    parts[count++] = (struct sort_range){upper, range.to, range.at, patience};
  bool ended = (uint32_t)pivot == 0; /* the stack ends here: all of these are equal */
  if (upper - lower > 1 && !ended) {
    for (size_t i = lower; i < upper; i++) sort_read(source, &items[i], range.at + 2);
    parts[count++] = (struct sort_range){lower, upper, range.at + 2, 8};
  }
  return count;
}

/* Multikey quicksort by Bentley and Sedgewick, two frames at a time. The smallest part is sorted
 * first, so the ranges that wait shrink at least by half with each pair of them. */
static bool sort_items(const struct stack_source *source, struct sort_item *items, size_t count,
                       const pprofc_allocator *mem) {
  struct sort_range waiting[160], parts[3];
  size_t depth = 0;
  for (size_t i = 0; i < count; i++) {
    items[i].place = (struct cursor_place){0, 0};
    sort_read(source, &items[i], 0);
  }
  if (count > 1) waiting[depth++] = (struct sort_range){0, count, 0, 8};
  for (size_t round = 0; depth; round++) {
    if (budget_poll(mem, round)) return false;
    struct sort_range range = waiting[--depth];
    if (sort_path(source, items, &range)) continue;
    if (range.to - range.from <= 12) {
      insertion_sort(source, items, &range);
      continue;
    }
    size_t n = sort_split(source, items, range, parts);
    for (size_t i = 0; i < n; i++) { /* largest first, so that the smallest is next */
      size_t largest = i;
      for (size_t k = i + 1; k < n; k++)
        if (parts[k].to - parts[k].from > parts[largest].to - parts[largest].from) largest = k;
      waiting[depth++] = parts[largest];
      parts[largest] = parts[i];
    }
  }
  return true;
}

/* ---- groups ------------------------------------------ */

/* A group has at most one of four stacks, if first frames allow it. */
#define GROUPS      4
#define GROUPS_MOST (2 * GROUPS + 2)
#define GROUPS_FROM THRESHOLD((size_t)1 << 16) /* stacks; fewer are one group */

struct sort_groups {
  uint32_t *of_frame; /* by first frame + 1, 0 for a stack without frames */
  uint8_t *of_stack;  /* [count] */
  size_t count, size[GROUPS_MOST];
};

static uint32_t sort_first(const struct stack_source *source, uint32_t stack) {
  struct frame_cursor cursor = frame_cursor_begin(source, stack);
  uint32_t frame;
  return frame_cursor_next(&cursor, &frame) ? frame + 1 : 0;
}

/* From how many stacks have a first frame to the group of that frame. Any two neighbouring groups
 * have more than the most of one, so there are not many. */
static void sort_choose_groups(struct sort_groups *g, size_t frames, size_t count) {
  g->count = 1;
  for (size_t i = 0; i < frames; i++) {
    size_t more = g->of_frame[i];
    if (g->size[g->count - 1] && g->size[g->count - 1] + more > count / GROUPS) g->count++;
    g->of_frame[i] = (uint32_t)g->count - 1;
    g->size[g->count - 1] += more;
  }
}

static bool sort_find_groups(struct sort_groups *g, const struct stack_source *source,
                             const uint32_t *stacks, size_t count, const pprofc_allocator *mem) {
  size_t frames = source->frames->count + 1;
  g->of_frame = mem_zero_array(mem, frames, sizeof *g->of_frame);
  g->of_stack = mem_array(mem, count, sizeof *g->of_stack);
  bool done = g->of_frame && g->of_stack;
  for (size_t i = 0; done && i < count; i++) g->of_frame[sort_first(source, stacks[i])]++;
  if (done) sort_choose_groups(g, frames, count);
  for (size_t i = 0; done && i < count; i++)
    g->of_stack[i] = (uint8_t)g->of_frame[sort_first(source, stacks[i])];
  mem_free(mem, g->of_frame, frames, sizeof *g->of_frame);
  return done;
}

/* Puts the stacks of each group together; `room` is for a copy of all. */
static void sort_divide(const struct sort_groups *g, uint32_t *stacks, size_t count,
                        uint32_t *room) {
  size_t next[GROUPS_MOST] = {0};
  for (size_t k = 1; k < g->count; k++) next[k] = next[k - 1] + g->size[k - 1];
  memcpy(room, stacks, count * sizeof *room);
  for (size_t i = 0; i < count; i++) stacks[next[g->of_stack[i]]++] = room[i];
}

static bool sort_group(const struct stack_source *source, uint32_t *stacks, size_t count,
                       struct sort_item *items, const pprofc_allocator *mem) {
  for (size_t i = 0; i < count; i++) items[i].stack = stacks[i];
  if (!sort_items(source, items, count, mem)) return false;
  for (size_t i = 0; i < count; i++) stacks[i] = items[i].stack;
  return true;
}

bool stack_sort(const struct stack_source *source, uint32_t *stacks, size_t count,
                const pprofc_allocator *mem) {
  struct sort_groups g = {.count = 1, .size = {count}};
  bool many = count >= GROUPS_FROM;
  if (many) g.size[0] = 0;
  bool done = !many || sort_find_groups(&g, source, stacks, count, mem);
  size_t room = (count + GROUPS - 1) / GROUPS, from = 0; /* a copy of the stacks fits */
  for (size_t k = 0; k < g.count; k++)
    if (g.size[k] > room) room = g.size[k];
  struct sort_item *items = done ? mem_array(mem, room, sizeof *items) : NULL;
  if (items && g.count > 1) sort_divide(&g, stacks, count, (uint32_t *)(void *)items);
  mem_free(mem, g.of_stack, count, sizeof *g.of_stack);
  done = items != NULL;
  for (size_t k = 0; done && k < g.count; from += g.size[k++])
    done = sort_group(source, stacks + from, g.size[k], items, mem);
  mem_free(mem, items, room, sizeof *items);
  return done;
}
