/* Series over commits and their change points, for `pprofci trend`. */
#ifndef PPROFCI_TREND_TREND_H
#define PPROFCI_TREND_TREND_H

#include "stats/steps.h"
#include "store/past.h"

/* The choice of runs and series, and the settings of the analysis. */
struct trend_query {
  const char *branch;              /* glob; "" for the branch with most runs */
  const char *commits;             /* file with ids in their order, or "" */
  const char *bench, *unit, *kind; /* globs */
  const char *function;            /* glob for shares of functions in profiles; "" for results */
  bool cum;
  double threshold; /* relative; smaller changes are not reported */
  struct steps_options steps;
};

/* A change point of a series. `step` has indexes of the series' values. */
struct trend_change {
  struct step step;
  uint32_t series;
  bool machine;       /* true if the machine changed at the same run */
  size_t needed;      /* further runs that decide about a suspected change; 0: it is decided */
  int64_t unmeasured; /* commits between the runs on both sides, or -1 if unknown */
};

struct trend_series {
  struct past_series name;
  double *values;
  uint32_t *runs; /* run of each value, ascending */
  size_t count;
  size_t first_change, changes;
};

struct trend_view {
  struct arena arena;
  struct past past; /* the chosen runs, in order */
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

/* True if a series got worse in one of the last runs: in the last 2 * least values. */
bool trend_got_worse(const struct trend_view *trend, const struct trend_query *query);

/* Returns 1 if a change is for the worse, -1 if it is for the better, 0 if that is unknown. */
int trend_worse(const struct trend_view *trend, const struct trend_change *change);

/* Appends the size of a change, "+28.1 %", and its interval. Where a ratio has no meaning, it
 * is a difference in the unit. */
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

void trend_print_table(struct buffer *out, const struct trend_view *trend);
void trend_print_json(struct buffer *out, const struct trend_view *trend);
/* Appends the chart of a series, a scalable SVG of `width` x `height`. With `style` it
 * contains its own colours. */
void trend_print_chart(struct buffer *out, const struct trend_view *trend,
                       const struct trend_series *series, unsigned width, unsigned height);
/* Appends all series with change points, or all series if they are few, as one SVG file. */
void trend_print_svg(struct buffer *out, const struct trend_view *trend);
void trend_print_page(struct buffer *out, const struct trend_view *trend, const char *title);

#endif
