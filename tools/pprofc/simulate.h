/* Running a program under valgrind's callgrind: counts of instructions and of cache misses that are
 * the same on every machine, where times are not. */
#ifndef PPROFC_TOOLS_SIMULATE_H
#define PPROFC_TOOLS_SIMULATE_H

#include "options.h"
#include "viewer.h"

/* Runs command->program once, and makes the profile of it the only source of the command. `file` is
 * to be removed when the command is done, in any case. */
pprofc_status simulate_run(struct command *command, struct viewer_file *file, pprofc_error *error);

#endif
