/* Declares series of values over commits and their change points, for `pprofci trend`. */
#ifndef PPROFCI_TREND_TREND_H
#define PPROFCI_TREND_TREND_H

#include "core/template.h"
#include "pprofc/profile.h"
#include "stats/stats.h"
#include "store/store.h"

/* Selects runs and series, and sets up the analysis. */
struct trend_query {
  const char *branch;  /* glob pattern of branch names; "": the branch with the most runs */
  const char *commits; /* path of a file with commit ids in order, or "" */
  /* glob patterns of benchmarks and units; and with -function, of profile types */
  const char *bench, *unit, *kind;
  const char *function; /* functions to show instead of benchmark results, or "" */
  /* URLs of a commit and of a page, with {} for the commit id; "": no links */
  const char *commit_url, *page_url;
  bool cum;
  double threshold; /* smallest relative change that is reported; 0.01 means 1 % */
  struct steps_options steps;
};

/* A change point of a series. `step` has indices of values of the series. */
struct trend_change {
  struct step step;
  uint32_t series;
  bool machine;       /* true if the machine also changed at the run of this change */
  size_t needed;      /* number of further runs that decide a suspected change; 0: the change is
                         confirmed */
  int64_t unmeasured; /* number of unmeasured commits before the change; -1: unknown */
  const char *graph;  /* address of the change's flame graph on the page; NULL without a graph */
  const char *graph_link; /* address `graph`, with "&type=N" appended for the unit "allocs/op" */
  pprofc_str graph_kind;  /* profile type of the flame graph, such as "cpu" */
};

struct trend_series {
  struct past_series name;
  double *values;
  uint32_t *runs; /* for each value, the index of its run, ascending */
  size_t count;
  size_t first_change, changes;
};

struct trend_view {
  struct arena arena;
  struct past past; /* the selected runs, in the order of their commits */
  const char *branch;
  size_t unlisted; /* number of runs whose commits the -commits file does not list */
  struct trend_series *series;
  size_t series_count;
  struct trend_change *changes;
  size_t change_count, change_capacity;
  size_t suspected; /* number of suspected changes that further runs have not confirmed yet */
};

void trend_make(struct trend_view *trend, struct backing *backing, const struct trend_query *query);
void trend_free(struct trend_view *trend);
pprofc_status trend_open_profile(struct backing *backing, const struct past_profile *profile,
                                 pprofc_profile **opened, pprofc_error *error);

static inline const struct past_run *trend_run(const struct trend_view *trend,
                                               const struct trend_series *series, size_t value) {
  return &trend->past.runs[series->runs[value]];
}

/* True if a confirmed change for the worse is recent, see trend_is_recent. */
bool trend_got_worse(const struct trend_view *trend, const struct trend_query *query);
/* True if a change for the worse is recent: it is among the last values of its series. The number
 * of these values is twice the option -least. The change may be only a suspected change. */
bool trend_is_recent(const struct trend_view *trend, const struct trend_query *query,
                     const struct trend_change *change);

/* Returns 1 for a change for the worse, and -1 for the better. Returns 0 if neither direction is
 * better. */
int trend_worse(const struct trend_view *trend, const struct trend_change *change);

/* trend_put_size appends the size of a change, "+28.1 %". trend_put_interval appends the interval
 * of this size. If a ratio has no meaning, both append a difference in the unit of the series. */
void trend_put_size(struct buffer *out, const struct trend_view *trend,
                    const struct trend_change *change);
void trend_put_interval(struct buffer *out, const struct trend_view *trend,
                        const struct trend_change *change);
/* Appends the name of a series, such as "words.Count sec/op". */
void trend_put_name(struct buffer *out, const struct trend_series *series);
/* Appends notes about a change: "one of 3 commits", "another machine". */
void trend_put_notes(struct buffer *out, const struct trend_view *trend,
                     const struct trend_change *change);
/* Appends a value, such as "1.2 µs". */
void trend_put_value(struct buffer *out, double value, pprofc_str unit);

/* A row of a table: its run, its change, and the size of the change. */
struct trend_row {
  uint32_t run, change;
  double size;
};

void trend_print_table(struct output *out, const struct trend_view *trend);
void trend_print_json(struct output *out, const struct trend_view *trend);
/* Appends the Markdown of an issue about recent regressions, if there are any. */
void trend_print_issue(struct buffer *out, const struct trend_view *trend,
                       const struct trend_query *query);
/* Appends a URL. Replaces {} in the URL by the commit id. */
void trend_put_url(struct buffer *out, const char *url, pprofc_str commit);
/* trend_print_svg appends one SVG file: all series that have change points, or simply all series if
 * there are few. trend_print_page appends the HTML page of the trend. */
void trend_print_svg(struct buffer *out, const struct trend_view *trend);
void trend_print_page(struct buffer *out, struct trend_view *trend, struct backing *backing,
                      const struct trend_query *query, const char *title);
#endif
