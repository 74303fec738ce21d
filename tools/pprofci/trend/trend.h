/* Series over commits and their change points: what `pprofci trend` shows. */
#ifndef PPROFCI_TREND_TREND_H
#define PPROFCI_TREND_TREND_H

#include "stats/steps.h"
#include "store/past.h"

/* Which runs and series are looked at, and how. */
struct trend_asked {
  const char *branch;              /* "": the one with most runs; else a glob */
  const char *commits;             /* a file with ids in their order; "": none */
  const char *bench, *unit, *kind; /* globs */
  const char *function;            /* a glob: shares of profiles; "": results */
  bool cum;
  double threshold; /* relative; smaller changes are not told */
  struct steps_options steps;
};

/* A change point of a series; steps are places among its values. */
struct trend_change {
  struct step step;
  uint32_t series;
  bool machine;       /* the machine changed here, too */
  int64_t unmeasured; /* commits between the runs on both sides; -1: not known */
};

struct trend_series {
  struct past_series name;
  double *values;
  uint32_t *runs; /* of each value, ascending */
  size_t count;
  size_t first_change, changes;
};

struct trend_view {
  struct arena arena;
  struct past past; /* the runs that are looked at, in order */
  const char *branch;
  size_t unlisted; /* runs whose commits are not in -commits */
  struct trend_series *series;
  size_t series_count;
  struct trend_change *changes;
  size_t change_count, change_capacity;
};

pprofc_status trend_make(struct trend_view *trend, struct backing *backing,
                         const struct trend_asked *asked, pprofc_error *error);
void trend_free(struct trend_view *trend);

/* Replaces the results of the runs by the shares that functions have in their profiles. */
pprofc_status trend_take_functions(struct trend_view *trend, struct backing *backing,
                                   const struct trend_asked *asked, pprofc_error *error);

static inline const struct past_run *trend_run(const struct trend_view *trend,
                                               const struct trend_series *series, size_t value) {
  return &trend->past.runs[series->runs[value]];
}

/* Whether a change is for the worse (1), for the better (-1), or neither is known (0). */
int trend_worse(const struct trend_view *trend, const struct trend_change *change);

/* "+28.1 %", or the difference in the unit where a ratio has no meaning; and its interval. */
void trend_put_size(struct buffer *out, const struct trend_view *trend,
                    const struct trend_change *change);
void trend_put_interval(struct buffer *out, const struct trend_view *trend,
                        const struct trend_change *change);
/* "words.Count sec/op". */
void trend_put_name(struct buffer *out, const struct trend_series *series);
/* What else is to be known about a change: "one of 3 commits", "another machine". */
void trend_put_notes(struct buffer *out, const struct trend_view *trend,
                     const struct trend_change *change);
/* "1.2 µs". */
void trend_put_value(struct buffer *out, double value, pprofc_str unit);

/* ---- output ------------------------------------------ */

void trend_print_table(struct buffer *out, const struct trend_view *trend);
void trend_print_json(struct buffer *out, const struct trend_view *trend);
/* The chart of a series: an SVG of `width` x `height` that scales. `style`: with colours of its
 * own. */
void trend_print_chart(struct buffer *out, const struct trend_view *trend,
                       const struct trend_series *series, unsigned width, unsigned height);
/* All series with change points (or all of few), one below the other, as a file. */
void trend_print_svg(struct buffer *out, const struct trend_view *trend);
void trend_print_page(struct buffer *out, const struct trend_view *trend, const char *title);

#endif
