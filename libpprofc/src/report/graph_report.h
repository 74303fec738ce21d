/* What the reports of the call graph share: building it as the report's options say, and its
 * labels. */
#ifndef PPROFC_REPORT_GRAPH_REPORT_H
#define PPROFC_REPORT_GRAPH_REPORT_H

#include "graph/graph.h"
#include "report/labels.h"

/* What a report asks of the graph. */
enum graph_use {
  USE_NODES,    /* order, flat and cum (topproto) */
  USE_TOP,      /* and inline marks */
  USE_TREE,     /* and edges */
  USE_PEEK,     /* and edges at the nodes that match the argument */
  USE_DOT,      /* edges, tags, entropy order */
  USE_CALLGRIND /* edges, object files; integers only */
};

/* Builds the graph and chooses the output unit (20.2). To be freed by graph_free, also after a
 * failure. */
pprofc_status graph_for_report(struct report *report, enum graph_use use, struct graph *graph,
                               pprofc_error *error);

/* What the legend says about it. */
struct legend graph_legend(const struct graph *graph);

#endif
