/* Pictures of the call graph: the dot report through graphviz. */
#ifndef PPROFC_TOOLS_GRAPHVIZ_H
#define PPROFC_TOOLS_GRAPHVIZ_H

#include "options.h"

/* Renders the command's format, which has a `graphviz`. */
pprofc_status graphviz_report(const struct command *command, const pprofc_profile *profile,
                              pprofc_write_fn write, void *context, pprofc_error *error);

#endif
