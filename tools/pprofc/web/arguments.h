/* The command line without -http and without report options, for "copy as command". */
#ifndef PPROFC_WEB_ARGUMENTS_H
#define PPROFC_WEB_ARGUMENTS_H

#include "web/state.h"

/* Flags of sources, then the binary, then the sources, one argument each, for the profiles of a
 * choice. *count is 0 when no command line gives them: one of the profiles is no file (any more).
 * False when out of memory. */
bool arguments_make(const struct command *command, const struct state_choice *choice,
                    struct arena *arena, const char *const **items, size_t *count);

#endif
