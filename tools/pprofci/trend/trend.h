/* Declares the series over commits and their change points, for `pprofci trend`. */
#ifndef PPROFCI_TREND_TREND_H
#define PPROFCI_TREND_TREND_H

#include "core/fill.h"
#include "core/output.h"
#include "stats/steps.h"
#include "store/past.h"

/* Choice of runs and series, and settings of the analysis. */
struct trend_query {
  const char *branch;  /* glob pattern of branch names; "" for the branch with most runs */
  const char *commits; /* path of a file with commit ids in their order, or "" */
  /* Glob patterns of benchmarks, units and, for -function, kinds of profiles. */
  const char *bench, *unit, *kind;
  const char *function; /* glob pattern of functions whose shares in profiles are shown; "" to show
                           results */
  /* Addresses of a commit and of a page, in which {} is the commit's id; "": no links. */
  const char *commit_url, *page_url;
  bool cum;
  double threshold; /* smallest relative change that is reported */
  struct steps_options steps;
};

/* A change point of a series. `step` has indexes of the series' values. */
struct trend_change {
  struct step step;
  uint32_t series;
  bool machine;       /* true if the machine changed at the same run */
  size_t needed;      /* number of further runs that confirm or reject a suspected change; 0: it is
                         confirmed */
  int64_t unmeasured; /* number of commits between the runs on both sides, or -1 if unknown */
};

struct trend_series {
  struct past_series name;
  double *values;
  uint32_t *runs; /* index of the run of each value, ascending */
  size_t count;
  size_t first_change, changes;
};

struct trend_view {
  struct arena arena;
  struct past past; /* runs that were chosen, in order */
  const char *branch;
  size_t unlisted; /* number of runs whose commits are not in -commits */
  struct trend_series *series;
  size_t series_count;
  struct trend_change *changes;
  size_t change_count, change_capacity;
  size_t suspected; /* number of changes that are only suspected */
};

pprofc_status trend_make(struct trend_view *trend, struct backing *backing,
                         const struct trend_query *query, pprofc_error *error);
void trend_free(struct trend_view *trend);

/* Replaces the results of the runs by the shares of functions in their profiles. */
pprofc_status trend_take_functions(struct trend_view *trend, struct backing *backing,
                                   const struct trend_query *query, pprofc_error *error);

static inline const struct past_run *trend_run(const struct trend_view *trend,
                                               const struct trend_series *series, size_t value) {
  return &trend->past.runs[series->runs[value]];
}

/* True if a confirmed change for the worse is recent (trend_is_recent). */
bool trend_got_worse(const struct trend_view *trend, const struct trend_query *query);
/* True for a change for the worse among the last 2 * least values of its series, also if it is only
 * suspected. */
bool trend_is_recent(const struct trend_view *trend, const struct trend_query *query,
                     const struct trend_change *change);

/* Returns 1 if a change is for the worse, -1 if it is for the better, 0 if that is unknown. */
int trend_worse(const struct trend_view *trend, const struct trend_change *change);

/* The first function appends the size of a change, "+28.1 %". The second appends its interval. If a
 * ratio has no meaning, both append a difference in the unit. */
void trend_put_size(struct buffer *out, const struct trend_view *trend,
                    const struct trend_change *change);
void trend_put_interval(struct buffer *out, const struct trend_view *trend,
                        const struct trend_change *change);
/* Appends the name of a series, "words.Count sec/op". */
void trend_put_name(struct buffer *out, const struct trend_series *series);
/* Appends notes on a change: "one of 3 commits", "another machine". */
void trend_put_notes(struct buffer *out, const struct trend_view *trend,
                     const struct trend_change *change);
/* Appends a value, "1.2 µs". */
void trend_put_value(struct buffer *out, double value, pprofc_str unit);

/* ---- output ------------------------------------------ */

/* A row of a table: its run, its change, and the size of the change. */
struct trend_row {
  uint32_t run, change;
  double size;
};

/* Returns the changes by run, newest first, then by size. The caller frees change_count rows with
 * the allocator of `out`. When out of memory, returns NULL and marks `out` as failed. */
struct trend_row *trend_rows(const struct trend_view *trend, struct buffer *out);

/* Both print the result, as a table or as JSON. Returns false when out of memory. */
bool trend_print_table(struct output *out, const struct trend_view *trend);
bool trend_print_json(struct output *out, const struct trend_view *trend);
/* Appends the Markdown of an issue that lists recent regressions by commit. Appends nothing if
 * there are no regressions. */
void trend_print_issue(struct buffer *out, const struct trend_view *trend,
                       const struct trend_query *query);
/* Appends an address with the commit in place of {}. */
void trend_put_url(struct buffer *out, const char *url, pprofc_str commit);
/* Adds the values of the chart of a series, `width` x `height` pixels at `top` of its picture. */
void trend_fill_chart(struct fill *out, const struct trend_view *trend,
                      const struct trend_series *series, double width, double top, double height);
/* The first function appends all series with change points, or all series if they are few, as one
 * SVG file. The second appends the HTML page of the trend. */
void trend_print_svg(struct buffer *out, const struct trend_view *trend);
void trend_print_page(struct buffer *out, const struct trend_view *trend,
                      const struct trend_query *query, const char *title);

#endif
