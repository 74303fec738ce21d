/* What a program prints about itself instead of doing its work: a completion script, its manual's
 * options, its version. */
#ifndef TOOLS_COMMON_ABOUT_H
#define TOOLS_COMMON_ABOUT_H

#include "common/flags.h"

/* Prints on standard output the completion for a shell (unless that is ""), else with `manual` the
 * options of the manual page, else program and version. */
pprofc_status about_print(const struct flag_table *table, const char *completion, bool manual,
                          pprofc_error *error);

#endif
