/* The version of the library, the names of statuses, the default limits, and copies of option
 * structs. */
#include "core/error.h"
#include "core/options.h"
#include "pprofc/base.h"

#include <string.h>

const char *pprofc_version(void) {
  return PPROFC_VERSION;
}

const char *pprofc_status_name(pprofc_status status) {
  static const char *const names[] = {
      [PPROFC_OK] = "PPROFC_OK",
      [PPROFC_E_NOMEM] = "PPROFC_E_NOMEM",
      [PPROFC_E_IO] = "PPROFC_E_IO",
      [PPROFC_E_FORMAT] = "PPROFC_E_FORMAT",
      [PPROFC_E_LIMIT] = "PPROFC_E_LIMIT",
      [PPROFC_E_INVALID] = "PPROFC_E_INVALID",
      [PPROFC_E_UNSUPPORTED] = "PPROFC_E_UNSUPPORTED",
      [PPROFC_E_NO_MATCH] = "PPROFC_E_NO_MATCH",
      [PPROFC_E_CANCELLED] = "PPROFC_E_CANCELLED",
  };
  return (size_t)status < sizeof names / sizeof *names ? names[status] : "unknown status";
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

pprofc_status options_copy(void *options, size_t size, const void *given, const char *name,
                           pprofc_error *error) {
  if (!given) return PPROFC_OK;
  size_t known;
  memcpy(&known, given, sizeof known);
  if (known < sizeof known)
    return error_set(error, PPROFC_E_INVALID, "%s is not initialised: call %s_init first", name,
                     name);
  if (known > size) known = size;
  memcpy(options, given, known);
  memcpy(options, &size, sizeof size);
  return PPROFC_OK;
}
