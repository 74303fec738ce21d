/* Copies option structs of callers. A caller may have been compiled with an older or a newer
 * header. */
#ifndef PPROFC_CORE_OPTIONS_H
#define PPROFC_CORE_OPTIONS_H

#include "pprofc/base.h"

/* Copies the struct `given` to `options`, which has `size` bytes of defaults. The first field of
 * `given` is its size in bytes (struct_size). Fields that `given` does not have keep their
 * defaults. Fields that only the caller knows are ignored. If `given` is NULL, all defaults stay. A
 * struct_size of 0 returns PPROFC_E_INVALID, because the caller did not call the init function.
 * `name` is the name of the struct for the message. */
pprofc_status options_copy(void *options, size_t size, const void *given, const char *name,
                           pprofc_error *error);

/* Sets the options of a type such as pprofc_report_options to their defaults. Then copies the
 * caller's options over them. */
#define OPTIONS_COPY(type, options, given, error)                                                  \
  (type##_init(options), options_copy(options, sizeof *(options), given, #type, error))

#endif
