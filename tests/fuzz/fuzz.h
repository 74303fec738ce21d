/* What the fuzz targets share. A target is one file fuzz_NAME.c with LLVMFuzzerTestOneInput; it is
 * linked with libFuzzer when PPROFC_BUILD_FUZZERS is on, else with replay_main.c, which runs it
 * over the files it is given. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "pprofc/profile.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stops the run when a promise does not hold, in every build. */
#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);              \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

/* Limits under which one input takes little time. */
static inline pprofc_limits fuzz_limits(void) {
  pprofc_limits limits;
  pprofc_limits_init(&limits);
  limits.inflated_bytes = 4u << 20;
  limits.memory_bytes = 256u << 20;
  return limits;
}

#endif
