/* Reports that keep their graph, so that later reports of the same view need not build it again. */
#ifndef PPROFC_REPORT_KEPT_H
#define PPROFC_REPORT_KEPT_H

#include "pprofc/graph.h"
#include "report/report.h"

struct kept_report;

/* Builds the graph of "top" or "peek". Profile and option texts must outlive the report. */
pprofc_status kept_report_new(const pprofc_profile *profile, const pprofc_report_options *options,
                              struct kept_report **kept, pprofc_error *error);
void kept_report_free(struct kept_report *kept);

/* Writes the report, sorted by cum or flat. For peek, writes only the nodes that match `argument`.
 */
pprofc_status kept_report_write(struct kept_report *kept, bool by_cum, const char *argument,
                                pprofc_write_fn write, void *context, pprofc_error *error);

/* Returns the name of the node with the largest flat or cum value, or "" if there are no nodes. */
pprofc_str kept_report_first(struct kept_report *kept, bool by_cum);

/* Returns the filtered profile of the report, with its value and total. */
const struct pipeline_result *kept_report_result(const struct kept_report *kept);

/* Does the same as pprofc_graph_new, but without edges. Building edges takes most of the time. */
pprofc_status graph_nodes_new(const pprofc_profile *profile, const pprofc_report_options *options,
                              pprofc_graph **graph, pprofc_error *error);

#endif
