/* Runs the steps between reading a profile and reporting on it. */
#ifndef PPROFC_TOOLS_FINISH_H
#define PPROFC_TOOLS_FINISH_H

#include "fetch/fetcher.h"

/* Replaces the file names of mappings by existing local binaries. Called for each source. */
pprofc_status finish_locate(const struct command *command, pprofc_profile **profile,
                            pprofc_error *error);

/* Symbolizes addresses, drops frames and adds the comment. Called for the combined profile.
 * The fetcher knows which servers can symbolize. */
pprofc_status finish_profile(const struct fetcher *fetcher, pprofc_profile **profile,
                             pprofc_error *error);

#endif
