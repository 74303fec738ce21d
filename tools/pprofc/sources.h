/* From sources on the command line to the one profile that is reported on. */
#ifndef PPROFC_TOOLS_SOURCES_H
#define PPROFC_TOOLS_SOURCES_H

#include "options.h"

/* Takes the executable off the front of the sources when the first of several is one. */
void sources_find_executable(struct command *command);

/* Reads all sources, and the base if there is one; merges, subtracts, prunes and annotates as the
 * command says. A source that cannot be read is reported on standard error and left out as long as
 * there is another. */
pprofc_status sources_fetch(const struct command *command, pprofc_profile **profile,
                            pprofc_error *error);

#endif
