/* Option structs of callers that may have been compiled against an older or a newer header. */
#ifndef PPROFC_CORE_OPTIONS_H
#define PPROFC_CORE_OPTIONS_H

#include "pprofc/base.h"

/* Copies the struct `given` into `options`. The first member of the struct is its size in bytes
 * (struct_size). `options` contains `size` bytes of defaults; fields that the caller's struct lacks
 * keep them. Fields that only the caller knows are ignored. NULL leaves the defaults. A size of 0
 * returns PPROFC_E_INVALID: the caller did not call the init function; `name` is the name of the
 * struct. */
pprofc_status options_copy(void *options, size_t size, const void *given, const char *name,
                           pprofc_error *error);

/* Sets the options of a type such as pprofc_report_options to their defaults, then copies the
 * caller's options into them. */
#define OPTIONS_COPY(type, options, given, error)                                                  \
  (type##_init(options), options_copy(options, sizeof *(options), given, #type, error))

#endif
