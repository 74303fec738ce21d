/* Adds and subtracts sample values. Results wrap around like int64 in Go, so all formats show the
 * same numbers as pprof. */
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

#endif
