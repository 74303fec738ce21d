/* pprof's order of operations (10): from a profile and options to the edited profile, the value
 * that is shown, its total and the graph. The pipeline prints nothing and knows no report format; a
 * report, a server or a shell calls it and shows the result.
 *
 *   tagroot, tagleaf -> filters -> value, total -> granularity -> graph -> unit of the output
 *
 * With relative_percentages percentages refer to the filtered profile; otherwise the pipeline takes
 * the total before the filters. Warnings come in the order of the steps. */
#ifndef PPROFC_PIPELINE_PIPELINE_H
#define PPROFC_PIPELINE_PIPELINE_H

#include "core/mem.h"
#include "graph/graph.h"
#include "transform/transform.h"

/* The options of the user. Names and meanings are those documented at pprofc_report_options;
 * NULL and "" mean the same. The result borrows the strings. */
struct pipeline_options {
  const char *tagroot, *tagleaf;
  const char *focus, *ignore, *hide, *show, *show_from, *prune_from;
  const char *tagfocus, *tagignore, *tagshow, *taghide;
  bool relative_percentages;

  const char *sample_index;
  const char *unit;
  bool mean;
  double divide_by;

  const char *granularity;
  bool noinlines, showcolumns;

  bool call_tree, drop_negative;
  const char *sort; /* "flat" or "cum" */
  bool trim;        /* false: as if nodecount and both fractions were 0 */
  int nodecount;    /* -1: the default of the command */
  double nodefraction, edgefraction;
  const char *trim_path, *source_path;

  const char *argument; /* the expression for commands that take an argument */

  void (*warn)(void *warn_context, const char *message); /* may be NULL */
  void *warn_context;
  unsigned threads; /* 0: as many as when the profile was read */
};

enum pipeline_inlines { INLINES_AS_ASKED, INLINES_HIDDEN, INLINES_SHOWN };

/* Values that a command sets in place of the user. All 0: no overrides. */
struct pipeline_overrides {
  const char *granularity;         /* replaces the option; NULL: use the option */
  const char *default_granularity; /* used if the option is empty; NULL: functions */
  enum pipeline_inlines inlines;
  bool no_trim;        /* acts as if trim were false */
  bool all_nodes;      /* no limit if nodecount is not set (instead of 80) */
  bool takes_argument; /* compiles `argument` */
  bool aggregates;     /* the command applies the granularity itself, so pipeline_run leaves
                          the profile unchanged */
};

struct pipeline_result {
  struct pipeline_options options; /* options as given */
  const pprofc_allocator *mem;
  const pprofc_profile *profile; /* profile after the filters */

  struct granularity granularity;
  size_t value_index; /* column of the displayed values */
  bool mean;          /* true: values are divided by column 0 */
  double ratio;       /* 1 / divide_by; applied if it is above 0 and not 1 */
  int64_t total;      /* denominator of percentages (11) */
  pprofc_str type;    /* "cpu", "mean_delay" */
  pprofc_str sample_unit;
  pprofc_str output_unit; /* unit option: a unit, "minimum" or "auto" */
  struct label_units units;

  int nodecount; /* maximum number of nodes after defaults and overrides; 0: no limit */
  double nodefraction, edgefraction;
  bool cum_sort;
  struct regex *argument; /* compiled argument if takes_argument is set, else NULL */

  pprofc_profile *edited; /* holder of `profile`; NULL while `profile` belongs to the caller */
  struct arena texts;
};

/* Returns pprof's defaults. */
void pipeline_options_init(struct pipeline_options *options);

/* Applies the options in pprof's order. The source must stay as long as the result. The result must
 * be freed, also after a failure. */
pprofc_status pipeline_run(const pprofc_profile *source, const struct pipeline_options *options,
                           const struct pipeline_overrides *overrides,
                           struct pipeline_result *result, pprofc_error *error);
void pipeline_free(struct pipeline_result *result);

/* Returns the value after divide_by. */
int64_t pipeline_ratio(const struct pipeline_result *result, int64_t value);

/* ---- the graph --------------------------------------- */

/* Parts of a graph to build in addition to the sorted nodes with flat and cum. */
#define PIPELINE_INLINE_MARKS   1u /* find out which nodes are inlined */
#define PIPELINE_EDGES          2u
#define PIPELINE_EDGES_OF_MATCH 4u /* keep only edges at nodes that match the argument */
#define PIPELINE_CALL_TREE      8u /* apply the option call_tree */
#define PIPELINE_TAGS           16u
#define PIPELINE_VISUAL         32u  /* sort by entropy and drop redundant edges, for pictures */
#define PIPELINE_OBJECTS        64u  /* keep the object file in nodes */
#define PIPELINE_INTEGERS       128u /* show the smallest value as an integer */
#define PIPELINE_BY_CHANGE      256u /* with PIPELINE_VISUAL: sort the largest changes first */
#define PIPELINE_CALLS          512u /* with PIPELINE_EDGES: may list calls instead */

/* Builds, trims and sorts the graph, and chooses the unit of the output (20.2). `graph` must be
 * freed by graph_free, also after a failure; it borrows from the result. */
pprofc_status pipeline_graph(const struct pipeline_result *result, unsigned wanted,
                             struct graph *graph, pprofc_str *output_unit, pprofc_error *error);

/* Values and counts that remain after trimming. */
struct graph_summary {
  int64_t shown; /* sum of the flat values of the displayed nodes */
  size_t nodes, nodes_before, dropped_nodes, dropped_edges;
};

struct graph_summary pipeline_summary(const struct graph *graph);

/* ---- steps of pipeline_run --------------------------- */

/* Makes `edited` the profile of the result, which takes the reference over. */
void pipeline_take(struct pipeline_result *result, pprofc_profile *edited);

/* Passes the message to the caller's warning function if `when` is true. */
void pipeline_warn(const struct pipeline_result *result, bool when, const char *message);

/* Applies focus ... taghide and prune_from (12 to 14). */
pprofc_status pipeline_filter(struct pipeline_result *result, pprofc_error *error);

/* Finds the column for `sample_index`: a number, a type, a type without "inuse_", or "" for
 * the default. */
pprofc_status value_select(const pprofc_profile *profile, pprofc_str sample_index, size_t *index,
                           pprofc_error *error);

/* Returns the denominator of percentages (11): the sum of magnitudes, of the base samples only
 * if there are any. */
int64_t value_total(const pprofc_profile *profile, size_t value_index, bool mean);

#endif
