/* Shared code of the fuzz targets. A target is one file fuzz_NAME.c with LLVMFuzzerTestOneInput.
 * With PPROFC_BUILD_FUZZERS it is linked with libFuzzer. Otherwise it is linked with replay_main.c,
 * which runs the target over given files. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "pprofc/profile.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stops the run if a condition is false, in every build. */
#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);              \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

/* Returns limits that keep the time for one input short. */
static inline pprofc_limits fuzz_limits(void) {
  pprofc_limits limits;
  pprofc_limits_init(&limits);
  limits.inflated_bytes = 4u << 20;
  limits.memory_bytes = 256u << 20;
  return limits;
}

#endif
