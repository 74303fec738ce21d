/* Makes the lines above a report. They describe the profile, the active filters, and how much of
 * the profile is shown. */
#ifndef PPROFC_REPORT_LABELS_H
#define PPROFC_REPORT_LABELS_H

#include "core/brief.h"
#include "report/report.h"

/* Receives each label in order. The label is `prefix` followed by `text`. */
typedef void (*label_fn)(void *context, const char *prefix, pprofc_str text);

/* Passes the labels that describe the profile (docs/spec/pprof.md, 20.3). */
void labels_profile(const struct report *report, label_fn label, void *context);
/* Passes the labels about filters and trimming (docs/spec/pprof.md, 20.4). With `full`, also passes
 * the labels of the profile if compact_labels is set, as pictures of the graph need them. */
void labels_graph(const struct report *report, const struct graph_summary *legend, bool full,
                  label_fn label, void *context);

/* Corrects the lines of labels_graph that count nodes. A brief_recount_fn whose context is a
 * struct report. */
bool labels_recount(const void *report, const struct brief_left *left, pprofc_str line,
                    struct buffer *to);

/* Returns the value of the rows that were left out. */
int64_t labels_left(const struct brief_left *left);

/* Prints a label as a line. A label_fn whose context is a struct output. */
void label_to_output(void *output, const char *prefix, pprofc_str text);

#endif
