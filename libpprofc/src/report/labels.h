/* The lines above a report: what profile it is, which filters are active, what is shown of it. */
#ifndef PPROFC_REPORT_LABELS_H
#define PPROFC_REPORT_LABELS_H

#include "report/report.h"

/* Told of each label in order; it is `prefix` and `text` put together. */
typedef void (*label_fn)(void *context, const char *prefix, pprofc_str text);

/* The labels of 20.3, which describe the profile. */
void labels_profile(const struct report *report, label_fn label, void *context);
/* The labels of 20.4; `full` for the graph pictures, which never leave the profile's out. */
void labels_graph(const struct report *report, const struct graph_summary *legend, bool full,
                  label_fn label, void *context);

/* A label_fn that prints lines to a struct output. */
void label_to_output(void *output, const char *prefix, pprofc_str text);

#endif
