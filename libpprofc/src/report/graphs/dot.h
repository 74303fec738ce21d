/* Writes a graph in the language of graphviz. */
#ifndef PPROFC_REPORT_GRAPHS_DOT_H
#define PPROFC_REPORT_GRAPHS_DOT_H

#include "report/report.h"

/* Flags for pipeline_graph: the parts of a graph that dot_write needs. */
#define DOT_GRAPH (PIPELINE_EDGES | PIPELINE_TAGS | PIPELINE_VISUAL | PIPELINE_CALL_TREE)

/* Writes the graph, with values in report->output_unit. The box number i + 1 (name "N1", id "node1"
 * for i = 0) is node graph->shown[i]. Changes the order of the graph's tags. */
pprofc_status dot_write(struct report *report, const struct graph *graph, struct output *out,
                        pprofc_error *error);

/* ---- texts ------------------------------------------ */

/* Writes the colour "#rrggbb" for a share of the total, from -1 to 1. `light` selects a colour for
 * the inside of a box. */
void dot_color(struct output *out, double score, bool light);

#endif
