/* The input of a report, and the table of reports. A new output format is one file with a
 * function of the type report_fn, and one row in formats.c. docs/EXTENDING.md lists the other
 * steps. */
#ifndef PPROFC_REPORT_REPORT_H
#define PPROFC_REPORT_REPORT_H

#include "core/error.h"
#include "core/output.h"
#include "pipeline/pipeline.h"
#include "pprofc/report.h"

/* Everything a report needs. */
struct report {
  const pprofc_report_options *options; /* options of the user */
  const struct report_format *format;
  const pprofc_allocator *mem;
  struct pipeline_result result; /* the profile filtered and aggregated, its value and total */
  const struct graph *kept;      /* an existing graph to print (report/kept.h), or NULL */
  bool rows_add_up; /* true if the rows that the report marks have the flat values of all nodes */
  struct graph_summary legend; /* counts of the header, with rows_add_up */
  int node_rank;               /* rank of the rows that are nodes, with rows_add_up */
  pprofc_str output_unit;      /* unit option; pipeline_graph replaces it by its choice (20.2) */
};

typedef pprofc_status (*report_fn)(struct report *report, struct output *out, pprofc_error *error);

struct report_format {
  pprofc_format_info info;
  report_fn render;
  unsigned flags; /* REPORT_* */
};

#define REPORT_NO_TRIM    1u  /* nodecount and fractions are 0 */
#define REPORT_ADDRESSES  2u  /* granularity is forced to addresses */
#define REPORT_LINES      4u  /* granularity is forced to lines */
#define REPORT_NO_INLINES 8u  /* noinlines is forced on */
#define REPORT_INLINES    16u /* noinlines is forced off */
#define REPORT_ALL_NODES  32u /* true if the default nodecount is unlimited instead of 80 */
#define REPORT_PARAMETER  64u /* takes an expression */
#define REPORT_AGGREGATES                                                                          \
  128u /* true if the report applies the granularity itself, without making another profile */
#define REPORT_FILE_FUNCTIONS 256u /* granularity is filefunctions by default */
#define REPORT_LOG            512u /* true for text: breaks lines that would be commands of a CI system */

#define REPORT_SUMS                                                                                \
  1024u /* true if the report shows sums only, so that equal samples may have been added up */
#define REPORT_LABELS 2048u /* shows labels */
#define REPORT_PASSES                                                                              \
  4096u /* true if, without filters, the report reads samples with graph/delta.h only, in any      \
           order */
#define REPORT_ALL_TYPES 8192u /* shows stacks with the values of all sample types */

/* Runs the pipeline for the format that the options name. The options must live as long as the
 * report, whose result must be freed, also after a failure. */
pprofc_status report_open(struct report *report, const pprofc_profile *profile,
                          const pprofc_report_options *options, pprofc_error *error);

/* Writes an open report. */
pprofc_status report_render(struct report *report, pprofc_write_fn write, void *context,
                            pprofc_error *error);

/* Takes the kept graph, or builds one as pipeline_graph does. report_graph_free follows, also
 * after a failure. */
pprofc_status report_graph(struct report *report, unsigned wanted, struct graph *graph,
                           pprofc_error *error);
void report_graph_free(const struct report *report, struct graph *graph);

/* Returns the row of a format name, or NULL. */
const struct report_format *report_format_find(const char *name);

/* Returns the options of the pipeline, which have the same names and values. */
struct pipeline_options report_pipeline_options(const pprofc_report_options *options);

/* Returns the displayed value of a sample: values[sample][value_index], divided by value[0] with
 * mean. */
static inline int64_t report_mean(int64_t value, int64_t divisor) {
  if (divisor == -1)
    return (int64_t)(0 - (uint64_t)value); /* the smallest integer has no positive counterpart */
  return divisor ? value / divisor : value;
}

/* Formats a value, divided by divide_by, in the report's output unit. */
pprofc_str report_value(const struct report *report, int64_t value, char out[]);

/* Prints the header lines of 20.3 (File:, Type:, Time:, Duration: ...), each followed by a
 * newline. */
void report_profile_header(const struct report *report, struct output *out);

/* Returns the filtered profile with its values divided by divide_by; the caller releases it.
 * NULL if divide_by is 1. */
pprofc_status report_divide(const struct report *report, pprofc_profile **divided,
                            pprofc_error *error);

/* Writes text of the profile; control bytes and invalid UTF-8 are made visible. */
void report_text(struct output *out, const pprofc_allocator *mem, pprofc_str text);

/* Functions of formats.c. Each is in a file of a folder below report/. */
pprofc_status report_top(struct report *, struct output *, pprofc_error *);
pprofc_status report_tree(struct report *, struct output *, pprofc_error *);
pprofc_status report_peek(struct report *, struct output *, pprofc_error *);
pprofc_status report_traces(struct report *, struct output *, pprofc_error *);
pprofc_status report_tags(struct report *, struct output *, pprofc_error *);
pprofc_status report_raw(struct report *, struct output *, pprofc_error *);
pprofc_status report_comments(struct report *, struct output *, pprofc_error *);
pprofc_status report_proto(struct report *, struct output *, pprofc_error *);
pprofc_status report_otlp(struct report *, struct output *, pprofc_error *);
pprofc_status report_topproto(struct report *, struct output *, pprofc_error *);
pprofc_status report_dot(struct report *, struct output *, pprofc_error *);
pprofc_status report_callgrind(struct report *, struct output *, pprofc_error *);
pprofc_status report_list(struct report *, struct output *, pprofc_error *);
pprofc_status report_weblist(struct report *, struct output *, pprofc_error *);
pprofc_status report_disasm(struct report *, struct output *, pprofc_error *);
pprofc_status report_speedscope(struct report *, struct output *, pprofc_error *);
pprofc_status report_folded(struct report *, struct output *, pprofc_error *);
pprofc_status report_flamegraph(struct report *, struct output *, pprofc_error *);
pprofc_status report_flame(struct report *, struct output *, pprofc_error *);
pprofc_status report_flamebearer(struct report *, struct output *, pprofc_error *);
pprofc_status report_json(struct report *, struct output *, pprofc_error *);

#endif
