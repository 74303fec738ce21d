/* Copies option structs of callers. A caller may have been compiled with an older or a newer
 * header. */
#include "core/options.h"

#include "core/error.h"

#include <string.h>

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
