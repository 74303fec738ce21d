/* Numbers of benchmark text: Go's rules for reading and printing them, fast where that is exact. */
#include "bench/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- reading ----------------------------------------- */

/* Powers of ten that a double holds exactly. */
static const double exact_power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool bench_number_is_digit(char c) {
  return (unsigned char)(c - '0') < 10;
}

/* digits[.digits][e[+-]digits], at most 19 digits. An integer of at most 2^53 times or divided by
 * an exact power of ten is one correctly rounded operation (Clinger 1990). False means: take the
 * slow way. */
static bool parse_fast(pprofc_str s, double *out) {
  if (!s.size) return false;
  const char *p = s.data, *end = s.data + s.size;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  uint64_t mantissa = 0;
  const char *start = p;
  while (p < end && bench_number_is_digit(*p)) mantissa = mantissa * 10 + (uint64_t)(*p++ - '0');
  ptrdiff_t digits = p - start;
  int exponent = 0;
  if (p < end && *p == '.') {
    const char *fraction = ++p;
    while (p < end && bench_number_is_digit(*p)) mantissa = mantissa * 10 + (uint64_t)(*p++ - '0');
    if (p - fraction > 19) return false;
    exponent = -(int)(p - fraction);
    digits += p - fraction;
  }
  if (digits == 0 || digits > 19) return false;
  if (p < end && (*p | 32) == 'e') {
    bool minus = ++p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    int value = 0;
    start = p;
    while (p < end && bench_number_is_digit(*p) && value < 1000) value = value * 10 + (*p++ - '0');
    if (p == start) return false;
    exponent += minus ? -value : value;
  }
  if (p != end || mantissa > (uint64_t)1 << 53 || exponent < -22 || exponent > 22) return false;
  double value = (double)mantissa;
  value = exponent < 0 ? value / exact_power[-exponent] : value * exact_power[exponent];
  *out = negative ? -value : value;
  return true;
}

/* Go's rule: an underscore stands between digits, or between the base prefix and a digit. */
static bool underscores_fit(pprofc_str s) {
  size_t i = s.size && (s.data[0] == '-' || s.data[0] == '+') ? 1 : 0;
  char before = '^';
  bool hex = false;
  if (s.size - i >= 2 && s.data[i] == '0' && (s.data[i + 1] | 32) == 'x') {
    hex = true;
    before = '0';
    i += 2;
  }
  for (; i < s.size; i++) {
    char c = s.data[i];
    bool digit = bench_number_is_digit(c) || (hex && (c | 32) >= 'a' && (c | 32) <= 'f');
    if (c == '_' ? before != '0' : !digit && before == '_') return false;
    before = digit ? '0' : c == '_' ? '_' : '!';
  }
  return before != '_';
}

/* Beyond this many significant digits only "was there any more" can matter to rounding: the longest
 * exact decimal expansion of a point halfway between two doubles has 767 of them. */
#define MOST_DIGITS 800

/* A number's text in a form that strtod takes: no underscores, a bounded number of digits. */
struct normal {
  char text[MOST_DIGITS + 64];
  size_t size;
  int64_t shift; /* digits dropped in front of the point minus zeros dropped behind it */
};

static size_t copy_mantissa(pprofc_str s, size_t i, bool hex, struct normal *n, bool *any) {
  bool point = false, significant = false, dropped = false;
  size_t kept = 0;
  for (; i < s.size; i++) {
    char c = s.data[i];
    if (c == '_') continue;
    if (c == '.') {
      if (point) break;
      point = true;
      continue;
    }
    if (!bench_number_is_digit(c) && !(hex && (c | 32) >= 'a' && (c | 32) <= 'f')) break;
    *any = true;
    significant |= c != '0';
    if (!significant || kept >= MOST_DIGITS) {
      dropped |= c != '0';
      if (significant && !point) n->shift++;
      if (!significant && point) n->shift--;
      continue;
    }
    n->text[n->size++] = c;
    kept++;
    if (point) n->shift--;
  }
  if (dropped) { /* a digit below all others, so that a tie is not taken for one */
    n->text[n->size++] = '1';
    n->shift--;
  }
  if (!kept) n->text[n->size++] = '0';
  return i;
}

/* [+-]digits at s[i], saturating; false without a digit. */
static bool copy_exponent(pprofc_str s, size_t i, int64_t *exponent) {
  bool minus = i < s.size && s.data[i] == '-';
  if (i < s.size && (s.data[i] == '-' || s.data[i] == '+')) i++;
  if (i >= s.size || !bench_number_is_digit(s.data[i])) return false;
  int64_t value = 0;
  for (; i < s.size; i++) {
    if (s.data[i] == '_') continue;
    if (!bench_number_is_digit(s.data[i])) return false;
    if (value < 1000000) value = value * 10 + (s.data[i] - '0');
  }
  *exponent = minus ? -value : value;
  return true;
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
  bool negative = s.size && s.data[0] == '-';
  if (s.size && (s.data[0] == '-' || s.data[0] == '+')) s = str_slice(s, 1, s.size);
  if (!equal_fold(s, "inf") && !equal_fold(s, "infinity")) return NUMBER_SYNTAX;
  *out = negative ? -(double)INFINITY : (double)INFINITY;
  return NUMBER_OK;
}

static enum number_result parse_slow(pprofc_str s, double *out) {
  if (memchr(s.data, '_', s.size) && !underscores_fit(s)) return NUMBER_SYNTAX;
  struct normal n = {.size = 0};
  size_t i = 0;
  if (s.size && (s.data[0] == '-' || s.data[0] == '+')) {
    if (s.data[0] == '-') n.text[n.size++] = '-';
    i = 1;
  }
  bool hex = s.size - i >= 2 && s.data[i] == '0' && (s.data[i + 1] | 32) == 'x', any = false;
  if (hex) {
    memcpy(n.text + n.size, "0x", 2);
    n.size += 2;
    i += 2;
  }
  i = copy_mantissa(s, i, hex, &n, &any);
  if (!any) return NUMBER_SYNTAX;
  int64_t exponent = 0;
  if (i < s.size) {
    if ((s.data[i] | 32) != (hex ? 'p' : 'e') || !copy_exponent(s, i + 1, &exponent))
      return NUMBER_SYNTAX;
  } else if (hex) {
    return NUMBER_SYNTAX;
  }
  exponent += hex ? n.shift * 4 : n.shift;
  snprintf(n.text + n.size, sizeof n.text - n.size, "%c%lld", hex ? 'p' : 'e', (long long)exponent);
  double value = strtod(n.text, NULL);
  if (isinf(value)) return NUMBER_RANGE;
  *out = value;
  return NUMBER_OK;
}

enum number_result number_parse(pprofc_str s, double *out) {
  if (parse_fast(s, out)) return NUMBER_OK;
  if (!s.size) return NUMBER_SYNTAX;
  char first = s.data[s.data[0] == '-' || s.data[0] == '+' ? (s.size > 1) : 0];
  return bench_number_is_digit(first) || first == '.' ? parse_slow(s, out) : parse_word(s, out);
}

enum number_result number_parse_int(pprofc_str s, int64_t *out) {
  bool negative = s.size && s.data[0] == '-';
  size_t i = s.size && (s.data[0] == '-' || s.data[0] == '+') ? 1 : 0;
  if (i == s.size) return NUMBER_SYNTAX;
  uint64_t value = 0;
  bool over = false;
  for (; i < s.size; i++) {
    if (!bench_number_is_digit(s.data[i])) return NUMBER_SYNTAX;
    over |= __builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(s.data[i] - '0'), &value);
  }
  if (over || value > (uint64_t)INT64_MAX + negative) return NUMBER_RANGE;
  *out = (int64_t)(negative ? 0 - value : value);
  return NUMBER_OK;
}

/* ---- printing ---------------------------------------- */

static bool print_special(struct buffer *out, double value, bool sign) {
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

/* "d.ddde±xx" with the fewest digits that read back as value. 15 digits always survive a double, so
 * the trailing zeros of the first attempt are not needed. Just above a power of two the doubles
 * below are twice as dense: there the next larger 16-digit number may read back although the
 * nearest one does not. */
static void shortest(double value, char text[40]) {
  bool subnormal = fabs(value) < 0x1p-1022; /* these have fewer digits */
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
  if (print_special(out, value, false)) return;
  char text[40];
  shortest(value, text);
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
  if (digits > 1) digits--; /* the point */
  buffer_printf(out, "%.*f", digits - 1 - exponent > 0 ? digits - 1 - exponent : 0, value);
}

void number_print_fixed(struct buffer *out, double value, int digits, bool sign) {
  if (print_special(out, value, sign)) return;
  buffer_printf(out, sign ? "%+.*f" : "%.*f", digits, value);
}
