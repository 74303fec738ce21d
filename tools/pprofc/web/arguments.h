/* The command line without -http and without report options, for "copy as command". */
#ifndef PPROFC_WEB_ARGUMENTS_H
#define PPROFC_WEB_ARGUMENTS_H

#include "web/state.h"

/* Lists the arguments that load the chosen profiles: flags of sources, the binary, the
 * sources. *count is 0 if no command line can load them, because a profile is not a file any
 * more. False when out of memory. */
bool arguments_make(const struct command *command, const struct state_choice *choice,
                    struct arena *arena, const char *const **items, size_t *count);

#endif
