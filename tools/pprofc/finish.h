/* What happens to a profile between reading and reporting. */
#ifndef PPROFC_TOOLS_FINISH_H
#define PPROFC_TOOLS_FINISH_H

#include "fetch/fetcher.h"

/* Replaces the file names of mappings by binaries that are there. Done with each source. */
pprofc_status finish_locate(const struct command *command, pprofc_profile **profile,
                            pprofc_error *error);

/* Gives names to addresses, drops frames and adds the comment. Done with what was combined. The
 * fetcher says which servers may be asked for names. */
pprofc_status finish_profile(const struct fetcher *fetcher, pprofc_profile **profile,
                             pprofc_error *error);

#endif
