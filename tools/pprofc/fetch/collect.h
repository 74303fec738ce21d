/* Implements -collect: writes all profiles of running servers into a folder, with a manifest. */
#ifndef PPROFC_TOOLS_FETCH_COLLECT_H
#define PPROFC_TOOLS_FETCH_COLLECT_H

#include "options.h"

/* Fetches profile, heap, goroutine, mutex and block of each source, all at once, into the
 * folder command->collect. If one profile of a server fails, no profile of this server is
 * written. The folder appears once it is complete. Returns an error if any server failed; the
 * profiles of the other servers are written. */
pprofc_status collect_run(const struct command *command, pprofc_error *error);

#endif
