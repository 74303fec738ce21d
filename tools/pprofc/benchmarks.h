/* Handles the benchmarks of the sources: -benchmark selects some, and a list on standard error
 * names all of a profile that has several. */
#ifndef PPROFC_TOOLS_BENCHMARKS_H
#define PPROFC_TOOLS_BENCHMARKS_H

#include "options.h"

/* Applies -benchmark to one source, which messages call `shown`. Replaces *profile. */
pprofc_status benchmarks_select(const struct command *command, const char *shown,
                                pprofc_profile **profile, pprofc_error *error);

/* Lists the benchmarks of a profile that is the sum of several benchmarks, unless -benchmark is
 * set. */
void benchmarks_print(const struct command *command, const pprofc_profile *profile);

#endif
