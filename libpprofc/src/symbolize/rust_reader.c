/* Reads the parts of a mangled Rust name: numbers, identifiers, lifetimes, back references. */
#include "symbolize/rust_reader.h"

/* ---- punycode ---------------------------------------- */

/* Maximum number of code points in an identifier. This limit bounds the time, because each
 * insertion moves the code points after it. */
#define MAX_POINTS     4096
#define BASE           36
#define SMALLEST       1
#define LARGEST        26
#define FIRST_BIAS     72
#define FIRST_POINT    128
#define LARGEST_POINT  0x10FFFF
#define LARGEST_WEIGHT (INT32_MAX / BASE)

struct points {
  uint32_t *items; /* decoded code points; room for MAX_POINTS */
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

/* Reads the next number (one or more digits) of an encoded identifier, and adds it to *sum. */
static bool read_delta(pprofc_str bytes, size_t *at, uint64_t bias, uint64_t *sum) {
  uint64_t weight = 1;
  for (uint64_t k = BASE;; k += BASE) {
    uint64_t digit = *at < bytes.size ? letter_digit(bytes.data[*at]) : BASE;
    if (digit == BASE) return false;
    ++*at;
    *sum += digit * weight; /* cannot overflow: at most 12 digits with weights below 2^37 */
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

/* Appends the decoded identifier to `out`, in UTF-8. Returns false if `bytes` are not an
 * identifier. */
static bool rust_punycode(pprofc_str bytes, struct buffer *out) {
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

/* ---- reading ----------------------------------------- */

#define MAX_STEPS_AHEAD ((size_t)1 << 18)
#define LARGEST_DECIMAL (INT32_MAX / 10)

int reader_peek(const struct rust_reader *r) {
  return r->at < r->limit ? (unsigned char)r->text[r->at] : -1;
}

bool reader_take(struct rust_reader *r, char c) {
  if (reader_peek(r) != (unsigned char)c) return false;
  r->at++;
  return true;
}

void reader_write(struct rust_reader *r, const char *text, size_t size) {
  if (r->silent) return;
  if (r->out->size + size > r->most) r->failed = true;
  if (!r->failed) buffer_add(r->out, text, size);
}

void reader_print(struct rust_reader *r, const char *text) {
  reader_write(r, text, strlen(text));
}

void reader_next(struct rust_reader *r, struct rust_step step) {
  if (r->steps.size >= MAX_STEPS_AHEAD * sizeof step) r->failed = true;
  if (!r->failed) buffer_add(&r->steps, &step, sizeof step);
}

void reader_plan(struct rust_reader *r, const char *format) {
  size_t first = strcspn(format, "%"), end = strlen(format);
  reader_write(r, format, first);
  while (end > first) {
    size_t at = end - 1;
    while (format[at] != '%') at--;
    if (at + 2 < end)
      reader_next(r, (struct rust_step){.what = 'w', .text = {format + at + 2, end - at - 2}});
    reader_next(r, (struct rust_step){
                       .what = format[at + 1], .silent = r->silent, .lifetimes = r->lifetimes});
    end = at;
  }
}

int reader_digit(int c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 36;
  return -1;
}

uint64_t reader_base_62(struct rust_reader *r) {
  if (reader_take(r, '_')) return 0;
  uint64_t value = 0;
  while (!r->failed) {
    if (reader_take(r, '_')) return value + 1;
    int digit = reader_digit(reader_peek(r));
    r->failed = digit < 0;
    value = value * 62 + (uint64_t)digit;
    r->at++;
  }
  return 0;
}

uint64_t reader_disambiguator(struct rust_reader *r) {
  return reader_take(r, 's') ? reader_base_62(r) + 1 : 0;
}

static size_t reader_decimal(struct rust_reader *r) {
  size_t value = 0;
  if (reader_peek(r) < 0) r->failed = true;
  for (int c; !r->failed && (c = reader_peek(r)) >= '0' && c <= '9'; r->at++) {
    size_t digit = (size_t)(c - '0');
    if (value >= LARGEST_DECIMAL - digit) r->failed = true;
    value = value * 10 + digit;
  }
  return value;
}

pprofc_str reader_identifier(struct rust_reader *r, bool *punycode) {
  *punycode = reader_take(r, 'u');
  size_t size = reader_decimal(r);
  reader_take(r, '_');
  if (r->at > r->limit || size > r->limit - r->at) r->failed = true;
  if (r->failed) return (pprofc_str){NULL, 0};
  pprofc_str bytes = {r->text + r->at, size};
  for (size_t i = 0; i < size; i++)
    if (reader_digit(bytes.data[i]) < 0 && bytes.data[i] != '_') r->failed = true;
  r->at += size;
  return bytes;
}

void reader_print_identifier(struct rust_reader *r, pprofc_str bytes, bool punycode) {
  if (r->failed) return;
  if (!punycode) {
    reader_write(r, bytes.data, bytes.size);
    return;
  }
  struct buffer wide = buffer_make(r->out->mem, r->most);
  if (!rust_punycode(bytes, &wide)) r->failed = true;
  if (!r->failed) reader_write(r, wide.data, wide.size);
  buffer_free(&wide);
}

void reader_copy_identifier(struct rust_reader *r) {
  bool punycode;
  pprofc_str name = reader_identifier(r, &punycode);
  reader_print_identifier(r, name, punycode);
}

void reader_lifetime(struct rust_reader *r, uint64_t lifetime) {
  if (lifetime > r->lifetimes) {
    r->failed = true;
    return;
  }
  reader_print(r, "'");
  uint64_t depth = r->lifetimes - lifetime;
  char letter = (char)('a' + (depth < 26 ? depth : 25));
  if (lifetime == 0) letter = '_';
  reader_write(r, &letter, 1);
  char digits[24];
  if (lifetime && depth >= 26)
    reader_write(r, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, depth - 25));
}

/* Reads the lifetimes of "for<'a, 'b>". The length of the name limits the number of lifetimes,
 * because each lifetime takes at least one byte. */
void reader_binder(struct rust_reader *r) {
  if (!reader_take(r, 'G')) return;
  uint64_t count = reader_base_62(r) + 1, left = r->limit - r->at;
  if (r->failed || !count || left < r->lifetimes || count >= left - r->lifetimes) {
    r->failed = true;
    return;
  }
  reader_print(r, "for<");
  for (uint64_t i = 0; i < count && !r->failed; i++) {
    if (i) reader_print(r, ", ");
    r->lifetimes++;
    reader_lifetime(r, 1);
  }
  reader_print(r, "> ");
}

void reader_go_back(struct rust_reader *r, struct rust_step step) {
  size_t here = r->at - 1; /* offset of the 'B' of the back reference */
  uint64_t to = reader_base_62(r);
  if (r->silent || r->failed) return;
  if (to >= here) {
    r->failed = true;
    return;
  }
  reader_next(r, (struct rust_step){.what = 'r', .from = {r->at, r->limit}});
  reader_next(r, step);
  r->at = (size_t)to;
  r->limit = here;
}
