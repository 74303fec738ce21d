/* The interactive shell: the profile is read once, and each line asks for a report of it or sets an
 * option. Lines come from a terminal, from a pipe, or from files that the command `source` names.
 * Reports go to standard output, everything else to standard error. */
#ifndef PPROFC_TOOLS_SHELL_H
#define PPROFC_TOOLS_SHELL_H

#include "options.h"

/* Reads the sources of the command line and then lines, until they end. Returns the exit status. */
int shell_run(const struct command *command);

#endif
