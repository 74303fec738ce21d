/* Keeps views between tool calls. A view is a profile or a difference with the filters of a call,
 * and the results computed from it, which later calls use again. */
#ifndef PPROFC_MCP_VIEWS_H
#define PPROFC_MCP_VIEWS_H

#include "core/buffer.h"
#include "core/error.h"
#include "mcp/call.h"
#include "profile/profile.h"
#include "report/kept.h"

struct paths;

/* Appends the stacks of a function with the largest values, one per line. */
void paths_put(const struct paths *paths, pprofc_str function, struct buffer *to);

/* Finds or creates the view for the arguments "profile", "base", "sample_type", "focus" and
 * "ignore". The view is valid until the next tool call. */
pprofc_status view_of_call(struct call *call, struct profile_view **view, pprofc_error *error);
const pprofc_profile *view_profile(const struct profile_view *view);

/* Computes the last view's next missing result. False: all exist, or too little memory. */
bool view_warm(struct call *call);

/* Set the last argument to a report about a view, which only the first call computes. */
pprofc_status profile_top(struct call *call, struct profile_view *view, const char *granularity,
                          struct kept_report **top, pprofc_error *error);
pprofc_status profile_peek(struct call *call, struct profile_view *view, struct kept_report **peek,
                           pprofc_error *error);
pprofc_status view_lines(struct call *call, struct profile_view *view, const pprofc_graph **lines,
                         pprofc_error *error);
pprofc_status view_paths(struct call *call, struct profile_view *view, const struct paths **paths,
                         pprofc_error *error);

#endif
