/* Strict parsing of numbers: the whole text must be one number that fits. */
#include "core/str.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

static unsigned digit_value(char c) {
  if (c >= '0' && c <= '9') return (unsigned)(c - '0');
  if (c >= 'a' && c <= 'z') return (unsigned)(c - 'a' + 10);
  if (c >= 'A' && c <= 'Z') return (unsigned)(c - 'A' + 10);
  return UINT8_MAX;
}

static bool is_digit_of(char c, unsigned base) {
  return digit_value(c) < base;
}

/* ---- integers ---------------------------------------- */

/* Removes 0x, 0o, 0b or a leading 0 from *s and returns the base; 10 without a prefix. */
static unsigned take_base(pprofc_str *s) {
  static const struct {
    char letter;
    unsigned base;
  } prefixes[] = {{'x', 16}, {'o', 8}, {'b', 2}};
  if (s->size < 2 || s->data[0] != '0') return 10;
  char letter = (char)(s->data[1] | 0x20); /* lower case */
  *s = str_slice(*s, 1, s->size);
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    if (prefixes[i].letter != letter) continue;
    *s = str_slice(*s, 1, s->size);
    return prefixes[i].base;
  }
  return 8;
}

/* An integer while its digits are read. */
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

/* ---- floats ------------------------------------------ */

/* Maximum length of a float in bytes. */
#define FLOAT_TEXT_MAX 511

/* True if every underscore is between two digits. The x of the prefix counts as a digit; it is
 * at `prefix`, SIZE_MAX if there is no prefix. */
static bool float_underscores_fit(pprofc_str s, size_t prefix) {
  unsigned base = prefix == SIZE_MAX ? 10 : 16;
  for (size_t i = str_find_char(s, '_'); i < s.size; i++) {
    if (s.data[i] != '_') continue;
    if (i == 0 || i + 1 == s.size) return false;
    bool behind_digit = i - 1 == prefix || is_digit_of(s.data[i - 1], base);
    if (!behind_digit || !is_digit_of(s.data[i + 1], base)) return false;
  }
  return true;
}

/* True if the digits, points and exponents of s have a form that Go accepts. strtod also
 * accepts a hexadecimal float without exponent and a leading blank. */
static bool float_has_form(pprofc_str s) {
  size_t sign = is_sign(s.data[0]);
  pprofc_str body = str_slice(s, sign, s.size);
  if (!body.size || !(is_digit_of(body.data[0], 10) || body.data[0] == '.')) return false;
  if (!str_starts(body, STR("0x")) && !str_starts(body, STR("0X")))
    return float_underscores_fit(s, SIZE_MAX);
  bool exponent = str_find_char(s, 'p') < s.size || str_find_char(s, 'P') < s.size;
  return exponent && float_underscores_fit(s, sign + 1);
}

/* Copies s without its underscores and returns the size. */
static size_t float_copy(pprofc_str s, char *out) {
  size_t size = 0;
  for (size_t i = 0; i < s.size; i++)
    if (s.data[i] != '_') out[size++] = s.data[i];
  out[size] = '\0';
  return size;
}

/* True for inf and infinity with an optional sign, and for nan without a sign. */
static bool float_is_word(pprofc_str s) {
  size_t sign = is_sign(s.data[0]);
  pprofc_str body = str_slice(s, sign, s.size);
  if (body.size == 3 && strncasecmp(body.data, "nan", 3) == 0) return !sign;
  return (body.size == 3 && strncasecmp(body.data, "inf", 3) == 0) ||
         (body.size == 8 && strncasecmp(body.data, "infinity", 8) == 0);
}

bool str_parse_float(pprofc_str s, double *out) {
  char text[FLOAT_TEXT_MAX + 1], *end;
  if (!s.size || s.size > FLOAT_TEXT_MAX) return false;
  if (str_quick_float(s, out)) return true;
  bool word = float_is_word(s);
  if (!word && !float_has_form(s)) return false;
  size_t size = float_copy(s, text);
  errno = 0;
  double value = strtod(text, &end);
  if (end != text + size) return false;
  bool too_large = errno == ERANGE && (value > 1 || value < -1);
  if (too_large && !word) return false;
  *out = value;
  return true;
}
