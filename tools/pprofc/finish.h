/* Declares the steps between reading a profile and writing the report. */
#ifndef PPROFC_TOOLS_FINISH_H
#define PPROFC_TOOLS_FINISH_H

#include "fetch/fetcher.h"
#include "options.h"
#include "pprofc/profile.h"

/* Sets the files of a source's mappings to binaries of this machine. */
pprofc_status finish_locate(const struct command *command, pprofc_profile **profile,
                            pprofc_error *error);

/* Symbolizes addresses, drops frames and adds the comment of -add_comment. Call it once, for
 * the combined profile. `fetcher` knows the servers that translate addresses. */
pprofc_status finish_profile(const struct fetcher *fetcher, pprofc_profile **profile,
                             pprofc_error *error);

/* Applies -benchmark to a profile, and replaces *profile by the result. `shown` is the name of the
 * source in messages. */
pprofc_status benchmarks_select(const struct command *command, const char *shown,
                                pprofc_profile **profile, pprofc_error *error);

/* Lists several benchmarks on standard error, unless -benchmark is set. */
void benchmarks_print(const struct command *command, const pprofc_profile *profile);

#endif
