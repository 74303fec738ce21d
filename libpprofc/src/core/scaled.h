/* Converts decimals to integers, for readers of JSON and perf script: "1.5" times 10^3 is 1500. The
 * functions are inline, because readers convert millions of numbers. */
#ifndef PPROFC_CORE_SCALED_H
#define PPROFC_CORE_SCALED_H

#include "core/str.h"

/* State while a decimal is converted to an integer. */
struct scaled {
  int64_t sum;
  int decimals; /* number of digits read after the point; -1 before the point */
  bool up;      /* true if the first dropped digit rounds the number up */
};

static inline bool scaled_add(struct scaled *s, int digit) {
  return !__builtin_mul_overflow(s->sum, 10, &s->sum) &&
         !__builtin_add_overflow(s->sum, digit, &s->sum);
}

/* Reads a byte of a decimal. After the point, keeps the first `exponent` digits, and rounds by the
 * next digit. */
static inline bool scaled_take(struct scaled *s, char c, int exponent) {
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

/* Parses a decimal without an exponent, multiplies it by 10^exponent, and rounds it to an integer.
 * Returns false if the text is not a decimal number or the result does not fit. */
static inline bool scaled_parse(pprofc_str text, int exponent, int64_t *out) {
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

#endif
