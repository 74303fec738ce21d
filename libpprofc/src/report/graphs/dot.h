/* Writes a graph in the language of graphviz. */
#ifndef PPROFC_REPORT_GRAPHS_DOT_H
#define PPROFC_REPORT_GRAPHS_DOT_H

#include "graph/graph.h"
#include "report/report.h"

/* Flags for pipeline_graph that the picture needs. */
#define DOT_GRAPH (PIPELINE_EDGES | PIPELINE_TAGS | PIPELINE_VISUAL | PIPELINE_CALL_TREE)

/* Writes the graph, values in report->output_unit. Box i + 1 ("N1", id "node1") is node
 * graph->shown[i]. Reorders the graph's tags. */
pprofc_status dot_write(struct report *report, const struct graph *graph, struct output *out,
                        pprofc_error *error);

/* ---- texts ------------------------------------------ */

/* Writes the colour "#rrggbb" for a share of the total, from -1 to 1. `light` selects a colour for
 * the inside of a box. */
void dot_color(struct output *out, double score, bool light);

#endif
