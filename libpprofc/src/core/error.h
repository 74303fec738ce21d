/* Fills a pprofc_error with the status and the message of a failure. */
#ifndef PPROFC_CORE_ERROR_H
#define PPROFC_CORE_ERROR_H

#include "pprofc/base.h"

#include <stdarg.h>

/* Fills in *error unless it is NULL, and returns `status`. A failure then takes one line: `return
 * error_set(error, PPROFC_E_FORMAT, "...")`. */
pprofc_status error_set(pprofc_error *error, pprofc_status status, const char *format, ...)
    PPROFC_PRINTF(3, 4);
pprofc_status error_at(pprofc_error *error, pprofc_status status, uint64_t offset,
                       const char *format, ...) PPROFC_PRINTF(4, 5);

/* Fills *error with "out of memory" and returns PPROFC_E_NOMEM. */
pprofc_status error_nomem(pprofc_error *error);

/* Puts a text, such as the name of the failed operation, before the message. */
void error_prefix(pprofc_error *error, const char *format, ...) PPROFC_PRINTF(2, 3);

/* Appends " (text)" to the message if the text fits. */
void error_hint(pprofc_error *error, const char *format, ...) PPROFC_PRINTF(2, 3);

/* Writes the text of an errno to `out` in lower case: "no such file or directory". Returns
 * `out`. */
const char *error_errno_text(int number, char *out, size_t size);

/* The text of an errno, for use as an argument of a message. It is valid until the enclosing block
 * ends. */
#define ERRNO_TEXT(number) error_errno_text((number), (char[128]){""}, 128)

/* Sets the error "cannot WHAT 'PATH': TEXT" with the text of an errno. Returns PPROFC_E_IO. */
pprofc_status error_file(pprofc_error *error, const char *what, const char *path, int number);

/* ---- options ---------------------------------------- */

/* Copies the option structs of callers. A caller may have been compiled with an older or a newer
 * header. */

/* Copies the struct `given` to `options`, which has `size` bytes of defaults. The first field of
 * `given` is its size in bytes (struct_size). Fields beyond this size keep their defaults. Fields
 * that only the caller's header has are ignored. If `given` is NULL, all defaults stay. A
 * struct_size of 0 returns PPROFC_E_INVALID, because the caller did not call the init function. The
 * message contains `name`, the name of the struct. */
pprofc_status options_copy(void *options, size_t size, const void *given, const char *name,
                           pprofc_error *error);

/* Sets options, such as pprofc_report_options, to their defaults, and then to the values that the
 * caller has given. */
#define OPTIONS_COPY(type, options, given, error)                                                  \
  (type##_init(options), options_copy(options, sizeof *(options), given, #type, error))

#endif
