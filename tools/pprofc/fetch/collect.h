/* -collect: all profiles of running servers as files in a folder, with a manifest. */
#ifndef PPROFC_TOOLS_FETCH_COLLECT_H
#define PPROFC_TOOLS_FETCH_COLLECT_H

#include "options.h"

/* Fetches profile, heap, goroutine, mutex and block of each source, all at once, into the folder
 * command->collect. What a server has is written whole or, when one of its profiles fails, not at
 * all; the folder appears when everything is in it. Fails when a server gave nothing; what the
 * others gave is written. */
pprofc_status collect_run(const struct command *command, pprofc_error *error);

#endif
