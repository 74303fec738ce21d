/* Makes the lines above a report. The lines describe the profile, the active filters, and how much
 * of the profile the report shows. */
#ifndef PPROFC_REPORT_LABELS_H
#define PPROFC_REPORT_LABELS_H

#include "core/brief.h"
#include "report/report.h"

/* Function that receives each label in order. A label is `prefix` followed by `text`. */
typedef void (*label_fn)(void *context, const char *prefix, pprofc_str text);

/* Calls `label` with each label that describes the profile (docs/spec/pprof.md, 20.3). */
void labels_profile(const struct report *report, label_fn label, void *context);
/* Calls `label` with each label about filters and trimming (docs/spec/pprof.md, 20.4). With `full`
 * and compact_labels, also passes the labels of the profile; pictures of the graph need them. */
void labels_graph(const struct report *report, const struct graph_summary *legend, bool full,
                  label_fn label, void *context);

/* Corrects the node counts in the lines that labels_graph made, after rows were omitted. Has the
 * type brief_recount_fn; `report` is a struct report. */
bool labels_recount(const void *report, const struct brief_left *left, pprofc_str line,
                    struct buffer *to);

/* Returns the sum of the values of the omitted rows. */
int64_t labels_left(const struct brief_left *left);

/* Prints a label as a line. Has the type label_fn; `output` is a struct output. */
void label_to_output(void *output, const char *prefix, pprofc_str text);

#endif
