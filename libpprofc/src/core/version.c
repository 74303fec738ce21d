/* The version of the linked library, and the default limits. */
#include "pprofc/base.h"

#include <string.h>

const char *pprofc_version(void) {
  return PPROFC_VERSION;
}

void pprofc_limits_init(pprofc_limits *limits) {
  *limits = (pprofc_limits){
      .struct_size = sizeof *limits,
      .input_bytes = (uint64_t)2 << 30,
      .inflated_bytes = (uint64_t)8 << 30,
      .inflate_ratio = 400,
      .memory_bytes = (uint64_t)16 << 30,
      .stack_depth = 65536,
      .labels = 4096,
      .string_bytes = 64u << 20,
  };
}
