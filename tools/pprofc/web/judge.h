/* Computes verdicts on the functions in a difference, for the page. */
#ifndef PPROFC_WEB_JUDGE_H
#define PPROFC_WEB_JUDGE_H

#include "options.h"
#include "pprofc/verdict.h"
#include "report/report.h"

struct judgement {
  pprofc_verdicts *verdicts; /* verdicts; NULL if `reason` explains why there are no verdicts */
  pprofc_verdict_summary summary;
  char reason[sizeof((pprofc_error *)0)->message];
};

struct judge_side {
  /* profile of the page; with several runs, the sum of their profiles */
  const pprofc_profile *profile;
  const pprofc_verdict_run *runs; /* runs whose sum is `profile` */
  size_t count;                   /* number of runs; 0: a single profile */
};

/* Returns the reason why a report with these options cannot have verdicts, or NULL if it can. */
const char *judge_obstacle(const pprofc_report_options *options);

/* Judges the functions of a report with these options. sides[0] is the base. Missing verdicts are
 * not an error, but lack of memory and an exceeded budget are errors. `noise` NULL means the
 * defaults. Uses the allocator of the base's profile. The caller frees the result, even after an
 * error. */
pprofc_status judge_sides(const struct judge_side sides[2], const pprofc_report_options *options,
                          const struct noise_options *noise, struct judgement *judgement,
                          pprofc_error *error);
void judge_free(struct judgement *judgement);

/* Hides frames that verdicts ignore, such as runtime.asyncPreempt, from reports on a difference.
 * The pages then show the values of the verdict table. Returns false when out of memory. */
bool judge_hide_folded(const pprofc_profile *difference, struct arena *arena,
                       pprofc_report_options *options);

/* Returns "per second" or "per operation" if the verdicts compare such values, else "". */
const char *judge_per(const struct judgement *judgement);

/* True if the values are divided by time, operations or the total. */
bool judge_rescales(const struct judgement *judgement);

/* Returns the verdict on a function, or NULL. */
const pprofc_verdict_row *judge_find(const struct judgement *judgement, pprofc_str function);

/* True if the verdict says that the function's self value changed, or with `by_cum` its total. */
bool judge_is_change(const pprofc_verdict_row *row, bool by_cum);

/* ---- CSV (table_csv.c) ------------------------------- */

struct table_csv {
  const pprofc_profile *shown;
  double divisor;               /* number by which the values of `shown` are divided */
  bool compared;                /* true: add columns for base, head and verdict */
  bool by_time;                 /* true if the values are per second */
  struct judge_side sides[2];   /* base and head of a difference, each with its runs */
  const pprofc_profile *scaled; /* head with the total of the base (-normalize), or NULL */
  double divisors[2];           /* numbers by which the values of base and head are divided */
  const pprofc_report_options *options;
  const struct noise_options *noise; /* options of the verdicts; NULL: the defaults */
};

/* Writes the rows of -top. An apostrophe before a name keeps spreadsheets from running the name as
 * a formula. */
pprofc_status table_csv_write(const struct table_csv *table, struct buffer *out,
                              pprofc_error *error);

#endif
