/* Runs the interactive shell. The shell reads the profile once. Then each line requests a report or
 * sets an option. Lines come from a terminal, from a pipe, or from a file named in the command
 * `source`. Reports go to standard output, messages to standard error. */
#ifndef PPROFC_TOOLS_SHELL_H
#define PPROFC_TOOLS_SHELL_H

#include "options.h"

/* Reads the sources, then runs lines until the input ends. Returns the exit status. */
int shell_run(const struct command *command);

#endif
