/* Runs the interactive shell. It reads the profile once; then each line makes a report or sets an
 * option. Lines come from a terminal, a pipe, or files of the command `source`. Reports go to
 * standard output, messages to standard error. */
#ifndef PPROFC_TOOLS_SHELL_H
#define PPROFC_TOOLS_SHELL_H

#include "options.h"

/* Reads the sources, then runs lines until the input ends. Returns the exit status. */
int shell_run(const struct command *command);

#endif
