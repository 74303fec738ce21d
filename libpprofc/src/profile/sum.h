/* Computes with sample values like Go on amd64, without undefined behaviour. Results wrap around
 * like int64 in Go, so all formats show the same numbers as pprof. */
#ifndef PPROFC_PROFILE_SUM_H
#define PPROFC_PROFILE_SUM_H

#include "core/base.h"

static inline int64_t sum_add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Returns a - b, wrapped around like sum_add. */
static inline int64_t sum_subtract(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t number_multiply(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* Returns the absolute value of v. Like in Go, the smallest integer stays negative. */
static inline int64_t number_abs(int64_t v) {
  return v < 0 ? (int64_t)(0 - (uint64_t)v) : v;
}

/* Returns a / b, truncated. b must not be 0. */
static inline int64_t number_divide(int64_t a, int64_t b) {
  return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

/* Returns the mean v / divisor, or v if the divisor is 0. */
static inline int64_t number_mean(int64_t v, int64_t divisor) {
  return divisor ? number_divide(v, divisor) : v;
}

/* Truncates towards zero. Returns INT64_MIN for NaN and for numbers out of range. */
static inline int64_t number_from_double(double v) {
  return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

#endif
