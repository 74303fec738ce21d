/* pprof's order of operations (10): from a profile and options to the edited profile, the value
 * that is shown, its total and the graph. The pipeline prints nothing and knows no report format; a
 * report, a server or a shell calls it and shows the result.
 *
 *   tagroot, tagleaf -> filters -> value, total -> granularity -> graph -> unit of the output
 *
 * With relative_percentages the total is that of the filtered profile; otherwise the pipeline takes
 * it before the filters. Warnings come in the order of the steps. */
#ifndef PPROFC_PIPELINE_PIPELINE_H
#define PPROFC_PIPELINE_PIPELINE_H

#include "core/mem.h"
#include "graph/graph.h"
#include "transform/transform.h"

/* What the user asks for. Names and meanings are those of pprofc_report_options; NULL and "" are
 * the same. The result borrows the strings. */
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
  bool trim;        /* false: nodecount and both fractions are 0 */
  int nodecount;    /* -1: the default of the command */
  double nodefraction, edgefraction;
  const char *trim_path, *source_path;

  const char *argument; /* the expression of commands that take one */

  void (*warn)(void *warn_context, const char *message); /* may be NULL */
  void *warn_context;
  unsigned threads; /* 0: as the profile was read */
};

enum pipeline_inlines { INLINES_AS_ASKED, INLINES_HIDDEN, INLINES_SHOWN };

/* What a command decides in place of the user. All 0: nothing. */
struct pipeline_overrides {
  const char *granularity;         /* forced; NULL: as the options say */
  const char *default_granularity; /* where the options name none; NULL: functions */
  enum pipeline_inlines inlines;
  bool no_trim;        /* as if trim were false */
  bool all_nodes;      /* the default of nodecount is no limit instead of 80 */
  bool takes_argument; /* compiles `argument` */
  bool aggregates;     /* the command applies the granularity itself: the profile stays as it is */
};

struct pipeline_result {
  struct pipeline_options options; /* as given */
  const pprofc_allocator *mem;
  const pprofc_profile *profile; /* edited */

  struct granularity granularity;
  size_t value_index; /* the column of the values that are shown */
  bool mean;          /* values are divided by column 0 */
  double ratio;       /* 1 / divide_by; applies when it is above 0 and not 1 */
  int64_t total;      /* denominator of percentages (11) */
  pprofc_str type;    /* "cpu", "mean_delay" */
  pprofc_str sample_unit;
  pprofc_str output_unit; /* the unit option: a unit, "minimum" or "auto" */
  struct label_units units;

  int nodecount; /* after defaults and overrides; 0: no limit */
  double nodefraction, edgefraction;
  bool cum_sort;
  struct regex *argument; /* with takes_argument, else NULL */

  pprofc_profile *edited; /* owns `profile`; NULL while that is the caller's */
  struct arena texts;
};

/* The defaults of pprof. */
void pipeline_options_init(struct pipeline_options *options);

/* Applies the options in pprof's order. The source must stay as long as the result. The result must
 * be freed, also after a failure. */
pprofc_status pipeline_run(const pprofc_profile *source, const struct pipeline_options *options,
                           const struct pipeline_overrides *overrides,
                           struct pipeline_result *result, pprofc_error *error);
void pipeline_free(struct pipeline_result *result);

/* A value with divide_by applied. */
int64_t pipeline_ratio(const struct pipeline_result *result, int64_t value);

/* ---- the graph --------------------------------------- */

/* What is wanted of a graph beyond nodes in order, with flat and cum. */
#define PIPELINE_INLINE_MARKS   1u /* which nodes are inlined */
#define PIPELINE_EDGES          2u
#define PIPELINE_EDGES_OF_MATCH 4u /* only edges at nodes that match the argument */
#define PIPELINE_CALL_TREE      8u /* the option call_tree applies */
#define PIPELINE_TAGS           16u
#define PIPELINE_VISUAL         32u  /* entropy order and fewer edges, for pictures */
#define PIPELINE_OBJECTS        64u  /* nodes keep the object file */
#define PIPELINE_INTEGERS       128u /* the unit must show the smallest value as an integer */
#define PIPELINE_BY_CHANGE      256u /* with PIPELINE_VISUAL: the largest changes first */
#define PIPELINE_CALLS          512u /* with PIPELINE_EDGES: calls in their place where it pays */

/* Builds, trims and sorts the graph, and chooses the unit of the output (20.2). `graph` must be
 * freed by graph_free, also after a failure; it borrows from the result. */
pprofc_status pipeline_graph(const struct pipeline_result *result, unsigned wanted,
                             struct graph *graph, pprofc_str *output_unit, pprofc_error *error);

/* What is left of the profile after trimming. */
struct graph_summary {
  int64_t shown; /* sum of the flat values of the displayed nodes */
  size_t nodes, nodes_before, dropped_nodes, dropped_edges;
};

struct graph_summary pipeline_summary(const struct graph *graph);

/* ---- steps of pipeline_run --------------------------- */

/* Makes `edited` the profile of the result, which owns it from now on. */
void pipeline_take(struct pipeline_result *result, pprofc_profile *edited);

/* Gives the message to the caller's function when `when` holds. */
void pipeline_warn(const struct pipeline_result *result, bool when, const char *message);

/* Applies focus ... taghide and prune_from (12 to 14). */
pprofc_status pipeline_filter(struct pipeline_result *result, pprofc_error *error);

/* The column that `sample_index` names: a number, a type, a type without "inuse_", or "" for the
 * default. */
pprofc_status value_select(const pprofc_profile *profile, pprofc_str sample_index, size_t *index,
                           pprofc_error *error);

/* The denominator of percentages (11): sum of magnitudes, of the base samples when there are any.
 */
int64_t value_total(const pprofc_profile *profile, size_t value_index, bool mean);

#endif
