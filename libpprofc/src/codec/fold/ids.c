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

#define LANES 16
/* Number of additional bytes read before the start of a vector, because the first id that ends in
 * the vector may begin in these bytes. */
#define BEFORE 3

typedef int8_t fold_lanes __attribute__((vector_size(LANES)));

static inline fold_lanes fold_load(const uint8_t *at) {
  fold_lanes lanes;
  memcpy(&lanes, at, sizeof lanes);
  return lanes;
}

/* The largest id so far, as the bytes of its varint. */
struct fold_largest {
  int size;
  /* bytes of the varint, the last byte first; unused elements are INT8_MAX */
  int8_t bytes[BEFORE];
};

static struct fold_largest fold_largest(uint64_t id) {
  struct fold_largest l = {.bytes = {INT8_MAX, INT8_MAX, INT8_MAX}};
  uint8_t varint[VARINT_BYTES_MAX];
  l.size = (int)varint_put(varint, id);
  for (int i = 0; i < l.size && i < BEFORE; i++) l.bytes[i] = (int8_t)varint[l.size - 1 - i];
  return l;
}

/* Marks the lanes (bytes of a vector) at which an unusual id ends. An id is unusual if it is above
 * the largest id so far, or ends with a byte 0. */
static inline fold_lanes fold_unusual(const uint8_t *at, const struct fold_largest *l) {
  fold_lanes now = fold_load(at), one = fold_load(at - 1), two = fold_load(at - 2);
  fold_lanes larger = (one > l->bytes[1]) | ((one == l->bytes[1]) & (two > l->bytes[2]));
  larger = (now > l->bytes[0]) | ((now == l->bytes[0]) & larger);
  fold_lanes has_two = one < 0, has_three = has_two & (two < 0);
  if (l->size == 1) larger |= has_two;
  if (l->size == 2) larger = (larger & has_two) | has_three;
  if (l->size == 3) larger = has_three & (larger | (fold_load(at - 3) < 0));
  return (now >= 0) & (larger | (now == 0));
}

/* True if every id in the stack is usual (see fold_unusual). False if it cannot check the stack,
 * because the stack is too short or f->largest_id has more than 3 bytes. */
static bool fold_ids_are_usual(const struct fold *f, const uint8_t *data, size_t size) {
  if (size < LANES + BEFORE || data[size - 1] >= 0x80 || f->largest_id >> 21) return false;
  const struct fold_largest largest = fold_largest(f->largest_id);
  uint8_t start[BEFORE + LANES] = {0};
  memcpy(start + BEFORE, data, LANES);
  fold_lanes unusual = fold_unusual(start + BEFORE, &largest);
  for (size_t at = LANES; at + LANES < size; at += LANES)
    unusual |= fold_unusual(data + at, &largest);
  unusual |= fold_unusual(data + size - LANES, &largest);
  uint64_t half[2];
  memcpy(half, &unusual, sizeof half);
  return (half[0] | half[1]) == 0;
}

bool fold_note_ids(struct fold *f, const uint8_t *data, size_t size) {
  /* A stack has at most as many ids as bytes. */
  if (size > f->limits->stack_depth || !fold_ids_are_usual(f, data, size))
    return fold_read_ids(f, data, size);
  if (size > f->max_depth) f->max_depth = size;
  return true;
}
