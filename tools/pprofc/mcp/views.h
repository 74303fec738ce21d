/* Keeps views from one tool call to the next. A view is a profile or a difference with the filters
 * of a call, and the results computed from it. Later calls use these results instead of reading the
 * samples again. */
#ifndef PPROFC_MCP_VIEWS_H
#define PPROFC_MCP_VIEWS_H

#include "core/buffer.h"
#include "core/error.h"
#include "mcp/call.h"
#include "profile/profile.h"
#include "report/report.h"

struct paths;

/* Appends the stacks of a function with the largest values, one per line. */
void paths_put(const struct paths *paths, pprofc_str function, struct buffer *to);

/* Finds or creates the view for the arguments "profile", "base", "sample_type", "focus" and
 * "ignore". The view is valid until the next tool call. */
pprofc_status view_of_call(struct call *call, struct profile_view **view, pprofc_error *error);
const pprofc_profile *view_profile(const struct profile_view *view);

/* Computes the next missing result of the view that was used last. Returns false if all results
 * exist or if memory does not suffice. */
bool view_warm(struct call *call);

/* The functions set their last argument to a report about a view. The first call computes the
 * report, and later calls return the same report. */
pprofc_status profile_top(struct call *call, struct profile_view *view, const char *granularity,
                          struct kept_report **top, pprofc_error *error);
pprofc_status profile_peek(struct call *call, struct profile_view *view, struct kept_report **peek,
                           pprofc_error *error);
pprofc_status view_lines(struct call *call, struct profile_view *view, const pprofc_graph **lines,
                         pprofc_error *error);
pprofc_status view_paths(struct call *call, struct profile_view *view, const struct paths **paths,
                         pprofc_error *error);

#endif
