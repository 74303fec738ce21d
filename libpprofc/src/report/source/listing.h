/* Declares functions that the annotated listings share: list, disasm, weblist. */
#ifndef PPROFC_REPORT_SOURCE_LISTING_H
#define PPROFC_REPORT_SOURCE_LISTING_H

#include "graph/graph.h"
#include "pprofc/graph.h"
#include "report/report.h"

/* Builds a graph of all nodes, untrimmed and without edges. Nodes of different object files or
 * start lines are separate. With any_order nodes are not sorted. The caller frees the graph,
 * also after a failure. */
pprofc_status listing_graph(const struct report *report, bool any_order, struct graph *graph,
                            pprofc_error *error);

/* Receives the functions that match the argument, in order: one call for a function in a file, then
 * one for each of its lines. `lines` of the routine is not set. A result of false ends the walk. */
struct listing_visitor {
  void *context;
  bool (*routine)(void *context, const pprofc_source_routine *routine);
  bool (*line)(void *context, const pprofc_source_line *line);
};

/* Visits the functions of the report -list. Texts are valid until it returns. */
pprofc_status listing_walk(struct report *report, const struct listing_visitor *visitor,
                           pprofc_error *error);

/* Prints the line "Total: 10s". */
void listing_total(const struct report *report, struct output *out);

/* Prints a value right-aligned in a column, and "." for 0. */
void listing_value(const struct report *report, struct output *out, int64_t value);

/* Prints "       1ms        2ms (flat, cum)  1.13% of Total", without the end of the line. */
void listing_sums(const struct report *report, struct output *out, int64_t flat, int64_t cum);

/* Prints a line of source or assembly. Tabs stay; other control bytes become visible. */
void listing_text(const struct report *report, struct output *out, pprofc_str line);

/* Makes the -list report with the option source_diff. */
pprofc_status report_list_diff(struct report *report, struct output *out, pprofc_error *error);

/* Sets the error for an expression that matches nothing. */
pprofc_status listing_no_match(const struct report *report, const char *what, pprofc_error *error);

#endif
