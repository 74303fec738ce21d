/* Finds the source lines with the largest values. */
#ifndef PPROFC_MCP_LINES_H
#define PPROFC_MCP_LINES_H

#include "pprofc/graph.h"
#include "pprofc/report.h"

/* Builds a graph of source lines, which the caller frees with pprofc_graph_free. */
pprofc_status lines_graph(const pprofc_profile *profile, const pprofc_report_options *options,
                          pprofc_graph **graph, pprofc_error *error);

/* Returns a function's line with the largest self value of the sign `sign`, or NULL. */
const pprofc_graph_node *lines_hottest(const pprofc_graph *graph, pprofc_str function, double sign);

#endif
