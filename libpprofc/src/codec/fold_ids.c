/* The ids of stacks: whether they can be read, and which is the largest. */
#include "codec/fold.h"

/* Reads them one by one. */
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

/* ---- many at once ------------------------------------ */

#define LANES      16
#define IDS_BYTES  512 /* longer stacks are read one by one */
#define IDS_BEFORE 3   /* bytes that a lane looks back */

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

/* The lanes where an id ends that may be new to us: its upper 14 bits of 21 are not below those of
 * the largest one so far, it has more than three bytes, or a byte 0. */
static inline fold_lanes fold_unusual(const uint8_t *at, uint8_t top, uint8_t middle,
                                      fold_lanes ends) {
  fold_lanes now = fold_load(at), one = fold_load(at - 1), two = fold_load(at - 2);
  fold_lanes has_two = ~fold_below(one, 0x80), has_three = has_two & ~fold_below(two, 0x80);
  fold_lanes has_four = has_three & ~fold_below(fold_load(at - 3), 0x80);
  fold_lanes high = now & has_three;
  fold_lanes mid = ((one & has_three) | (now & has_two & ~has_three)) & 0x7F;
  fold_lanes larger =
      (fold_lanes)(high > top) | ((fold_lanes)(high == top) & ~fold_below(mid, middle));
  return ends & (larger | has_four | fold_below(now, 1));
}

/* Whether all ids are below those that are known, which most are; counts them. */
static bool fold_ids_are_usual(const struct fold *f, const uint8_t *data, size_t size,
                               size_t *depth) {
  uint8_t room[IDS_BEFORE + IDS_BYTES + LANES];
  if (!size || size > IDS_BYTES || data[size - 1] >= 0x80 || f->largest_id >> 21) return false;
  memset(room, 0, IDS_BEFORE);
  memcpy(room + IDS_BEFORE, data, size);
  memset(room + IDS_BEFORE + size, 0x80, LANES);
  uint8_t top = (uint8_t)(f->largest_id >> 14), middle = (uint8_t)(f->largest_id >> 7 & 0x7F);
  fold_lanes unusual = {0}, count = {0};
  for (const uint8_t *at = room + IDS_BEFORE; at < room + IDS_BEFORE + size; at += LANES) {
    fold_lanes ends = fold_below(fold_load(at), 0x80);
    unusual |= fold_unusual(at, top, middle, ends);
    count -= ends;
  }
  *depth = 0;
  for (size_t i = 0; i < LANES; i++) *depth += count[i];
  return !fold_any(unusual);
}

bool fold_note_ids(struct fold *f, const uint8_t *data, size_t size) {
  size_t depth;
  if (!fold_ids_are_usual(f, data, size, &depth)) return fold_read_ids(f, data, size);
  if (depth > f->max_depth) f->max_depth = depth;
  return depth <= f->limits->stack_depth;
}
