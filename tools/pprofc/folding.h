/* Decides which samples of a source are added up while it is read. */
#ifndef PPROFC_TOOLS_FOLDING_H
#define PPROFC_TOOLS_FOLDING_H

#include "open.h"
#include "options.h"

/* True if the report only needs sums of samples; sets the data that it needs. When samples of
 * two profiles are combined, labels distinguish samples, so they are needed even for sums. */
bool folding_of(const struct command *command, struct open_sums *sums);

#endif
