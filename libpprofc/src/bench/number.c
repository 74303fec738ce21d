/* Parses integers and prints numbers by Go's rules. benchstatc then prints the same bytes as
 * benchstat. */
#include "bench/number.h"

#include "core/fixed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- reading ----------------------------------------- */

enum number_result number_parse_int(pprofc_str s, int64_t *out) {
  bool negative = s.size && s.data[0] == '-', over = false;
  size_t i = s.size && (negative || s.data[0] == '+');
  if (i == s.size) return NUMBER_SYNTAX;
  uint64_t value = 0;
  for (; i < s.size; i++) {
    if (s.data[i] < '0' || s.data[i] > '9') return NUMBER_SYNTAX;
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

/* Formats a value as "d.ddde±xx" with the fewest digits that give back the same value. First tries
 * 15 digits, which every normal double preserves; number_print drops trailing zeros. Below a power
 * of two, doubles are twice as dense as above it. For a power of two, the nearest 16-digit number
 * may therefore fail, although the next larger one gives back the value. */
static void number_shortest(double value, char text[40]) {
  bool subnormal = fabs(value) < 0x1p-1022; /* A subnormal number may need fewer than 15 digits. */
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
  if (digits > 1) digits--; /* The decimal point does not count. */
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
