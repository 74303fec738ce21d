/* Parses and prints numbers by Go's rules, with fast paths where they are exact. */
#include "bench/number.h"

#include "core/fixed.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- reading ----------------------------------------- */

/* Powers of ten that a double represents exactly. */
static const double exact_power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool number_is_digit(char c) {
  return (unsigned char)(c - '0') < 10;
}

/* Skips a sign; true for a minus. */
static inline bool number_take_sign(const char **p, const char *end) {
  if (*p == end) return false;
  bool minus = **p == '-';
  if (minus || **p == '+') ++*p;
  return minus;
}

/* Adds the digits at p to the mantissa, modulo 2^64, and returns their end. */
static inline const char *number_take_digits(const char *p, const char *end, uint64_t *mantissa) {
  while (p < end && number_is_digit(*p)) *mantissa = *mantissa * 10 + (uint64_t)(*p++ - '0');
  return p;
}

/* An unsigned decimal number: mantissa * 10^exponent. */
struct decimal {
  uint64_t mantissa;
  int exponent;
};

/* Parses digits[.digits], at most 19 digits, so that the mantissa does not overflow. */
static inline bool decimal_take_mantissa(struct decimal *d, const char **p, const char *end) {
  const char *start = *p;
  *p = number_take_digits(start, end, &d->mantissa);
  ptrdiff_t digits = *p - start;
  if (*p < end && **p == '.') {
    const char *fraction = ++*p;
    *p = number_take_digits(fraction, end, &d->mantissa);
    if (*p - fraction > 19) return false;
    d->exponent = -(int)(*p - fraction);
    digits += *p - fraction;
  }
  return digits > 0 && digits <= 19;
}

/* Parses [+-]digits after the 'e'. */
static inline bool decimal_take_exponent(struct decimal *d, const char **p, const char *end) {
  bool minus = number_take_sign(p, end);
  const char *start = *p;
  int value = 0;
  for (; *p < end && number_is_digit(**p) && value < 1000; ++*p) value = value * 10 + (**p - '0');
  d->exponent += minus ? -value : value;
  return *p > start;
}

/* Computes the value if one correctly rounded operation suffices: an integer of at most 2^53
 * times or divided by an exact power of ten (Clinger 1990). */
static inline bool decimal_value(const struct decimal *d, double *value) {
  if (d->mantissa > (uint64_t)1 << 53 || d->exponent < -22 || d->exponent > 22) return false;
  if (d->exponent < 0)
    *value = (double)d->mantissa / exact_power[-d->exponent];
  else
    *value = (double)d->mantissa * exact_power[d->exponent];
  return true;
}

/* Parses [+-]digits[.digits][e[+-]digits]. False if the number needs parse_slow. */
static bool parse_fast(pprofc_str s, double *out) {
  const char *p = s.data, *end = s.data + s.size;
  struct decimal d = {0, 0};
  double value;
  bool negative = number_take_sign(&p, end);
  if (!decimal_take_mantissa(&d, &p, end)) return false;
  if (p < end && (*p | 32) == 'e') {
    p++;
    if (!decimal_take_exponent(&d, &p, end)) return false;
  }
  if (p != end || !decimal_value(&d, &value)) return false;
  *out = negative ? -value : value;
  return true;
}

static bool number_has_sign(pprofc_str s) {
  return s.size && (s.data[0] == '-' || s.data[0] == '+');
}

static pprofc_str number_without_sign(pprofc_str s) {
  return number_has_sign(s) ? str_slice(s, 1, s.size) : s;
}

static bool number_is_hex(pprofc_str s) {
  return s.size >= 2 && s.data[0] == '0' && (s.data[1] | 32) == 'x';
}

static bool number_is_mantissa_digit(char c, bool hex) {
  return number_is_digit(c) || (hex && (c | 32) >= 'a' && (c | 32) <= 'f');
}

/* True if underscores are where Go allows them: between two digits, and between "0x" and a
 * digit. */
static bool underscores_fit(pprofc_str s) {
  s = number_without_sign(s);
  bool hex = number_is_hex(s), after_digit = hex, after_underscore = false;
  for (size_t i = hex ? 2 : 0; i < s.size; i++) {
    bool underscore = s.data[i] == '_', digit = number_is_mantissa_digit(s.data[i], hex);
    if (underscore && !after_digit) return false;
    if (after_underscore && !digit) return false;
    after_digit = digit;
    after_underscore = underscore;
  }
  return !after_underscore;
}

/* Number of significant digits that are kept. The longest exact expansion of a midpoint between
 * two doubles has 767. Later digits affect rounding only if one of them is not 0. */
#define MAX_DIGITS 800

/* Text of a number in a form that strtod accepts: no underscores, a limited number of digits. */
struct normal {
  char text[MAX_DIGITS + 64];
  size_t size;
  size_t kept;      /* number of digits in the text */
  int64_t shift;    /* exponent: the value is the digits, read as an integer, times base^shift */
  bool hex;         /* text begins with "0x" */
  bool point;       /* a point was read */
  bool any;         /* a digit was read */
  bool significant; /* a digit other than 0 was read */
  bool dropped;     /* a digit other than 0 was dropped */
};

static void normal_add_digit(struct normal *n, char c) {
  n->any = true;
  n->significant |= c != '0';
  if (n->significant && n->kept >= MAX_DIGITS) {
    n->dropped |= c != '0';
    n->shift += !n->point;
    return;
  }
  n->shift -= n->point;
  if (!n->significant) return;
  n->text[n->size++] = c;
  n->kept++;
}

/* Copies the sign and "0x"; returns the start of the mantissa. */
static size_t normal_copy_prefix(struct normal *n, pprofc_str s) {
  pprofc_str body = number_without_sign(s);
  if (s.data[0] == '-') n->text[n->size++] = '-';
  n->hex = number_is_hex(body);
  size_t start = s.size - body.size;
  if (!n->hex) return start;
  memcpy(n->text + n->size, "0x", 2);
  n->size += 2;
  return start + 2;
}

/* Copies the digits at s[i]; returns their end. */
static size_t normal_copy_mantissa(struct normal *n, pprofc_str s, size_t i) {
  for (; i < s.size; i++) {
    char c = s.data[i];
    if (c == '_') continue;
    if (c == '.' && !n->point)
      n->point = true;
    else if (number_is_mantissa_digit(c, n->hex))
      normal_add_digit(n, c);
    else
      break;
  }
  if (n->dropped) { /* one more digit keeps the value off a tie */
    n->text[n->size++] = '1';
    n->shift--;
  }
  if (!n->kept) n->text[n->size++] = '0';
  return i;
}

/* Parses [+-]digits at s[i], saturating; false without a digit. */
static bool copy_exponent(pprofc_str s, size_t i, int64_t *exponent) {
  s = str_slice(s, i, s.size);
  bool minus = s.size && s.data[0] == '-';
  s = number_without_sign(s);
  if (!s.size || !number_is_digit(s.data[0])) return false;
  int64_t value = 0;
  for (i = 0; i < s.size; i++) {
    if (s.data[i] == '_') continue;
    if (!number_is_digit(s.data[i])) return false;
    if (value < 1000000) value = value * 10 + (s.data[i] - '0');
  }
  *exponent = minus ? -value : value;
  return true;
}

/* Parses the exponent at s[i]; a hexadecimal number must have one. */
static bool parse_exponent(pprofc_str s, size_t i, bool hex, int64_t *exponent) {
  *exponent = 0;
  if (i == s.size) return !hex;
  return (s.data[i] | 32) == (hex ? 'p' : 'e') && copy_exponent(s, i + 1, exponent);
}

static bool equal_fold(pprofc_str s, const char *word) {
  size_t size = strlen(word);
  if (s.size != size) return false;
  for (size_t i = 0; i < size; i++)
    if ((s.data[i] | 32) != word[i]) return false;
  return true;
}

static enum number_result parse_word(pprofc_str s, double *out) {
  if (equal_fold(s, "nan")) {
    *out = (double)NAN;
    return NUMBER_OK;
  }
  bool negative = s.data[0] == '-';
  s = number_without_sign(s);
  if (!equal_fold(s, "inf") && !equal_fold(s, "infinity")) return NUMBER_SYNTAX;
  *out = negative ? -(double)INFINITY : (double)INFINITY;
  return NUMBER_OK;
}

/* Parses any number by strtod, which rounds correctly. */
static enum number_result parse_slow(pprofc_str s, double *out) {
  if (memchr(s.data, '_', s.size) && !underscores_fit(s)) return NUMBER_SYNTAX;
  struct normal n = {.size = 0};
  int64_t exponent;
  size_t i = normal_copy_mantissa(&n, s, normal_copy_prefix(&n, s));
  if (!n.any || !parse_exponent(s, i, n.hex, &exponent)) return NUMBER_SYNTAX;
  exponent += n.hex ? n.shift * 4 : n.shift;
  snprintf(n.text + n.size, sizeof n.text - n.size, "%c%lld", n.hex ? 'p' : 'e',
           (long long)exponent);
  double value = strtod(n.text, NULL);
  if (isinf(value)) return NUMBER_RANGE;
  *out = value;
  return NUMBER_OK;
}

enum number_result number_parse(pprofc_str s, double *out) {
  if (!s.size) return NUMBER_SYNTAX;
  if (parse_fast(s, out)) return NUMBER_OK;
  pprofc_str body = number_without_sign(s);
  bool is_number = body.size && (number_is_digit(body.data[0]) || body.data[0] == '.');
  return is_number ? parse_slow(s, out) : parse_word(s, out);
}

enum number_result number_parse_int(pprofc_str s, int64_t *out) {
  bool negative = s.size && s.data[0] == '-', over = false;
  size_t i = number_has_sign(s);
  if (i == s.size) return NUMBER_SYNTAX;
  uint64_t value = 0;
  for (; i < s.size; i++) {
    if (!number_is_digit(s.data[i])) return NUMBER_SYNTAX;
    over |= __builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(s.data[i] - '0'), &value);
  }
  if (over || value > (uint64_t)INT64_MAX + negative) return NUMBER_RANGE;
  *out = (int64_t)(negative ? 0 - value : value);
  return NUMBER_OK;
}

/* ---- printing ---------------------------------------- */

static bool number_print_special(struct buffer *out, double value, bool sign) {
  if (isnan(value)) {
    buffer_add_text(out, sign ? "+NaN" : "NaN");
    return true;
  }
  if (isinf(value)) {
    buffer_add_text(out, value > 0 ? "+Inf" : "-Inf");
    return true;
  }
  return false;
}

/* Formats value as "d.ddde±xx" with the fewest digits that read back as value. The first
 * attempt uses 15 digits, which every normal double preserves; number_print drops trailing
 * zeros. Doubles below a power of two are twice as dense as above it. For a power of two the
 * next larger 16-digit number may therefore read back although the nearest one does not. */
static void number_shortest(double value, char text[40]) {
  bool subnormal = fabs(value) < 0x1p-1022; /* may need fewer than 15 digits */
  for (int digits = subnormal ? 1 : 15; digits <= 17; digits++) {
    snprintf(text, 40, "%.*e", digits - 1, value);
    if (strtod(text, NULL) == value) return;
    int exponent;
    if (digits < 16 || fabs(frexp(value, &exponent)) != 0.5) continue;
    char *last = text + (text[0] == '-') + digits;
    if (*last == '9') continue;
    ++*last;
    if (strtod(text, NULL) == value) return;
  }
}

void number_print(struct buffer *out, double value) {
  if (number_print_special(out, value, false)) return;
  char text[40];
  number_shortest(value, text);
  char *e = strchr(text, 'e');
  int64_t parsed = 0;
  str_parse_int(str_of(e + 1), 10, &parsed);
  int exponent = (int)parsed;
  char *last = e - 1;
  while (last > text && *last == '0') last--;
  if (*last == '.') last--;
  if (exponent < -4 || exponent >= 6) {
    buffer_add(out, text, (size_t)(last + 1 - text));
    buffer_add_text(out, e);
    return;
  }
  int digits = (int)(last - text) - (text[0] == '-') + 1;
  if (digits > 1) digits--; /* do not count the decimal point */
  int decimals = digits - 1 - exponent;
  buffer_printf(out, "%.*f", decimals > 0 ? decimals : 0, value);
}

void number_print_fixed(struct buffer *out, double value, int digits, bool sign) {
  char text[FIXED_MAX];
  if (number_print_special(out, value, sign)) return;
  size_t size = fixed_print(text, value, digits);
  if (!size) {
    buffer_printf(out, sign ? "%+.*f" : "%.*f", digits, value);
    return;
  }
  if (sign && text[0] != '-') buffer_add_char(out, '+');
  buffer_add(out, text, size);
}
