/* Instructions for coding agents in the repository of a user. */
#ifndef PPROFCI_INIT_AGENTS_H
#define PPROFCI_INIT_AGENTS_H

#include "core/error.h"
#include "core/output.h"

/* Writes the skill into the current folder, and adds a section to AGENTS.md. Files that differ
 * stay unless `force`; then nothing is written. */
pprofc_status agents_write(bool force, struct output *out, pprofc_error *error);

#endif
