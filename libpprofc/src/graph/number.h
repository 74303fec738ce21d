/* Integer arithmetic as Go on amd64 does it, without C's undefined cases: products wrap around like
 * sums (profile/sum.h), and a conversion of a number that does not fit gives the smallest integer.
 */
#ifndef PPROFC_GRAPH_NUMBER_H
#define PPROFC_GRAPH_NUMBER_H

#include "profile/sum.h"

static inline int64_t number_multiply(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* The magnitude; that of the smallest integer is itself. */
static inline int64_t number_abs(int64_t v) {
  return v < 0 ? (int64_t)(0 - (uint64_t)v) : v;
}

/* a / b, truncated; b is not 0. */
static inline int64_t number_divide(int64_t a, int64_t b) {
  return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

/* The mean of what was summed up: v itself when there is no divisor. */
static inline int64_t number_mean(int64_t v, int64_t divisor) {
  return divisor ? number_divide(v, divisor) : v;
}

/* Truncation towards zero; INT64_MIN for NaN and what is out of range. */
static inline int64_t number_from_double(double v) {
  return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

#endif
