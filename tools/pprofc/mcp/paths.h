/* The heaviest stacks of each function. */
#ifndef PPROFC_MCP_PATHS_H
#define PPROFC_MCP_PATHS_H

#include "core/buffer.h"
#include "core/error.h"
#include "profile/profile.h"

struct paths;

/* Finds the heaviest stacks of all functions in one pass over the samples. The profile must live
 * as long. */
pprofc_status paths_new(const pprofc_profile *profile, size_t value_index,
                        const pprofc_allocator *mem, struct paths **paths, pprofc_error *error);
void paths_free(struct paths *paths);

/* Appends the heaviest stacks of a function, a line each. */
void paths_put(const struct paths *paths, pprofc_str function, struct buffer *to);

#endif
