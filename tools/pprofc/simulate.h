/* Runs a program under valgrind's callgrind. The counts of instructions and cache misses are the
 * same on every machine, unlike times. */
#ifndef PPROFC_TOOLS_SIMULATE_H
#define PPROFC_TOOLS_SIMULATE_H

#include "options.h"
#include "viewer.h"

/* Runs command->program once, and makes its profile the only source of the command. The caller
 * removes `file` at the end, even after an error. */
pprofc_status simulate_run(struct command *command, struct viewer_file *file, pprofc_error *error);

#endif
