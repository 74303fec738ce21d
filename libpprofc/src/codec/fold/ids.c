/* Validates the location ids of stacks and finds the largest id. Skips the ids that a stack shares
 * with the previous stack. */
#include "codec/fold/fold.h"

/* Reads the location ids one by one. Validates them, and finds the largest id. */
static bool fold_read_ids(struct fold *f, const uint8_t *data, size_t size) {
  const uint8_t *at = data, *end = data + size;
  uint64_t largest = f->largest_id, id;
  while (at < end) {
    if (varint_is_three(at, end)) {
      id = varint_three(at);
      at += 3;
    } else if (varint_is_short(at, end)) {
      size_t bytes;
      id = varint_short(at, &bytes);
      at += bytes;
    } else if (varint_read(&at, end, &id) != VARINT_GOOD) {
      return false;
    }
    if (id > largest) largest = id;
    f->id_zero |= id == 0;
  }
  f->largest_id = largest;
  return true;
}

/* ---- vectors of ids ---------------------------------- */

#define LANES       16
#define IDS_VECTORS 24  /* number of bytes from which vectors are faster */
#define IDS_BYTES   512 /* bytes per block */
/* Number of bytes before a vector that are read together with it, because an id may begin there. */
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
 * the largest id so far, has more than three bytes, or ends with a byte 0. Without `exact`, ids
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

/* True if all ids that end in the `size` bytes at data[from] are usual. */
static inline bool fold_block_is_usual(const struct fold *f, const uint8_t *data, size_t from,
                                       size_t size, bool exact) {
  uint8_t room[IDS_BEFORE + IDS_BYTES + LANES];
  size_t before = from ? IDS_BEFORE : 0;
  memset(room, 0, IDS_BEFORE);
  memcpy(room + IDS_BEFORE - before, data + from - before, before + size);
  memset(room + IDS_BEFORE + size, 0x80, LANES);
  const int8_t largest[] = {(int8_t)(f->largest_id >> 14), (int8_t)(f->largest_id >> 7 & 0x7F),
                            (int8_t)(f->largest_id & 0x7F)};
  fold_lanes unusual = {0};
  for (const uint8_t *at = room + IDS_BEFORE; at < room + IDS_BEFORE + size; at += LANES) {
    fold_lanes ends = fold_below(fold_load(at), 0x80);
    unusual |= fold_unusual(at, largest, ends, exact);
  }
  return !fold_any(unusual);
}

/* True if all ids of a stack are usual. Compares exactly for long stacks, because most of them have
 * an id close to the largest id. */
static bool fold_ids_are_usual(const struct fold *f, const uint8_t *data, size_t size) {
  if (!size || data[size - 1] >= 0x80 || f->largest_id >> 21) return false;
  if (size <= IDS_BYTES) return fold_block_is_usual(f, data, 0, size, false);
  bool usual = true;
  for (size_t from = 0, left; usual && from < size; from += IDS_BYTES) {
    left = size - from;
    usual = fold_block_is_usual(f, data, from, left < IDS_BYTES ? left : IDS_BYTES, true);
  }
  return usual;
}

/* ---- the previous stack ------------------------------ */

static uint64_t fold_load_word(const uint8_t *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* Returns the number of ids in a stack. */
static size_t fold_count_ids(const uint8_t *data, size_t size) {
  const uint64_t ones = 0x0101010101010101;
  size_t count = 0;
  while (size >= 8) {
    size_t words = size / 8 < 255 ? size / 8 : 255; /* The sums of bytes have 8 bits. */
    uint64_t sums = 0;
    for (size_t i = 0; i < words; i++) sums += ~fold_load_word(data + i * 8) >> 7 & ones;
    for (size_t i = 0; i < 8; i++) count += sums >> i * 8 & 0xFF;
    data += words * 8;
    size -= words * 8;
  }
  for (size_t i = 0; i < size; i++) count += data[i] < 0x80;
  return count;
}

/* Returns the number of bytes before the part that both stacks share at their ends. */
static size_t fold_unshared(const struct fold_last *last, const uint8_t *data, size_t size) {
  const uint8_t *other = last->data + last->size;
  size_t least = size > last->size ? size - last->size : 0;
  while (size >= least + 8) {
    uint64_t differs = fold_load_word(data + size - 8) ^ fold_load_word(other - 8);
    if (differs) return size - (size_t)__builtin_clzll(differs) / 8;
    size -= 8;
    other -= 8;
  }
  while (size > least && data[size - 1] == other[-1]) size--, other--;
  return size;
}

/* Returns the size of the part of a stack that the previous stack does not share. The part ends
 * with a whole id. */
static size_t fold_own_part(const struct fold_last *last, const uint8_t *data, size_t size) {
  size_t own = last->size ? fold_unshared(last, data, size) : size;
  while (own < size && data[own] >= 0x80) own++;
  return own < size ? own + 1 : size;
}

bool fold_note_ids(struct fold *f, const uint8_t *data, size_t size) {
  size_t own = fold_own_part(&f->last, data, size);
  if ((own < IDS_VECTORS || !fold_ids_are_usual(f, data, own)) && !fold_read_ids(f, data, own))
    return false;
  f->last = (struct fold_last){data, size};
  if (size <= f->max_depth) return true;
  size_t depth = fold_count_ids(data, size);
  if (depth > f->max_depth) f->max_depth = depth;
  return depth <= f->limits->stack_depth;
}
