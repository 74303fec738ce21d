/* What would work, in parentheses behind the message of what did not. */
#ifndef PPROFC_TOOLS_HINTS_H
#define PPROFC_TOOLS_HINTS_H

#include "options.h"

/* A source that could not be read: what the file is instead of a profile, or which permission is
 * missing. */
void hint_source(const char *path, pprofc_error *error);

#define HINT_MAX 680

/* Which sample types two profiles have, into `text`. */
void hint_types(const char *first, const pprofc_profile *one, const char *second,
                const pprofc_profile *other, char text[HINT_MAX]);

/* Adds that where the profiles turned out to have none in common. */
void hint_types_add(const char *text, pprofc_error *error);

/* The command line ends in a flag without its value, or in one that took the source as its value.
 */
void hint_argument(const struct command_flags *flags, int argc, char *const *argv,
                   pprofc_error *error);

#endif
