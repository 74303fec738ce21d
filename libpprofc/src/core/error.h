/* Filling a pprofc_error. */
#ifndef PPROFC_CORE_ERROR_H
#define PPROFC_CORE_ERROR_H

#include "pprofc/base.h"

#include <stdarg.h>

/* Fills *error when it is not NULL, and returns status, so that a failing path is one line:
 * `return error_set(error, PPROFC_E_FORMAT, "...")`. */
pprofc_status error_set(pprofc_error *error, pprofc_status status, const char *format, ...)
    PPROFC_PRINTF(3, 4);
pprofc_status error_at(pprofc_error *error, pprofc_status status, uint64_t offset,
                       const char *format, ...) PPROFC_PRINTF(4, 5);

/* "out of memory". */
pprofc_status error_nomem(pprofc_error *error);

/* Puts text in front of the message: what failed before why. */
void error_prefix(pprofc_error *error, const char *format, ...) PPROFC_PRINTF(2, 3);

/* The text of an errno as messages have it, in lower case: "no such file or directory". Written
 * into out. */
const char *error_errno_text(int number, char *out, size_t size);

/* The same as an argument of a message; the text lives until the enclosing block ends. */
#define ERRNO_TEXT(number) error_errno_text((number), (char[128]){""}, 128)

#endif
