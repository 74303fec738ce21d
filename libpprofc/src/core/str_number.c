/* Parses integers strictly. The whole text must be one integer that fits. */
#include "core/str.h"

static unsigned digit_value(char c) {
  if (c >= '0' && c <= '9') return (unsigned)(c - '0');
  if (c >= 'a' && c <= 'z') return (unsigned)(c - 'a' + 10);
  if (c >= 'A' && c <= 'Z') return (unsigned)(c - 'A' + 10);
  return UINT8_MAX;
}

/* Removes 0x, 0o, 0b or a leading 0 from *s, and returns the base. Returns 10 without such a
 * prefix. */
static unsigned take_base(pprofc_str *s) {
  static const struct {
    char letter;
    unsigned base;
  } prefixes[] = {{'x', 16}, {'o', 8}, {'b', 2}};
  if (s->size < 2 || s->data[0] != '0') return 10;
  char letter = (char)(s->data[1] | 0x20); /* second letter of the prefix, in lower case */
  *s = str_slice(*s, 1, s->size);
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    if (prefixes[i].letter != letter) continue;
    *s = str_slice(*s, 1, s->size);
    return prefixes[i].base;
  }
  return 8;
}

struct integer_reader {
  uint64_t value;
  unsigned base;
  size_t digits;
  bool separable; /* true after a digit or the prefix; an underscore may follow there */
};

static bool integer_add_digit(struct integer_reader *n, char c) {
  unsigned digit = digit_value(c);
  if (digit >= n->base) return false;
  n->digits++;
  return !__builtin_mul_overflow(n->value, (uint64_t)n->base, &n->value) &&
         !__builtin_add_overflow(n->value, (uint64_t)digit, &n->value);
}

/* Parses s. It must consist of digits, with underscores between them if permitted. */
static bool integer_read(struct integer_reader *n, pprofc_str s, bool underscores) {
  for (size_t i = 0; i < s.size; i++) {
    bool underscore = underscores && s.data[i] == '_';
    if (underscore ? !n->separable : !integer_add_digit(n, s.data[i])) return false;
    n->separable = !underscore;
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

bool str_parse_int(pprofc_str s, int base, int64_t *out) {
  bool negative = s.size && s.data[0] == '-';
  if (negative || str_starts(s, STR("+"))) s = str_slice(s, 1, s.size);
  uint64_t magnitude;
  if (!str_parse_uint(s, base, &magnitude)) return false;
  if (magnitude > (uint64_t)INT64_MAX + negative) return false;
  *out = (int64_t)(negative ? 0 - magnitude : magnitude);
  return true;
}
