/* Parses floats of any length by Go's rules, correctly rounded. Prints the shortest decimal of a
 * float. */
#include "core/chars.h"
#include "core/float.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool float_has_sign(pprofc_str s) {
  return s.size && (s.data[0] == '-' || s.data[0] == '+');
}

static pprofc_str float_without_sign(pprofc_str s) {
  return float_has_sign(s) ? str_slice(s, 1, s.size) : s;
}

static bool float_is_hex(pprofc_str s) {
  return s.size >= 2 && s.data[0] == '0' && (s.data[1] | 32) == 'x';
}

static bool float_is_mantissa_digit(char c, bool hex) {
  return hex ? char_is_hex(c) : char_is_digit(c);
}

/* True if all underscores are where Go permits them: between two digits, and between "0x" and a
 * digit. */
static bool float_underscores_fit(pprofc_str s) {
  s = float_without_sign(s);
  bool hex = float_is_hex(s), after_digit = hex, after_underscore = false;
  for (size_t i = hex ? 2 : 0; i < s.size; i++) {
    bool underscore = s.data[i] == '_', digit = float_is_mantissa_digit(s.data[i], hex);
    if (underscore && !after_digit) return false;
    if (after_underscore && !digit) return false;
    after_digit = digit;
    after_underscore = underscore;
  }
  return !after_underscore;
}

/* Number of significant digits that are kept. The longest exact expansion of a midpoint between two
 * doubles has 767 digits. Later digits affect rounding only if any of them is not 0. */
#define MAX_DIGITS 800

/* A number in the syntax of strtod: without underscores, and with a limited number of digits. */
struct normal {
  char text[MAX_DIGITS + 64];
  size_t size;
  size_t kept;      /* number of digits in the text */
  int64_t shift;    /* the value is the digits, read as an integer, times base^shift */
  bool hex;         /* true if text begins with "0x" */
  bool point;       /* true if a point was read */
  bool any;         /* true if a digit was read */
  bool significant; /* true if a digit other than 0 was read */
  bool dropped;     /* true if a dropped digit was not 0 */
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

/* Copies the sign and the "0x" of a number. Returns the offset of the digits. */
static size_t normal_copy_prefix(struct normal *n, pprofc_str s) {
  pprofc_str body = float_without_sign(s);
  if (s.data[0] == '-') n->text[n->size++] = '-';
  n->hex = float_is_hex(body);
  size_t start = s.size - body.size;
  if (!n->hex) return start;
  memcpy(n->text + n->size, "0x", 2);
  n->size += 2;
  return start + 2;
}

/* Copies the digits that begin at s[i]. Returns the offset after the digits. */
static size_t normal_copy_mantissa(struct normal *n, pprofc_str s, size_t i) {
  for (; i < s.size; i++) {
    char c = s.data[i];
    if (c == '_') continue;
    if (c == '.' && !n->point)
      n->point = true;
    else if (float_is_mantissa_digit(c, n->hex))
      normal_add_digit(n, c);
    else
      break;
  }
  if (n->dropped) { /* append a digit 1, so that rounding does not see a tie */
    n->text[n->size++] = '1';
    n->shift--;
  }
  if (!n->kept) n->text[n->size++] = '0';
  return i;
}

/* Parses the exponent, [+-]digits, at s[i]. Ignores further digits after the value has reached
 * 1,000,000. Returns false if there is no digit. */
static bool float_copy_exponent(pprofc_str s, size_t i, int64_t *exponent) {
  s = str_slice(s, i, s.size);
  bool minus = s.size && s.data[0] == '-';
  s = float_without_sign(s);
  if (!s.size || !char_is_digit(s.data[0])) return false;
  int64_t value = 0;
  for (i = 0; i < s.size; i++) {
    if (s.data[i] == '_') continue;
    if (!char_is_digit(s.data[i])) return false;
    if (value < 1000000) value = value * 10 + (s.data[i] - '0');
  }
  *exponent = minus ? -value : value;
  return true;
}

/* Parses the exponent at s[i]. A hexadecimal number must have an exponent. */
static bool float_parse_exponent(pprofc_str s, size_t i, bool hex, int64_t *exponent) {
  *exponent = 0;
  if (i == s.size) return !hex;
  return (s.data[i] | 32) == (hex ? 'p' : 'e') && float_copy_exponent(s, i + 1, exponent);
}

static enum number_result float_read_word(pprofc_str s, double *out) {
  if (str_equal_any_case(s, STR("nan"))) {
    *out = (double)NAN;
    return NUMBER_OK;
  }
  bool negative = s.data[0] == '-';
  s = float_without_sign(s);
  if (!str_equal_any_case(s, STR("inf")) && !str_equal_any_case(s, STR("infinity")))
    return NUMBER_SYNTAX;
  *out = negative ? -(double)INFINITY : (double)INFINITY;
  return NUMBER_OK;
}

/* Parses a number of any length with strtod, which rounds correctly. */
static enum number_result float_read_slow(pprofc_str s, double *out) {
  if (memchr(s.data, '_', s.size) && !float_underscores_fit(s)) return NUMBER_SYNTAX;
  struct normal n = {.size = 0};
  int64_t exponent;
  size_t i = normal_copy_mantissa(&n, s, normal_copy_prefix(&n, s));
  if (!n.any || !float_parse_exponent(s, i, n.hex, &exponent)) return NUMBER_SYNTAX;
  exponent += n.hex ? n.shift * 4 : n.shift;
  snprintf(n.text + n.size, sizeof n.text - n.size, "%c%lld", n.hex ? 'p' : 'e',
           (long long)exponent);
  double value = strtod(n.text, NULL);
  if (isinf(value)) return NUMBER_RANGE;
  *out = value;
  return NUMBER_OK;
}

enum number_result float_read(pprofc_str s, double *out) {
  if (!s.size) return NUMBER_SYNTAX;
  if (str_quick_float(s, out)) return NUMBER_OK;
  pprofc_str body = float_without_sign(s);
  bool is_number = body.size && (char_is_digit(body.data[0]) || body.data[0] == '.');
  return is_number ? float_read_slow(s, out) : float_read_word(s, out);
}

bool str_parse_float(pprofc_str s, double *out) {
  return float_read(s, out) == NUMBER_OK;
}

void float_shortest(char out[FLOAT_SHORTEST], double value) {
  for (int digits = 15; digits <= 17; digits++) {
    double back;
    snprintf(out, FLOAT_SHORTEST, "%.*g", digits, value);
    if (str_parse_float(str_of(out), &back) && back == value) return;
  }
}
