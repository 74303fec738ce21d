/* Strict parsing of integers and decimals: the whole text must be one number that fits. */
#include "core/str.h"

static unsigned digit_value(char c) {
  if (c >= '0' && c <= '9') return (unsigned)(c - '0');
  if (c >= 'a' && c <= 'z') return (unsigned)(c - 'a' + 10);
  if (c >= 'A' && c <= 'Z') return (unsigned)(c - 'A' + 10);
  return UINT8_MAX;
}

/* Removes 0x, 0o, 0b or a leading 0 from *s and returns the base; 10 without a prefix. */
static unsigned take_base(pprofc_str *s) {
  static const struct {
    char letter;
    unsigned base;
  } prefixes[] = {{'x', 16}, {'o', 8}, {'b', 2}};
  if (s->size < 2 || s->data[0] != '0') return 10;
  char letter = (char)(s->data[1] | 0x20); /* letter of the prefix in lower case */
  *s = str_slice(*s, 1, s->size);
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    if (prefixes[i].letter != letter) continue;
    *s = str_slice(*s, 1, s->size);
    return prefixes[i].base;
  }
  return 8;
}

/* State of reading an integer. */
struct integer_reader {
  uint64_t value;
  unsigned base;
  size_t digits;
  bool separable; /* true after a digit or the prefix, where an underscore may follow */
};

static bool integer_add_digit(struct integer_reader *n, char c) {
  unsigned digit = digit_value(c);
  if (digit >= n->base) return false;
  n->digits++;
  n->separable = true;
  return !__builtin_mul_overflow(n->value, (uint64_t)n->base, &n->value) &&
         !__builtin_add_overflow(n->value, (uint64_t)digit, &n->value);
}

static bool integer_add_underscore(struct integer_reader *n) {
  bool fits = n->separable;
  n->separable = false;
  return fits;
}

/* Parses s, which must consist of digits, and of underscores between them if allowed. */
static bool integer_read(struct integer_reader *n, pprofc_str s, bool underscores) {
  for (size_t i = 0; i < s.size; i++) {
    bool underscore = underscores && s.data[i] == '_';
    bool fits = underscore ? integer_add_underscore(n) : integer_add_digit(n, s.data[i]);
    if (!fits) return false;
  }
  return n->digits && n->separable;
}

bool str_parse_uint(pprofc_str s, int base, uint64_t *out) {
  struct integer_reader reader = {.base = (unsigned)base};
  bool literal = base == 0;
  if (literal) {
    size_t size = s.size;
    reader.base = take_base(&s);
    reader.separable = s.size != size;
  }
  if (!integer_read(&reader, s, literal)) return false;
  *out = reader.value;
  return true;
}

static bool is_sign(char c) {
  return c == '+' || c == '-';
}

bool str_parse_int(pprofc_str s, int base, int64_t *out) {
  bool negative = s.size && s.data[0] == '-';
  if (s.size && is_sign(s.data[0])) s = str_slice(s, 1, s.size);
  uint64_t magnitude;
  if (!str_parse_uint(s, base, &magnitude)) return false;
  if (magnitude > (uint64_t)INT64_MAX + negative) return false;
  *out = (int64_t)(negative ? 0 - magnitude : magnitude);
  return true;
}

/* State of the conversion of a decimal to an integer. */
struct scaled {
  int64_t sum;
  int decimals; /* number of digits after the point, or -1 before the point */
  bool up;      /* true if the first skipped digit rounds the number up */
};

static bool scaled_add(struct scaled *s, int digit) {
  return !__builtin_mul_overflow(s->sum, 10, &s->sum) &&
         !__builtin_add_overflow(s->sum, digit, &s->sum);
}

/* Reads one byte of a decimal. After the point, the first `exponent` digits count, and the next
 * digit only rounds. */
static bool scaled_take(struct scaled *s, char c, int exponent) {
  if (c == '.' && s->decimals < 0) {
    s->decimals = 0;
    return true;
  }
  if (c < '0' || c > '9') return false;
  if (s->decimals >= 0 && ++s->decimals > exponent) {
    if (s->decimals == exponent + 1) s->up = c >= '5';
    return true;
  }
  return scaled_add(s, c - '0');
}

bool str_parse_scaled(pprofc_str text, int exponent, int64_t *out) {
  size_t sign = text.size && text.data[0] == '-';
  struct scaled s = {.decimals = -1};
  for (size_t at = sign; at < text.size; at++)
    if (!scaled_take(&s, text.data[at], exponent)) return false;
  for (int i = s.decimals < 0 ? 0 : s.decimals; i < exponent; i++)
    if (!scaled_add(&s, 0)) return false;
  if (__builtin_add_overflow(s.sum, s.up, &s.sum)) return false;
  *out = sign ? -s.sum : s.sum;
  return text.size > sign;
}
