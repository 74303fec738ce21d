/* Sorting stacks by their frames. */
#include "stacks/sort.h"

#include <stdlib.h>

static uint64_t sort_key(const struct sort_item *item) {
  return (uint64_t)item->key[0] << 32 | item->key[1];
}

/* Reads the frames at depth `at` and behind it; 0 behind the last one, which comes first. */
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

static int sort_compare_keys(const void *left, const void *right) {
  uint64_t a = sort_key(left), b = sort_key(right);
  return a < b ? -1 : a > b;
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
  if (c <= a) return a;
  return c >= b ? b : c;
}

/* A key to split the range by. When chosen ones were bad too often, the range is sorted by key
 * first, which makes the true median known: no input can make this quadratic. */
static uint64_t pivot_key(struct sort_item *items, struct sort_range *range) {
  size_t n = range->to - range->from, middle = range->from + n / 2;
  if (!range->patience) {
    qsort(items + range->from, n, sizeof *items, sort_compare_keys);
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

/* Splits a range into what is below, at and above a key. Returns how many ranges are left to sort.
 */
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
  bool ended =
      (uint32_t)pivot == 0; /* the stack has no frame behind these: all of these are equal */
  if (upper - lower > 1 && !ended) {
    for (size_t i = lower; i < upper; i++) sort_read(source, &items[i], range.at + 2);
    parts[count++] = (struct sort_range){lower, upper, range.at + 2, 8};
  }
  return count;
}

/* Multikey quicksort by Bentley and Sedgewick, two frames at a time. The smallest part is sorted
 * first, so the ranges that wait shrink at least by half with each pair of them. */
void stack_sort(const struct stack_source *source, struct sort_item *items, size_t count) {
  struct sort_range waiting[160], parts[3];
  size_t depth = 0;
  for (size_t i = 0; i < count; i++) {
    items[i].place = (struct cursor_place){0, 0};
    sort_read(source, &items[i], 0);
  }
  if (count > 1) waiting[depth++] = (struct sort_range){0, count, 0, 8};
  while (depth) {
    struct sort_range range = waiting[--depth];
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
}
