/* Creates a picture of the call graph. graphviz converts a report in dot format to the picture. */
#ifndef PPROFC_TOOLS_GRAPHVIZ_H
#define PPROFC_TOOLS_GRAPHVIZ_H

#include "options.h"

/* Creates a report whose format names a type of picture in `graphviz`, such as "svg": converts a
 * dot report to this type. Passes the picture to `write`. */
pprofc_status graphviz_report(const struct command *command, const pprofc_profile *profile,
                              pprofc_write_fn write, void *context, pprofc_error *error);

/* Runs dot and appends the picture. Stops dot after `timeout_ms` milliseconds; 0: no limit. */
pprofc_status graphviz_draw(const char *type, pprofc_str graph, unsigned timeout_ms,
                            struct buffer *picture, pprofc_error *error);

#endif
