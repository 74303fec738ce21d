/* What rows come to at the most, by location: added up while they are read.
 *
 * `-top` of rows first adds the value of each sample to small counters of its locations, and these
 * tell of most functions that they stay below the cutoff (graph/sums_rough.c). The thread that
 * reads has time for that while the other one inflates, and it looks at each id anyway. Counters
 * have values in units that grow with the total. The first rows wait in their column until it is
 * known what values are like; then those are counted, and from there on each row as it comes. */
#include "codec/fold.h"

#include "core/array.h"

/* Rows after each of which it is asked whether counting begins. */
#define COUNTS_CHECK 8192u

/* Units of the total, in bits. A cutoff of 0.5 % has 14 of them. */
#define COUNTS_BITS 22

/* Memory of the counters, in bytes of the rows, at the most: ids may be anything. */
#define COUNTS_SHARE 2

#define COUNTS_BYTES (sizeof(uint16_t) + sizeof(int64_t)) /* of an id */

static uint16_t *fold_counts_sizes(const struct fold *f) {
  return f->counts.sizes.items;
}

/* ---- room -------------------------------------------- */

/* Room for ids up to `largest`; false where they are too sparse, or when out of memory. */
static bool fold_counts_reserve(struct fold *f, uint64_t largest) {
  struct fold_counts *c = &f->counts;
  if (largest >= f->row_bytes / COUNTS_BYTES * COUNTS_SHARE) return false;
  size_t room = (size_t)largest + (size_t)largest / 16 + 1;
  if (!fold_column_reserve(&c->sizes, f->mem, room, sizeof(uint16_t)) ||
      !fold_column_reserve(&c->leaves, f->mem, room, sizeof(int64_t)))
    return false;
  memset((uint16_t *)c->sizes.items + c->room, 0, (room - c->room) * sizeof(uint16_t));
  memset((int64_t *)c->leaves.items + c->room, 0, (room - c->room) * sizeof(int64_t));
  c->room = room;
  return true;
}

/* Ends counting before the end: the graph does it then. */
static void fold_counts_give_up(struct fold *f) {
  struct fold_counts *c = &f->counts;
  fold_counts_note(f);
  if (c->sizes.region) region_release(c->sizes.region);
  if (c->leaves.region) region_release(c->leaves.region);
  *c = (struct fold_counts){.over = true};
}

/* ---- units ------------------------------------------- */

/* Makes units as large as the total wants them. A counter that is full stays so. */
static void fold_counts_fit(struct fold *f) {
  struct fold_counts *c = &f->counts;
  unsigned before = c->shift;
  while (c->total >> c->shift >> COUNTS_BITS) c->shift++;
  uint16_t *sizes = fold_counts_sizes(f);
  for (size_t i = 0; before < c->shift && i < c->room; i++)
    if (sizes[i] && sizes[i] != STACK_COUNT_FULL)
      sizes[i] = (uint16_t)(((uint64_t)(sizes[i] - 1) >> (c->shift - before)) + 1);
}

/* A value in units, rounded up. */
static uint32_t fold_counts_units(const struct fold_counts *c, int64_t value) {
  uint64_t units = ((uint64_t)(value - 1) >> c->shift) + 1;
  return units < STACK_COUNT_FULL ? (uint32_t)units : STACK_COUNT_FULL;
}

/* ---- rows -------------------------------------------- */

static inline uint32_t fold_counts_load(const uint8_t *at) {
  uint32_t bytes;
  memcpy(&bytes, at, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  bytes = __builtin_bswap32(bytes);
#endif
  return bytes;
}

static inline uint16_t fold_counts_sum(uint16_t size, uint32_t units) {
  uint32_t sum = size + units;
  return (uint16_t)(sum < STACK_COUNT_FULL ? sum : STACK_COUNT_FULL);
}

/* A part of a stack that is to be counted. */
struct fold_counts_part {
  const uint8_t *at, *end;
  uint32_t units;
  size_t depth; /* ids that were counted */
};

/* Adds ids of three and two bytes, which most are, until another one comes, or one without counter.
 * Not inlined: it needs the registers. */
__attribute__((noinline)) static void fold_counts_add_usual(const struct fold *f,
                                                            struct fold_counts_part *p) {
  uint16_t *sizes = fold_counts_sizes(f);
  const uint8_t *at = p->at, *end = p->end;
  uint32_t room = f->counts.room < UINT32_MAX ? (uint32_t)f->counts.room : UINT32_MAX;
  uint32_t units = p->units;
  size_t depth = p->depth;
  while (end - at >= 4) {
    uint32_t x = fold_counts_load(at), id = (x & 0x7F) | (x >> 1 & 0x7F << 7);
    size_t bytes = 2;
    if ((x & 0x808080) == 0x008080) {
      id |= x >> 2 & 0x7F << 14;
      bytes = 3;
    } else if ((x & 0x8080) != 0x0080) {
      break;
    }
    if (id >= room) break;
    sizes[id] = fold_counts_sum(sizes[id], units);
    at += bytes;
    depth++;
  }
  p->at = at;
  p->depth = depth;
}

/* Adds to the counters of a stack; false where an id cannot be read, *good is false where there is
 * no room for its counter. */
static bool fold_counts_add(struct fold *f, struct fold_counts_part *p, bool *good) {
  while (*good && p->at < p->end) {
    uint64_t id;
    fold_counts_add_usual(f, p);
    if (p->at == p->end) return true;
    if (varint_read(&p->at, p->end, &id) != VARINT_GOOD) return false;
    *good = id < f->counts.room || fold_counts_reserve(f, id);
    if (!*good) return true;
    uint16_t *size = &fold_counts_sizes(f)[id];
    *size = fold_counts_sum(*size, p->units);
    p->depth++;
  }
  return true;
}

/* Adds the row to its leaf, and its value to the total; false when that passes 63 bits. */
static bool fold_counts_add_leaf(struct fold *f, const uint8_t *at, const uint8_t *end,
                                 int64_t value) {
  struct fold_counts *c = &f->counts;
  uint64_t id;
  if (__builtin_add_overflow(c->total, value, &c->total)) return false;
  if (c->total >> c->shift >> COUNTS_BITS) fold_counts_fit(f);
  if (at == end || varint_read(&at, end, &id) != VARINT_GOOD) return true;
  if (id >= c->room && !fold_counts_reserve(f, id)) return false;
  ((int64_t *)c->leaves.items)[id] += value;
  return true;
}

bool fold_count_row(struct fold *f, const uint8_t *stack, size_t size, int64_t value) {
  struct fold_counts_part part = {.at = stack, .end = stack + size};
  bool good = fold_counts_add_leaf(f, stack, part.end, value);
  part.units = fold_counts_units(&f->counts, value);
  if (!fold_counts_add(f, &part, &good)) return false;
  if (!good) {
    fold_counts_give_up(f);
    return fold_note_ids(f, stack, size);
  }
  if (part.depth > f->max_depth) f->max_depth = part.depth;
  return part.depth <= f->limits->stack_depth;
}

/* ---- beginning and end ------------------------------- */

/* Counts the rows that are there. */
static bool fold_counts_begin(struct fold *f) {
  struct fold_counts *c = &f->counts;
  const int64_t *values = f->values.items;
  const uint8_t *at = f->rows.items;
  for (size_t i = 0; i < f->count; i++)
    if (__builtin_add_overflow(c->total, values[i], &c->total)) return false;
  fold_counts_fit(f);
  c->total = 0;
  c->on = true;
  for (size_t i = 0; i < f->count && c->on; i++) {
    uint32_t size;
    at = varint_next(at, &size);
    if (!fold_count_row(f, at, size, values[i])) return false;
    at += size;
  }
  return c->on;
}

void fold_counts_check(struct fold *f) {
  struct fold_counts *c = &f->counts;
  if (c->on || c->over || f->count % COUNTS_CHECK || !f->compact || f->only == SIZE_MAX) return;
  if (f->row_bytes / STACK_COUNTED > f->count || !fold_counts_reserve(f, f->largest_id)) return;
  if (!fold_counts_begin(f) && !c->over) fold_counts_give_up(f);
}

void fold_counts_note(struct fold *f) {
  const struct fold_counts *c = &f->counts;
  const uint16_t *sizes = fold_counts_sizes(f);
  size_t largest = c->room;
  if (!largest) return;
  f->id_zero |= sizes[0] != 0;
  while (--largest && !sizes[largest]) continue;
  if (largest > f->largest_id) f->largest_id = largest;
}

/* Id i is location i - 1. */
bool fold_publish_counts(struct fold *f, struct decoder *d, struct stack_tree *tree) {
  struct fold_counts *c = &f->counts;
  if (!c->on || d->location_ids.ids) return true;
  struct region *to = d->profile->region;
  struct stack_counts *counts = arena_zero_array(d->arena, 1, sizeof *counts);
  if (!counts || !fold_hand_over(to, &c->sizes, c->room, sizeof(uint16_t)) ||
      !fold_hand_over(to, &c->leaves, c->room, sizeof(int64_t)))
    return false;
  *counts = (struct stack_counts){.sizes = fold_counts_sizes(f) + 1,
                                  .leaves = (const int64_t *)c->leaves.items + 1,
                                  .count = c->room - 1,
                                  .shift = c->shift,
                                  .total = c->total};
  tree->counts = counts;
  return true;
}
