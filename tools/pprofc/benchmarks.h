/* Selects the benchmarks of a profile by -benchmark. Without this flag, prints a list of the
 * benchmarks on standard error. */
#ifndef PPROFC_TOOLS_BENCHMARKS_H
#define PPROFC_TOOLS_BENCHMARKS_H

#include "options.h"

/* Applies -benchmark to a profile, and replaces *profile by the result. `shown` is the name of the
 * source in messages. */
pprofc_status benchmarks_select(const struct command *command, const char *shown,
                                pprofc_profile **profile, pprofc_error *error);

/* Lists the benchmarks of a profile on standard error, if there are several and -benchmark is not
 * set. */
void benchmarks_print(const struct command *command, const pprofc_profile *profile);

#endif
