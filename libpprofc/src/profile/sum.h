/* Adds and subtracts sample values. Sums and differences wrap around as int64 does in Go, so all
 * formats show the numbers that pprof prints. */
#ifndef PPROFC_PROFILE_SUM_H
#define PPROFC_PROFILE_SUM_H

#include <stdint.h>

static inline int64_t sum_add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Returns a - b, which also wraps around. */
static inline int64_t sum_subtract(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}

#endif
