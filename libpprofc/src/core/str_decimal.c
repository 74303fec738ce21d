/* Converts short decimals fast, with 128-bit integers. Rounds correctly, like strtod. */
#include "core/str.h"

#include "core/chars.h"
#include <math.h>

#ifdef __SIZEOF_INT128__

#define DIGITS_MAX   19 /* any number with this number of digits fits into 64 bits */
#define EXPONENT_MAX 27 /* largest n such that 5^n fits into 64 bits */

__extension__ typedef unsigned __int128 decimal_wide;

/* The number digits * 10^exponent; `negative` is its sign. */
struct decimal_parts {
  uint64_t digits;
  int exponent;
  bool negative;
};

/* Reads digits. Returns how many there are, including leading zeros. Returns SIZE_MAX if there are
 * too many. */
static size_t decimal_take(struct decimal_parts *d, pprofc_str s, size_t at) {
  size_t begin = at;
  for (; at < s.size && char_is_digit(s.data[at]); at++) {
    if (at - begin == DIGITS_MAX) return SIZE_MAX;
    d->digits = d->digits * 10 + (uint64_t)(s.data[at] - '0');
  }
  return at - begin;
}

/* Reads an exponent of one or two digits, such as "e-7", which must end the text. */
static bool decimal_take_exponent(struct decimal_parts *d, pprofc_str s, size_t at) {
  int value = 0;
  if (at == s.size) return true;
  if ((s.data[at++] | 32) != 'e' || at == s.size) return false;
  bool negative = s.data[at] == '-';
  at += negative || s.data[at] == '+';
  if (at == s.size || s.size - at > 2) return false;
  for (; at < s.size; at++) {
    if (s.data[at] < '0' || s.data[at] > '9') return false;
    value = value * 10 + (s.data[at] - '0');
  }
  d->exponent += negative ? -value : value;
  return true;
}

/* Reads "[+-]digits[.digits][e[+-]digits]" with at most 19 digits. */
static bool decimal_read(struct decimal_parts *d, pprofc_str s) {
  size_t at = s.size && (s.data[0] == '-' || s.data[0] == '+'), fraction = 0;
  *d = (struct decimal_parts){.negative = s.size && s.data[0] == '-'};
  size_t whole = decimal_take(d, s, at);
  if (!whole || whole == SIZE_MAX) return false;
  at += whole;
  if (at < s.size && s.data[at] == '.') {
    fraction = decimal_take(d, s, at + 1);
    if (fraction == SIZE_MAX || whole + fraction > DIGITS_MAX) return false;
    at += fraction + 1;
    d->exponent = -(int)fraction;
  }
  return decimal_take_exponent(d, s, at) && d->exponent >= -EXPONENT_MAX &&
         d->exponent <= EXPONENT_MAX;
}

static int decimal_width(decimal_wide value) {
  int width = 0;
  for (int step = 64; step; step /= 2) {
    if (!(value >> step)) continue;
    value >>= step;
    width += step;
  }
  return width + (value != 0);
}

/* Returns value * 2^exponent, rounded to nearest, ties to even. `more` is true if the exact number
 * is a little larger than `value`. */
static double decimal_round(decimal_wide value, bool more, int exponent) {
  int shift = decimal_width(value) - 53;
  if (shift <= 0) return ldexp((double)(uint64_t)value, exponent);
  decimal_wide half = (decimal_wide)1 << (shift - 1);
  decimal_wide rest = value & (half * 2 - 1);
  uint64_t kept = (uint64_t)(value >> shift);
  bool above = rest > half || (rest == half && (more || kept % 2));
  return ldexp((double)(kept + above), exponent + shift);
}

bool str_quick_float(pprofc_str s, double *out) {
  struct decimal_parts d;
  uint64_t five = 1;
  if (!decimal_read(&d, s)) return false;
  for (int i = d.exponent < 0 ? -d.exponent : d.exponent; i > 0; i--) five *= 5;
  double value;
  if (d.exponent >= 0) {
    value = decimal_round((decimal_wide)d.digits * five, false, d.exponent);
  } else {
    /* The quotient has at least 54 bits, one more than a double. The rounding therefore depends
     * only on the quotient, and on whether the remainder is 0. */
    int shift = 118 - decimal_width(d.digits);
    decimal_wide wide = (decimal_wide)d.digits << shift;
    value = decimal_round(wide / five, wide % five != 0, d.exponent - shift);
  }
  *out = d.negative ? -value : value;
  return true;
}

#else

bool str_quick_float(pprofc_str s, double *out) {
  (void)s;
  (void)out;
  return false;
}

#endif
