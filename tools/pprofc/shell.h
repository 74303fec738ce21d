/* Runs the interactive shell: reads the profile once; each line makes a report or sets an option.
 * Lines come from a terminal, a pipe, or files of the command `source`. Reports go to standard
 * output, all other text to standard error. */
#ifndef PPROFC_TOOLS_SHELL_H
#define PPROFC_TOOLS_SHELL_H

#include "options.h"

/* Reads the sources of the command line and then lines until the end of input. Returns the
 * exit status. */
int shell_run(const struct command *command);

#endif
