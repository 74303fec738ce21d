/* Decides if the reader may sum samples while it reads a source. */
#ifndef PPROFC_TOOLS_FOLDING_H
#define PPROFC_TOOLS_FOLDING_H

#include "open.h"
#include "options.h"

/* True if the report needs only sums of samples. Sets the data that the report needs. If the
 * program combines samples of two profiles, labels distinguish them, and the reader must keep the
 * labels. */
bool folding_of(const struct command *command, struct open_sums *sums);

#endif
