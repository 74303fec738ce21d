/* Runs a program under callgrind, whose counts are the same on every machine. */
#ifndef PPROFC_TOOLS_SIMULATE_H
#define PPROFC_TOOLS_SIMULATE_H

#include "options.h"
#include "viewer.h"

/* Runs the program, whose profile becomes the only source. The caller removes `file`. */
pprofc_status simulate_run(struct command *command, struct viewer_file *file, pprofc_error *error);

#endif
