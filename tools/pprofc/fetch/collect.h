/* Implements -collect: writes all profiles of running servers and a manifest into a folder. */
#ifndef PPROFC_TOOLS_FETCH_COLLECT_H
#define PPROFC_TOOLS_FETCH_COLLECT_H

#include "options.h"

/* Fetches profile, heap, goroutine, mutex and block of each source in parallel. Writes them into
 * the folder command->collect, which appears only when it is complete. If a profile of a server
 * fails, the folder gets no profile of this server. The function then returns an error, after it
 * has written the other servers' profiles. */
pprofc_status collect_run(const struct command *command, pprofc_error *error);

#endif
