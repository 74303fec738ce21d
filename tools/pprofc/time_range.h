/* Limits the sources to a range of time (-time_range, -diff_time_range). */
#ifndef PPROFC_TOOLS_TIME_RANGE_H
#define PPROFC_TOOLS_TIME_RANGE_H

#include "open.h"
#include "options.h"

/* Stores a range, "FROM,TO", in the field of the flag. FROM or TO may be missing. */
const char *time_range_store(void *options, const struct flag *flag, const char *text);

/* With -diff_time_range, makes the sources also the bases of the comparison. Call it after the
 * sources are set. Returns false when out of memory. */
bool time_range_add_bases(struct command *command);

/* Returns an error if a flag contradicts the ranges, else NULL. */
const char *time_range_conflict(const struct command *command);

/* Returns which data of the samples the reader keeps: `needs`, and the times if the command uses
 * times. `needs` is NULL if the command needs each sample. `times` is a buffer for the result. */
const struct open_sums *time_range_needs(const struct command *command,
                                         const struct open_sums *needs, struct open_sums *times);

/* Limits a profile to the time range of head or base, and replaces *profile. Fails if the profile
 * has no times, or if the recording ends before the range. `options` has the function for a warning
 * about estimated values; it may be NULL. */
pprofc_status time_range_select(const struct command *command, bool is_base, const char *shown,
                                const pprofc_read_options *options, pprofc_profile **profile,
                                pprofc_error *error);

#endif
