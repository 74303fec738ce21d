/* The input of a report, and the table of reports. A new output format needs a file with a
 * report_fn function, and a row in formats.c. docs/EXTENDING.md lists the other steps. */
#ifndef PPROFC_REPORT_REPORT_H
#define PPROFC_REPORT_REPORT_H

#include "core/brief.h"
#include "pipeline/pipeline.h"
#include "pprofc/graph.h"
#include "unit/unit.h"

/* A report: the input of the function that prints it (report_fn). */
struct report {
  const pprofc_report_options *options; /* options that the user set */
  const struct report_format *format;
  const pprofc_allocator *mem;
  struct pipeline_result result; /* filtered and aggregated profile, displayed type and total */
  const struct graph *kept; /* graph to print, which a kept_report owns; NULL: the report builds
                               its own graph */
  bool rows_add_up; /* true if the report marks its rows for -budget (output_row), and the flat
                       values of these rows add up to the total */
  struct graph_summary legend; /* if rows_add_up: numbers of shown and dropped nodes */
  int node_rank; /* if rows_add_up: rank for -budget (core/brief.h) of the rows that show nodes */
  pprofc_str output_unit; /* value of the option unit, or the unit that pipeline_graph chose
                             (docs/spec/pprof.md, 20.2) */
};

typedef pprofc_status report_fn(struct report *report, struct output *out, pprofc_error *error);

struct report_format {
  pprofc_format_info info;
  report_fn *render;
  unsigned flags; /* set of REPORT_* flags */
};

#define REPORT_NO_TRIM        1u   /* flag: nodecount, nodefraction and edgefraction are 0 */
#define REPORT_ADDRESSES      2u   /* flag: the granularity is always addresses */
#define REPORT_LINES          4u   /* flag: the granularity is always lines */
#define REPORT_NO_INLINES     8u   /* flag: noinlines is always on */
#define REPORT_INLINES        16u  /* flag: noinlines is always off */
#define REPORT_ALL_NODES      32u  /* flag: the number of nodes has no default limit */
#define REPORT_PARAMETER      64u  /* flag: the report takes a regular expression */
#define REPORT_AGGREGATES     128u /* flag: the report applies the granularity itself */
#define REPORT_FILE_FUNCTIONS 256u /* flag: the default granularity is filefunctions */
#define REPORT_LOG            512u /* flag: the report is text that must be safe in CI logs */

#define REPORT_SUMS   1024u /* flag: the reader may add up samples that have equal stacks */
#define REPORT_LABELS 2048u /* flag: the report shows labels */
/* flag: the report reads each stack as the difference from the previous stack (profile/delta.h) */
#define REPORT_PASSES    4096u
#define REPORT_ALL_TYPES 8192u  /* flag: the report needs values of all sample types */
#define REPORT_NO_STACKS 16384u /* flag: the report needs stacks only for filters */
#define REPORT_TOTALS    32768u /* flag: the report shows totals of the unfiltered profile */
#define REPORT_TIMES     65536u /* flag: the report shows the times of samples */

/* Prepares a report: finds the format that the options name, and filters the profile for it. The
 * options must live as long as the report. The caller frees report->result, even after an error. */
pprofc_status report_open(struct report *report, const pprofc_profile *profile,
                          const pprofc_report_options *options, pprofc_error *error);

/* Sets *graph to report->kept if that is not NULL. Otherwise builds a graph. The caller calls
 * report_graph_free, even after an error. */
pprofc_status report_graph(struct report *report, unsigned wanted, struct graph *graph,
                           pprofc_error *error);
void report_graph_free(const struct report *report, struct graph *graph);

/* Returns the table row of a format, or NULL if no format has this name. */
const struct report_format *report_format_find(const char *name);

/* Returns a sample's value for display with the option mean: the value divided by the first value
 * of the sample, which is `divisor`. Returns `value` if `divisor` is 0. */
static inline int64_t report_mean(int64_t value, int64_t divisor) {
  if (divisor == -1) return (int64_t)(0 - (uint64_t)value); /* negates even INT64_MIN */
  return divisor ? value / divisor : value;
}

/* Divides a value by divide_by, and formats it in the output unit of the report. */
pprofc_str report_value(const struct report *report, int64_t value, char out[]);

/* Converts a value to the output unit. Rounds toward zero. */
int64_t report_converted(const struct report *report, int64_t value);

/* The first function prints a value right-aligned in `width` cells. The second prints the share of
 * a value in a total, such as " 12.34%". */
void report_padded(const struct report *report, struct output *out, int64_t value, size_t width);
void report_percentage(struct output *out, int64_t value, int64_t total);

/* Prints the columns flat, flat%, sum%, cum and cum% of a row. Adds `flat` to *running, which is
 * the sum of flat over all rows so far. */
void report_columns(const struct report *report, struct output *out, int64_t flat, int64_t cum,
                    int64_t *running);

/* Returns the program's name: the first mapping's file without folders. May be empty. */
pprofc_str report_program(const pprofc_profile *profile);

/* Sets *divided to a copy of the filtered profile whose values are divided by divide_by. The caller
 * releases the copy. Sets *divided to NULL if divide_by is 1. */
pprofc_status report_divide(const struct report *report, pprofc_profile **divided,
                            pprofc_error *error);

/* Writes a text of the profile. Control bytes and invalid UTF-8 are escaped. */
void report_text(struct output *out, const pprofc_allocator *mem, pprofc_str text);

/* Functions that print the formats in formats.c. Each function is in a file in a folder below
 * report/. */
report_fn report_top, report_tree, report_peek, report_traces, report_tags, report_raw,
    report_comments, report_proto, report_otlp, report_topproto, report_dot, report_callgrind,
    report_list, report_weblist, report_disasm, report_speedscope, report_folded, report_flamegraph,
    report_flame, report_flamebearer, report_json;

/* ---- no match --------------------------------------- */

/* Sets the error for a report whose argument (a regular expression) matches no code with samples.
 * `what` is pprof's name for the expression, such as "regexp:". If no function of the profile
 * matches, the error names up to three similar names. If functions match but have no instructions,
 * the caller gives the reason in `present`. If functions match but have no samples, `present` is
 * NULL. */
pprofc_status report_no_match(const struct report *report, const char *what, const char *present,
                              pprofc_error *error);

/* ---- kept reports ----------------------------------- */

/* The graph of a report, kept for later reports with the same filters and format. */

struct kept_report;

/* Builds the graph of the format "top" or "peek". The profile and the texts of the options must
 * outlive the kept report. */
pprofc_status kept_report_new(const pprofc_profile *profile, const pprofc_report_options *options,
                              struct kept_report **kept, pprofc_error *error);
void kept_report_free(struct kept_report *kept);

/* Writes the report, sorted by cum if `by_cum` is true, else by flat. For "peek", writes only the
 * nodes that match `argument`. */
pprofc_status kept_report_write(struct kept_report *kept, bool by_cum, const char *argument,
                                pprofc_write_fn write, void *context, pprofc_error *error);

/* Returns the name of the node with the largest flat or cum value, or "" if there are no nodes. */
pprofc_str kept_report_first(struct kept_report *kept, bool by_cum);

/* Returns the filtered profile, the displayed sample type and its total. */
const struct pipeline_result *kept_report_result(const struct kept_report *kept);

/* Does the same as pprofc_graph_new, but without edges, because building edges takes most of the
 * time. */
pprofc_status graph_nodes_new(const pprofc_profile *profile, const pprofc_report_options *options,
                              pprofc_graph **graph, pprofc_error *error);

/* ---- lines above a report --------------------------- */

/* Makes the lines above a report. They describe the profile, the active filters, and how much of
 * the profile the report shows. */

/* Receives the lines above a report (labels) in order. A line is `prefix`, followed by `text`. */
typedef void (*label_fn)(void *context, const char *prefix, pprofc_str text);

/* Calls `label` for each line that describes the profile (docs/spec/pprof.md, 20.3). */
void labels_profile(const struct report *report, label_fn label, void *context);
/* Calls `label` for each line above a report (docs/spec/pprof.md, 20.4). Lines about the profile
 * come first, but are omitted if the option compact_labels is set and `full` is false. Lines about
 * filters and trimming follow. Pictures of the graph set `full`. */
void labels_graph(const struct report *report, const struct graph_summary *legend, bool full,
                  label_fn label, void *context);

/* Corrects the numbers of nodes in a line that labels_graph made, after the report omitted rows.
 * The function is a brief_recount_fn, and `report` is a struct report. */
bool labels_recount(const void *report, const struct brief_left *left, pprofc_str line,
                    struct buffer *to);

/* Returns the sum of the values of the omitted rows. */
int64_t labels_left(const struct brief_left *left);

/* Prints a line above a report. The function is a label_fn, and `output` is a struct output. */
void label_to_output(void *output, const char *prefix, pprofc_str text);

/* ---- graphs in the language of graphviz ------------- */

/* Flags for pipeline_graph: the parts of a graph that dot_write needs. */
#define DOT_GRAPH (PIPELINE_EDGES | PIPELINE_TAGS | PIPELINE_VISUAL | PIPELINE_CALL_TREE)

/* Writes the graph, with values in report->output_unit. The box number i + 1 (name "N1", id "node1"
 * for i = 0) is node graph->shown[i]. Changes the order of the graph's tags. */
pprofc_status dot_write(struct report *report, const struct graph *graph, struct output *out,
                        pprofc_error *error);

/* ---- texts ------------------------------------------ */

/* Writes the colour "#rrggbb" for a share of the total, from -1 to 1. `light` selects a colour for
 * the inside of a box. */
void dot_color(struct output *out, double score, bool light);

/* ---- sums of labels, for the report -tags ----------- */

/* Sum over the samples that have a label. tag_sums_collect first makes a sum for each label, then
 * joins the sums of labels that are printed alike, such as rounded numbers. */
struct tag_value {
  struct label label;
  pprofc_str key, value; /* printed text of the key, and of the value */
  int64_t sum;
  int64_t low, high; /* smallest and largest number in the labels of this sum */
};

struct tag_sums {
  const struct report *report;
  const pprofc_profile *profile;
  struct arena texts;
  struct map map;
  /* sums, sorted by key, then by absolute value, then by the text of the value */
  struct tag_value *items;
  size_t count, capacity;
};

/* Collects the sums, sorted by the bytes of their keys. The caller frees the sums, even after an
 * error. */
pprofc_status tag_sums_collect(struct tag_sums *tags, const struct report *report,
                               pprofc_error *error);
void tag_sums_free(struct tag_sums *tags);

/* Compares two sums by the texts of their key and value. The function is for qsort. */
int tag_sums_by_text(const void *left, const void *right);

/* Returns the index after the last item with the same label key as items[from]. */
size_t tag_sums_end(const struct tag_sums *tags, size_t from);

#endif
