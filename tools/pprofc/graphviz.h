/* Renders the call graph as a picture: graphviz converts the dot report. */
#ifndef PPROFC_TOOLS_GRAPHVIZ_H
#define PPROFC_TOOLS_GRAPHVIZ_H

#include "options.h"

/* Renders the command's format, whose `graphviz` is not NULL. */
pprofc_status graphviz_report(const struct command *command, const pprofc_profile *profile,
                              pprofc_write_fn write, void *context, pprofc_error *error);

/* Runs dot, at most `timeout_ms` long unless 0, and appends the picture. */
pprofc_status graphviz_draw(const char *type, pprofc_str graph, unsigned timeout_ms,
                            struct buffer *picture, pprofc_error *error);

#endif
