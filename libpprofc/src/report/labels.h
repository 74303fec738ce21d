/* Makes the lines above a report. They describe the profile, the active filters, and how much of
 * the profile the report shows. */
#ifndef PPROFC_REPORT_LABELS_H
#define PPROFC_REPORT_LABELS_H

#include "core/brief.h"
#include "report/report.h"

/* Receives each label in order. A label is `prefix`, followed by `text`. */
typedef void (*label_fn)(void *context, const char *prefix, pprofc_str text);

/* Calls `label` for each label that describes the profile (docs/spec/pprof.md, 20.3). */
void labels_profile(const struct report *report, label_fn label, void *context);
/* Calls `label` for each label about filters and trimming (docs/spec/pprof.md, 20.4). If both
 * `full` and compact_labels are true, also passes the labels of the profile. Pictures of the graph
 * need these. */
void labels_graph(const struct report *report, const struct graph_summary *legend, bool full,
                  label_fn label, void *context);

/* Corrects the numbers of nodes in the lines of labels_graph after rows were omitted. The function
 * is a brief_recount_fn, and `report` is a struct report. */
bool labels_recount(const void *report, const struct brief_left *left, pprofc_str line,
                    struct buffer *to);

/* Returns the sum of the omitted rows' values. */
int64_t labels_left(const struct brief_left *left);

/* Prints a label as a line. The function is a label_fn, and `output` is a struct output. */
void label_to_output(void *output, const char *prefix, pprofc_str text);

#endif
