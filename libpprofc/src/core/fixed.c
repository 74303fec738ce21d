/* Prints numbers with a fixed number of decimals. A double is an integer times a power of two. The
 * remainder that decides the rounding is therefore exact. */
#include "core/fixed.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MAX_DECIMALS 9

/* A double as mantissa * 2^-drop. `drop` is the number of bits after the point. */
struct fixed_parts {
  uint64_t mantissa;
  int drop;
  bool negative, finite;
};

static struct fixed_parts fixed_take_apart(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  int exponent = (int)(bits >> 52 & 0x7FF);
  struct fixed_parts parts = {bits & 0xFFFFFFFFFFFFFu, 1074, bits >> 63 != 0, exponent != 0x7FF};
  if (exponent) { /* an exponent of 0 means a subnormal number */
    parts.mantissa |= (uint64_t)1 << 52;
    parts.drop = 1075 - exponent;
  }
  return parts;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 fixed_wide;

/* Multiplies the number by 10^decimals, and rounds it to an integer, ties to even like printf.
 * Returns false if the integer is too large. */
static bool fixed_round(const struct fixed_parts *parts, int decimals, uint64_t *rounded) {
  static const uint32_t powers[MAX_DECIMALS + 1] = {
      1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
  fixed_wide scaled = (fixed_wide)parts->mantissa * powers[decimals];
  *rounded = 0;
  if (parts->drop <= 0) return false;
  if (parts->drop >= 100)
    return true; /* `scaled` is below 2^83. The number is then below one half and rounds to 0. */
  fixed_wide whole = scaled >> parts->drop, rest = scaled - (whole << parts->drop);
  fixed_wide half = (fixed_wide)1 << (parts->drop - 1);
  if (whole >> 62) return false;
  *rounded = (uint64_t)whole + (rest > half || (rest == half && (whole & 1)));
  return true;
}
#else /* Without 128-bit integers, callers use printf. */
static bool fixed_round(const struct fixed_parts *parts, int decimals, uint64_t *rounded) {
  (void)parts, (void)decimals, (void)rounded;
  return false;
}
#endif

size_t fixed_print(char out[FIXED_MAX], double value, int decimals) {
  char text[FIXED_MAX], *at = text + sizeof text;
  struct fixed_parts parts = fixed_take_apart(value);
  uint64_t digits;
  if (decimals < 0 || decimals > MAX_DECIMALS || !parts.finite ||
      !fixed_round(&parts, decimals, &digits))
    return 0;
  *--at = '\0';
  for (int i = 0; i < decimals; i++, digits /= 10) *--at = (char)('0' + digits % 10);
  if (decimals) *--at = '.';
  do {
    *--at = (char)('0' + digits % 10);
    digits /= 10;
  } while (digits);
  if (parts.negative) *--at = '-';
  size_t size = (size_t)(text + sizeof text - at);
  memcpy(out, at, size);
  return size - 1;
}
