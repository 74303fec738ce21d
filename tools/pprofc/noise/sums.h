/* Handles sums over runs on the command line: -sums writes them, and -noise judges two of them. */
#ifndef PPROFC_TOOLS_NOISE_SUMS_H
#define PPROFC_TOOLS_NOISE_SUMS_H

#include "options.h"
#include "verdict/sums.h"

/* Begins the sums of -sums; NULL without -sums. */
pprofc_status noise_sums_begin(const struct command *command, struct sums **sums,
                               pprofc_error *error);

/* Adds a source as a run. Does nothing without sums or without a profile. */
pprofc_status noise_sums_add(struct sums *sums, pprofc_profile *profile, const char *name,
                             pprofc_error *error);

/* Writes the file if `status` is PPROFC_OK. Always frees the sums. */
pprofc_status noise_sums_end(const struct command *command, struct sums *sums, pprofc_status status,
                             pprofc_error *error);

/* True if a source or a base is a file of sums. */
bool noise_sums_given(const struct command *command);

/* Judges sums in place of runs. */
pprofc_status noise_sums_judge(const struct command *command, const pprofc_verdict_options *options,
                               pprofc_verdicts **verdicts, pprofc_error *error);

#endif
