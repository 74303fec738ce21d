/* Adds hints in parentheses to error messages. */
#ifndef PPROFC_TOOLS_HINTS_H
#define PPROFC_TOOLS_HINTS_H

#include "options.h"

/* Adds a hint about an unreadable source: the real type of the file, or the missing permission. */
void hint_source(const char *path, pprofc_error *error);

#define HINT_MAX 680

/* Writes a sentence that lists the sample types of two profiles into `text`. */
void hint_types(const char *first, const pprofc_profile *one, const char *second,
                const pprofc_profile *other, char text[HINT_MAX]);

/* Adds `text` to the error that two profiles have no common sample type. */
void hint_types_add(const char *text, pprofc_error *error);

/* Adds a hint if the last flag has no value, or if the flag took the source as its value. */
void hint_argument(const struct command_flags *flags, int argc, char *const *argv,
                   pprofc_error *error);

#endif
