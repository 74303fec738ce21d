/* Computes everything that a report needs from a profile and options: the filtered profile, the
 * value to show, its total and the graph. The steps have pprof's order (docs/spec/pprof.md, 10).
 * The pipeline prints nothing and does not depend on report formats. A report, a server or a shell
 * calls it and shows the result.
 *
 *   tagroot, tagleaf -> filters -> value, total -> granularity -> graph -> unit of the output
 *
 * With relative_percentages, percentages refer to the total of the filtered profile. Otherwise they
 * refer to the total before the filters. Warnings come in the order of the steps. */
#ifndef PPROFC_PIPELINE_PIPELINE_H
#define PPROFC_PIPELINE_PIPELINE_H

#include "graph/graph.h"
#include "pprofc/report.h"
#include "pprofc/transform.h"

enum pipeline_inlines { INLINES_AS_ASKED, INLINES_HIDDEN, INLINES_SHOWN };

/* Settings of a command that override the user's options. If all fields are 0, the options stay
 * unchanged. */
struct pipeline_overrides {
  const char *granularity;         /* granularity that replaces the user's option, or NULL */
  const char *default_granularity; /* granularity if the option is empty; NULL: functions */
  enum pipeline_inlines inlines;
  bool no_trim;        /* true to trim nothing, even if the option trim is set */
  bool all_nodes;      /* true to show all nodes if nodecount is not set; false to show 80 nodes */
  bool takes_argument; /* true if pipeline_run compiles the regular expression options.argument */
  /* True if the command, and not pipeline_run, applies the granularity. */
  bool aggregates;
  bool totals; /* true if pipeline_run fills `totals` */
  bool sums;   /* true if the command shows sums, even with the option mean */
};

struct pipeline_result {
  pprofc_report_options options; /* options as the caller gave them; the caller owns the strings */
  const pprofc_allocator *mem;
  const pprofc_profile *profile; /* profile after the filters */

  struct granularity granularity;
  size_t value_index; /* index of the sample type of the displayed values */
  bool mean;          /* true to divide values by the values of the first sample type */
  double ratio;       /* values are multiplied by this number, 1 / divide_by, if it is above 0 */
  int64_t total;      /* denominator of percentages (docs/spec/pprof.md, 11) */
  /* Sums before the filters: for each sample type of the head, then for each sample type of the
   * base. NULL if the totals of the displayed profile are the denominators of percentages. */
  int64_t *totals;
  pprofc_str type; /* displayed type: "cpu", "mean_delay" */
  pprofc_str sample_unit;
  pprofc_str output_unit; /* value of the option unit: a unit, "minimum" or "auto" */
  struct label_units units;

  int nodecount; /* maximum number of nodes, from the option, its default or an override; 0: any */
  double nodefraction, edgefraction;
  bool cum_sort;
  struct regex *argument; /* compiled options.argument if takes_argument is set, else NULL */

  /* The same pointer as `profile` if the result owns that profile. NULL while `profile` belongs to
   * the caller. */
  pprofc_profile *edited;
  struct arena texts;
};

/* Applies the options to `source` in pprof's order. The source must outlive the result. The caller
 * frees the result, also after a failure. */
pprofc_status pipeline_run(const pprofc_profile *source, const pprofc_report_options *options,
                           const struct pipeline_overrides *overrides,
                           struct pipeline_result *result, pprofc_error *error);
void pipeline_free(struct pipeline_result *result);

/* Returns the value multiplied by `ratio` (1 / divide_by) if `ratio` is above 0. */
int64_t pipeline_ratio(const struct pipeline_result *result, int64_t value);

/* ---- the graph --------------------------------------- */

/* Flags for pipeline_graph. By default, it builds sorted nodes with flat and cumulative values.
 * Each flag adds a part to the graph or changes it. */
#define PIPELINE_INLINE_MARKS   1u /* flag: mark the inlined nodes */
#define PIPELINE_EDGES          2u
#define PIPELINE_EDGES_OF_MATCH 4u /* flag: keep only edges at nodes that match `argument` */
#define PIPELINE_CALL_TREE      8u /* flag: apply the option call_tree */
#define PIPELINE_TAGS           16u
/* Flag: sort by entropy and drop redundant edges, for pictures. */
#define PIPELINE_VISUAL  32u
#define PIPELINE_OBJECTS 64u /* flag: keep the object file in nodes */
/* Flag: values are printed as integers. If the unit of the output is "minimum" (automatic), choose
 * the largest unit in which the smallest value is at least 1. */
#define PIPELINE_INTEGERS 128u
/* Flag: with PIPELINE_VISUAL, sort nodes by the size of their change, largest first. */
#define PIPELINE_BY_CHANGE 256u

/* Builds, trims and sorts the graph, and chooses the unit of the output (docs/spec/pprof.md, 20.2).
 * The graph points into the result. The caller frees the graph with graph_free, also after a
 * failure. */
pprofc_status pipeline_graph(const struct pipeline_result *result, unsigned wanted,
                             struct graph *graph, pprofc_str *output_unit, pprofc_error *error);

/* Sum of the shown values, and numbers of nodes and edges. */
struct graph_summary {
  int64_t shown; /* sum of the flat values of the shown nodes */
  size_t nodes, nodes_before, dropped_nodes, dropped_edges;
};

struct graph_summary pipeline_summary(const struct graph *graph);

/* ---- steps of pipeline_run --------------------------- */

/* Sets the profile of the result to `edited`. The result takes over the caller's reference to
 * `edited`. */
void pipeline_take(struct pipeline_result *result, pprofc_profile *edited);

/* Passes the message to the caller's warning function if `when` is true. */
void pipeline_warn(const struct pipeline_result *result, bool when, const char *message);

/* Regular expression for the frames that Go adds when it preempts a goroutine. Verdicts hide these
 * frames. Normally, the filter drops a sample if all its frames are hidden. If options.hide points
 * to this array, the filter keeps such samples. */
extern const char pipeline_stopped[];

/* Applies tagroot and tagleaf, or with `others` the other filters, in pprof's order
 * (docs/spec/pprof.md, 12 to 15). Warns about each filter that matched nothing. */
pprofc_status pipeline_filter(struct pipeline_result *result, bool others, pprofc_error *error);

/* Finds the column of values that `sample_index` selects. `sample_index` is an index, the name of a
 * sample type with or without "inuse_", or "" for the default. */
pprofc_status value_select(const pprofc_profile *profile, pprofc_str sample_index, size_t *index,
                           pprofc_error *error);

/* Returns the denominator of percentages (docs/spec/pprof.md, 11). This is the sum of the absolute
 * values of the base samples if the profile has any, else of all samples. */
int64_t value_total(const pprofc_profile *profile, size_t value_index, bool mean);

/* Adds up the values of each sample type: in sums[0, types) for the head, and in sums[types, 2 *
 * types) for the base. The caller sets the sums to 0 before the call. Without values of the base,
 * the sum of the head is the sum of the absolute values, as in value_total. Then returns true if
 * one of these values is negative. */
bool value_add_sides(const pprofc_profile *profile, int64_t *sums);

/* ---- options that filter ---------------------------- */

/* The table of the options that filter samples, frames and labels. Reading, reports, verdicts, the
 * shell and the web page use it. */

/* Flag: the filter reads or changes frames. */
#define FILTER_STACKS 1u
/* Flag: the filter reads or changes labels. So the reader must keep the labels of samples. It must
 * also keep the samples whose shown value is 0. */
#define FILTER_LABELS 2u
/* Flag: the filter changes the total. The header of a report with percentages lists the filter. */
#define FILTER_TOTAL 4u
/* Flag: the filter shortens or extends stacks, so it cannot filter a stack tree. */
#define FILTER_CUTS     8u
#define FILTER_REGEX    16u  /* flag: the option is one regular expression */
#define FILTER_TAGS     32u  /* flag: the option is a text for tag_filter_compile */
#define FILTER_LATE     64u  /* flag: an error in the option comes after the earlier filters */
#define FILTER_UNLISTED 128u /* flag: the header of reports does not list the filter */
#define FILTER_ANY      (FILTER_STACKS | FILTER_LABELS)

struct filter_option {
  pprofc_option_info option;
  const char *title;        /* name of the filter in warnings; NULL: no warnings */
  filter_step *step;        /* function that applies the filter */
  size_t field;             /* offset in bytes of the field in pprofc_filter_options */
  unsigned flags;           /* set of FILTER_* flags */
  const char *label, *hint; /* texts of the field in the form of the web page; NULL: no field */
};

extern const struct filter_option filter_options[FILTER_COUNT];

/* Returns the text of a filter, or "". */
const char *filter_text(const pprofc_report_options *options, enum filter_index filter);

/* True if a filter with one of these flags is set. */
bool filters_any(const pprofc_report_options *options, unsigned flags);

/* True if the filters can be applied to the profile. A profile with a stack tree may lack labels,
 * and its stacks cannot be cut. */
bool filters_may_read(const pprofc_profile *profile, const pprofc_report_options *options);

/* Returns the row of an option, or NULL for an option that is not a filter. */
const struct filter_option *filter_find(const pprofc_option_info *option);

/* Compiles the text of a filter. The caller frees the term, also after a failure. */
pprofc_status filter_term_compile(const struct filter_option *filter, const char *text,
                                  const pprofc_allocator *mem, void (*warn)(void *, const char *),
                                  void *warn_context, struct filter_term *term,
                                  pprofc_error *error);
void filter_term_free(struct filter_term *term);

/* filters_of_report converts the options of a report to filter options, and filters_to_report
 * converts filter options to options of a report. Both functions copy the filters, the unit and the
 * warning function. */
pprofc_filter_options filters_of_report(const pprofc_report_options *options);
pprofc_report_options filters_to_report(const pprofc_filter_options *options);

#endif
