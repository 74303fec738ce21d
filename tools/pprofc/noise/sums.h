/* Adds up runs: -sums writes a file with sums, and -noise compares two such files. */
#ifndef PPROFC_TOOLS_NOISE_SUMS_H
#define PPROFC_TOOLS_NOISE_SUMS_H

#include "options.h"
#include "verdict/sums.h"

/* Creates empty sums for -sums. Sets *sums to NULL without that flag. */
pprofc_status noise_sums_begin(const struct command *command, struct sums **sums,
                               pprofc_error *error);

/* Adds a profile to the sums as one run. Does nothing if `sums` or `profile` is NULL. */
pprofc_status noise_sums_add(struct sums *sums, pprofc_profile *profile, const char *name,
                             pprofc_error *error);

/* Writes the file of -sums if `status` is PPROFC_OK. Always frees the sums. */
pprofc_status noise_sums_end(const struct command *command, struct sums *sums, pprofc_status status,
                             pprofc_error *error);

/* True if a source or base is a file that -sums wrote. */
bool noise_sums_given(const struct command *command);

/* Judges files that -sums wrote, instead of runs. */
pprofc_status noise_sums_judge(const struct command *command, const pprofc_verdict_options *options,
                               pprofc_verdicts **verdicts, pprofc_error *error);

#endif
