/* Finds the source lines with the largest values. */
#ifndef PPROFC_MCP_LINES_H
#define PPROFC_MCP_LINES_H

#include "pprofc/graph.h"
#include "pprofc/report.h"

/* Builds a graph in which each source line is a node. The caller frees the graph with
 * pprofc_graph_free. */
pprofc_status lines_graph(const pprofc_profile *profile, const pprofc_report_options *options,
                          pprofc_graph **graph, pprofc_error *error);

/* Returns the line of a function that has the largest self value with the sign `sign`. Returns NULL
 * if there is no such line. */
const pprofc_graph_node *lines_hottest(const pprofc_graph *graph, pprofc_str function, double sign);

#endif
