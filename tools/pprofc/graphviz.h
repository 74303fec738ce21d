/* Renders the call graph as a picture: graphviz converts the dot report. */
#ifndef PPROFC_TOOLS_GRAPHVIZ_H
#define PPROFC_TOOLS_GRAPHVIZ_H

#include "options.h"

/* Renders the command's format, whose `graphviz` is not NULL. */
pprofc_status graphviz_report(const struct command *command, const pprofc_profile *profile,
                              pprofc_write_fn write, void *context, pprofc_error *error);

#endif
