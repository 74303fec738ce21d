/* Functions that the annotated listings share: list, disasm, weblist. */
#ifndef PPROFC_REPORT_SOURCE_LISTING_H
#define PPROFC_REPORT_SOURCE_LISTING_H

#include "graph/graph.h"
#include "report/report.h"

/* The graph of all nodes, untrimmed and without edges; nodes of different object files or start
 * lines are different nodes. With any_order they are not sorted. It must be freed, also after a
 * failure. */
pprofc_status listing_graph(const struct report *report, bool any_order, struct graph *graph,
                            pprofc_error *error);

/* "Total: 10s", a line. */
void listing_total(const struct report *report, struct output *out);

/* A value right-aligned in a column, "." for 0. */
void listing_value(const struct report *report, struct output *out, int64_t value);

/* "       1ms        2ms (flat, cum)  1.13% of Total", a line without its end. */
void listing_sums(const struct report *report, struct output *out, int64_t flat, int64_t cum);

/* A line of source or of assembly: its tabs stay, other control bytes are made visible. */
void listing_text(const struct report *report, struct output *out, pprofc_str line);

/* The -list report with the option source_diff. */
pprofc_status report_list_diff(struct report *report, struct output *out, pprofc_error *error);

/* The error of an expression that matches nothing. */
pprofc_status listing_no_match(const struct report *report, const char *what, pprofc_error *error);

#endif
