/* The lines above a report: they describe the profile, the active filters, and how much of the
 * profile is shown. */
#ifndef PPROFC_REPORT_LABELS_H
#define PPROFC_REPORT_LABELS_H

#include "report/report.h"

/* Called for each label in order. The label is `prefix` followed by `text`. */
typedef void (*label_fn)(void *context, const char *prefix, pprofc_str text);

/* The labels of 20.3, which describe the profile. */
void labels_profile(const struct report *report, label_fn label, void *context);
/* The labels of 20.4; `full`: also the labels of the profile with compact_labels, as in
 * pictures of the graph. */
void labels_graph(const struct report *report, const struct graph_summary *legend, bool full,
                  label_fn label, void *context);

/* A label_fn that prints lines to a struct output. */
void label_to_output(void *output, const char *prefix, pprofc_str text);

#endif
