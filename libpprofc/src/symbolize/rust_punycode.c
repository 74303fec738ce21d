/* Decodes Rust's variant of punycode: identifiers with characters outside ASCII in mangled names
 * (RFC 3492, section 6.2). */
#include "symbolize/rust_punycode.h"

#include "core/escape.h"

#define MAX_POINTS     4096 /* each insertion moves what follows it */
#define BASE           36
#define SMALLEST       1
#define LARGEST        26
#define FIRST_BIAS     72
#define FIRST_POINT    128
#define LARGEST_POINT  0x10FFFF
#define LARGEST_WEIGHT (INT32_MAX / BASE)

struct points {
  uint32_t *items; /* [MAX_POINTS] */
  size_t count;
};

static bool points_insert(struct points *points, size_t at, uint64_t point) {
  bool surrogate = point >= 0xD800 && point < 0xE000;
  if (points->count == MAX_POINTS || point > LARGEST_POINT || surrogate) return false;
  size_t tail = points->count - at;
  memmove(points->items + at + 1, points->items + at, tail * sizeof *points->items);
  points->items[at] = (uint32_t)point;
  points->count++;
  return true;
}

static uint64_t letter_digit(char c) {
  if (c >= '0' && c <= '9') return (uint64_t)(c - '0') + 26;
  if (c >= 'A' && c <= 'Z') return (uint64_t)(c - 'A');
  if (c >= 'a' && c <= 'z') return (uint64_t)(c - 'a');
  return BASE;
}

static uint64_t threshold(uint64_t k, uint64_t bias) {
  if (k <= bias) return SMALLEST;
  if (k > bias + LARGEST) return LARGEST;
  return k - bias;
}

/* Adds the next number of variable length to *sum. */
static bool read_delta(pprofc_str bytes, size_t *at, uint64_t bias, uint64_t *sum) {
  uint64_t weight = 1;
  for (uint64_t k = BASE;; k += BASE) {
    uint64_t digit = *at < bytes.size ? letter_digit(bytes.data[*at]) : BASE;
    if (digit == BASE) return false;
    ++*at;
    *sum += digit * weight; /* at most 12 digits, each below 2^37 */
    uint64_t limit = threshold(k, bias);
    if (digit < limit) return true;
    if (weight >= LARGEST_WEIGHT) return false;
    weight *= BASE - limit;
  }
}

static uint64_t next_bias(uint64_t delta, size_t count, bool first) {
  delta /= first ? 700 : 2;
  delta += delta / count;
  uint64_t k = 0;
  for (; delta > (BASE - SMALLEST) * LARGEST / 2; k += BASE) delta /= BASE - SMALLEST;
  return k + (BASE - SMALLEST + 1) * delta / (delta + 38);
}

static bool read_points(pprofc_str bytes, struct points *points) {
  size_t at = 0, plain = str_find_last_char(bytes, '_');
  if (plain > MAX_POINTS && plain < bytes.size) return false;
  for (; plain < bytes.size && at < plain; at++)
    if (!points_insert(points, at, (unsigned char)bytes.data[at])) return false;
  if (plain < bytes.size) at = plain + 1;
  uint64_t place = 0, point = FIRST_POINT, bias = FIRST_BIAS;
  while (at < bytes.size) {
    uint64_t before = place;
    if (!read_delta(bytes, &at, bias, &place)) return false;
    size_t count = points->count + 1;
    bias = next_bias(place - before, count, before == 0);
    point += place / count;
    place %= count;
    if (!points_insert(points, (size_t)place, point)) return false;
    place++;
  }
  return true;
}

bool rust_punycode(pprofc_str bytes, struct buffer *out) {
  struct points points = {.items = mem_array(out->mem, MAX_POINTS, sizeof *points.items)};
  bool good = points.items && read_points(bytes, &points);
  for (size_t i = 0; good && i < points.count; i++) {
    char encoded[4];
    buffer_add(out, encoded, utf8_encode(points.items[i], encoded));
  }
  out->failed |= !points.items;
  mem_free(out->mem, points.items, MAX_POINTS, sizeof *points.items);
  return good && !out->failed;
}
