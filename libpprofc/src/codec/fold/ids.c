/* Validates the location ids of stacks and finds the largest id. */
#include "codec/fold/fold.h"

/* Reads the location ids one by one. Validates them, and finds the largest id. */
static bool fold_read_ids(struct fold *f, const uint8_t *data, size_t size) {
  const uint8_t *at = data, *end = data + size;
  size_t depth = 0;
  for (uint64_t id; at < end; depth++) {
    if (varint_is_three(at, end)) {
      id = varint_three(at);
      at += 3;
    } else if (varint_read(&at, end, &id) != VARINT_GOOD) {
      return false;
    }
    if (id > f->largest_id) f->largest_id = id;
    f->id_zero |= id == 0;
  }
  if (depth > f->max_depth) f->max_depth = depth;
  return depth <= f->limits->stack_depth;
}

/* ---- vectors of ids ---------------------------------- */

#define LANES     16
#define IDS_BYTES 512 /* bytes per block; at most 255 vectors, because the counters have 8 bits */
/* Number of bytes before a vector that are read together with the vector, because an id that ends
 * in the vector may begin there. */
#define IDS_BEFORE 3

typedef uint8_t fold_lanes __attribute__((vector_size(LANES)));

static inline fold_lanes fold_load(const uint8_t *at) {
  fold_lanes lanes;
  memcpy(&lanes, at, sizeof lanes);
  return lanes;
}

static inline fold_lanes fold_below(fold_lanes a, uint8_t limit) {
  return (fold_lanes)(a < limit);
}

static inline bool fold_any(fold_lanes lanes) {
  uint64_t half[2];
  memcpy(half, &lanes, sizeof half);
  return (half[0] | half[1]) != 0;
}

/* Vector of signed bytes, for comparing groups of 7 bits. */
typedef int8_t fold_sevens __attribute__((vector_size(LANES)));

/* Marks the lanes (bytes of a vector) at which an unusual id ends. An id is unusual if it is above
 * the largest id so far, has more than three bytes, or ends with a byte 0. If `exact` is false, ids
 * with the same upper 14 bits as the largest id also count as unusual. */
static inline fold_lanes fold_unusual(const uint8_t *at, const int8_t largest[3], fold_lanes ends,
                                      bool exact) {
  fold_lanes now = fold_load(at), one = fold_load(at - 1), two = fold_load(at - 2);
  fold_lanes has_two = ~fold_below(one, 0x80), has_three = has_two & ~fold_below(two, 0x80);
  fold_lanes has_four = has_three & ~fold_below(fold_load(at - 3), 0x80);
  fold_lanes only_two = has_two & ~has_three;
  fold_sevens high = (fold_sevens)(now & has_three);
  fold_sevens mid = (fold_sevens)(((one & has_three) | (now & only_two)) & 0x7F);
  fold_sevens larger = mid == largest[1];
  if (exact)
    larger &= (fold_sevens)(((two & has_three) | (one & only_two) | (now & ~has_two)) & 0x7F) >
              largest[2];
  larger = (high > largest[0]) | ((high == largest[0]) & ((mid > largest[1]) | larger));
  return ends & ((fold_lanes)larger | has_four | fold_below(now, 1));
}

/* True if all ids that end in the `size` bytes at data[from] are usual. Adds their number to
 * *depth. */
static inline bool fold_block_is_usual(const struct fold *f, const uint8_t *data, size_t from,
                                       size_t size, size_t *depth, bool exact) {
  uint8_t room[IDS_BEFORE + IDS_BYTES + LANES];
  size_t before = from ? IDS_BEFORE : 0;
  memset(room, 0, IDS_BEFORE);
  memcpy(room + IDS_BEFORE - before, data + from - before, before + size);
  memset(room + IDS_BEFORE + size, 0x80, LANES);
  const int8_t largest[] = {(int8_t)(f->largest_id >> 14), (int8_t)(f->largest_id >> 7 & 0x7F),
                            (int8_t)(f->largest_id & 0x7F)};
  fold_lanes unusual = {0}, count = {0};
  for (const uint8_t *at = room + IDS_BEFORE; at < room + IDS_BEFORE + size; at += LANES) {
    fold_lanes ends = fold_below(fold_load(at), 0x80);
    unusual |= fold_unusual(at, largest, ends, exact);
    count -= ends;
  }
  for (size_t i = 0; i < LANES; i++) *depth += count[i];
  return !fold_any(unusual);
}

/* True if all ids of a stack are usual. Compares long stacks exactly, because most of them have an
 * id close to the largest id. */
static bool fold_ids_are_usual(const struct fold *f, const uint8_t *data, size_t size,
                               size_t *depth) {
  if (!size || data[size - 1] >= 0x80 || f->largest_id >> 21) return false;
  *depth = 0;
  if (size <= IDS_BYTES) return fold_block_is_usual(f, data, 0, size, depth, false);
  bool usual = true;
  for (size_t from = 0, left; usual && from < size; from += IDS_BYTES) {
    left = size - from;
    usual = fold_block_is_usual(f, data, from, left < IDS_BYTES ? left : IDS_BYTES, depth, true);
  }
  return usual;
}

bool fold_note_ids(struct fold *f, const uint8_t *data, size_t size) {
  size_t depth;
  if (!fold_ids_are_usual(f, data, size, &depth)) return fold_read_ids(f, data, size);
  if (depth > f->max_depth) f->max_depth = depth;
  return depth <= f->limits->stack_depth;
}
