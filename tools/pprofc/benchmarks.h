/* Selects the benchmarks of -benchmark. Without it, lists the benchmarks. */
#ifndef PPROFC_TOOLS_BENCHMARKS_H
#define PPROFC_TOOLS_BENCHMARKS_H

#include "options.h"

/* Replaces *profile by the benchmarks of -benchmark. `shown` names the source. */
pprofc_status benchmarks_select(const struct command *command, const char *shown,
                                pprofc_profile **profile, pprofc_error *error);

/* Lists several benchmarks on standard error, unless -benchmark is set. */
void benchmarks_print(const struct command *command, const pprofc_profile *profile);

#endif
