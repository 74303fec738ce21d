/* Judges runs for a report. Takes profiles, the options of the report and the settings of the
 * verdicts. Gives the verdicts, or the reason why there are no verdicts. */
#ifndef PPROFC_VERDICT_RUN_RUN_H
#define PPROFC_VERDICT_RUN_RUN_H

#include "core/mem.h"
#include "pprofc/report.h"
#include "pprofc/verdict.h"

/* Maximum size in bytes of a benchmark's name with its measure. */
#define BENCHES_TEXT 200

/* Runs of the base, then of the head. */
struct noise_runs {
  pprofc_verdict_run *items;
  size_t count, bases; /* number of all runs, and number of the base's runs */
};

/* One side of a comparison: base or head. */
struct noise_side {
  /* profile of the side; with several runs, the sum of their profiles */
  const pprofc_profile *profile;
  const pprofc_verdict_run *runs; /* runs whose sum is `profile` */
  size_t count;                   /* number of runs; 0: a single profile */
};

struct noise_settings {
  pprofc_verdict_options how; /* settings of the verdicts, without filters */
  const char *ops;            /* value of -ops, or "" */
  const char *rules;          /* path of the rules file, or "" */
};

/* The verdicts of a report, and the settings for printing. */
struct noise_report {
  /* options of the report: unit, divisor, number of rows, filters */
  const pprofc_report_options *options;
  /* value of -noise, which selects the rows to print */
  const char *show;
  bool fcr, stacks; /* fcr: true to write the level of the intervals to JSON; stacks: true to write
                       the stacks to JSON */
  pprofc_verdicts *verdicts; /* verdicts; NULL if `reason` explains why they are missing */
  pprofc_verdict_summary summary;
  const pprofc_verdict_row *rows;
  size_t row_count;
  char benchmark[BENCHES_TEXT]; /* name of the benchmark and its measure, or "" */
  char reason[sizeof((pprofc_error *)0)->message]; /* reason why verdicts are missing, or "" */
};

/* ---- judging ----------------------------------------- */

/* Sets the defaults. */
static inline void noise_settings_init(struct noise_settings *settings) {
  *settings = (struct noise_settings){.ops = "", .rules = ""};
  pprofc_verdict_options_init(&settings->how);
}

/* Judges runs with the filters of report->options. Stores the verdicts in `report`. The sample type
 * is from `settings`, or else from report->options. Passes a warning of a filter to
 * report->options->warn once, and only if every run caused it. The caller frees the verdicts. */
pprofc_status noise_judge_runs(struct noise_report *report, const struct noise_runs *runs,
                               const struct noise_settings *settings, pprofc_error *error);

struct sums;
/* Judges sums over runs, like noise_judge_runs. */
pprofc_status noise_judge_sums(struct noise_report *report, const struct sums *base,
                               const struct sums *head, const struct noise_settings *settings,
                               pprofc_error *error);

/* Judges the functions of a difference, without warnings of filters. Missing verdicts are not an
 * error: report->reason then explains them. Lack of memory and an exceeded budget are errors. Uses
 * the allocator of the base's profile. The caller frees the verdicts, even after an error. */
pprofc_status noise_judge_sides(struct noise_report *report, const struct noise_side sides[2],
                                const struct noise_settings *settings, pprofc_error *error);

/* Stores the error `why` as the reason why there are no verdicts. Returns an error only if memory
 * or the budget of `mem` ran out. */
pprofc_status noise_settle(struct noise_report *report, const pprofc_allocator *mem,
                           const pprofc_error *why, pprofc_error *error);

/* Returns the reason why a report with these options cannot have verdicts, or NULL if it can. */
const char *noise_obstacle(const pprofc_report_options *options);

/* Parses -ops: two numbers of operations (for base and head), or one number for each run. */
pprofc_status noise_set_ops(const char *text, const struct noise_runs *runs, pprofc_error *error);

/* Hides frames that the verdicts ignore, such as runtime.asyncPreempt. A report on the difference
 * then shows the same values as the verdict table. Returns false when out of memory. */
bool noise_hide_folded(const pprofc_profile *difference, struct arena *arena,
                       pprofc_report_options *options);

/* Frees the verdicts of the report. */
static inline void noise_free(struct noise_report *report) {
  pprofc_verdicts_free(report->verdicts);
  report->verdicts = NULL;
}

/* ---- results ----------------------------------------- */

static inline const pprofc_verdict_estimate *noise_estimate(const pprofc_verdict_row *row,
                                                            bool by_cum) {
  return by_cum ? &row->cum : &row->flat;
}

/* True if base and head each have one run. */
static inline bool noise_is_pair(const pprofc_verdict_summary *s) {
  return s->base_runs == 1 && s->head_runs == 1;
}

/* Returns the verdicts on a function, or NULL. */
static inline const pprofc_verdict_row *noise_find(const struct noise_report *report,
                                                   pprofc_str function) {
  return report->verdicts ? pprofc_verdicts_find(report->verdicts, function) : NULL;
}

/* True if the verdict says that the function's self value changed, or with `by_cum` its total. */
static inline bool noise_is_change(const pprofc_verdict_row *row, bool by_cum) {
  return row && pprofc_verdict_is_change(noise_estimate(row, by_cum)->verdict);
}

/* True if the total grew by more than the noise between runs. */
static inline bool noise_grew(const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  return report->verdicts && s->total_delta > 0 && pprofc_verdict_is_certain(s->total_verdict);
}

/* Returns the number of samples in all runs together. */
double noise_samples(const struct noise_report *report);

/* Returns "per second" or "per operation" if the verdicts compare such values, else "". */
const char *noise_per(const struct noise_report *report);

/* True if the values are divided by time, operations or the total. */
bool noise_rescales(const struct noise_report *report);

/* Returns the domain of a row (its group of functions between which cost may have moved) if the
 * changes of these functions cancel. Otherwise returns NULL. */
const pprofc_verdict_domain *noise_domain_moved(const struct noise_report *report,
                                                const pprofc_verdict_row *row);

/* ---- conditions ------------------------------------- */

/* Help of the flags -fail_on and -fail-on, after their first sentence. Each line after the first
 * explains a form of a condition. */
#define NOISE_CONDITIONS                                                                           \
  "May be repeated. Growth within the noise does not count. The cost of a function excludes its "  \
  "callees, except in cum:\n"                                                                      \
  "total>5%: the total of the profile grew by more than 5 %\n"                                     \
  "common>5%: a factor that all functions share grew by more than 5 %\n"                           \
  "flat>5%: the cost of a function grew by more than 5 % of the base's total\n"                    \
  "cum>5%: the cost of a function with its callees grew by more than 5 % of the base's total\n"    \
  "row:flat>5%, row:cum>5%: as flat and cum, even if the cost only moved from other functions\n"   \
  "self>10%: the cost of a function grew by more than 10 % of its cost in the base\n"              \
  "flat>10ms: the cost of a function grew by more than 10 ms\n"                                    \
  "name=RE: the cost of a function whose name matches the regexp RE grew\n"                        \
  "flat>5%,name=RE: as flat>5%, but only for functions whose name matches RE"

/* Checks that the text is a condition, such as "total>5%" or "cum>10ms,name=RE". An error message
 * names `flag`, the name of the flag. */
pprofc_status noise_condition_check(const char *flag, const char *text, pprofc_error *error);

/* True if the condition is about the cost of a function without its callees. */
bool noise_condition_is_self(const char *text);

/* Growth that meets a condition of -fail_on. */
struct noise_finding {
  /* row of the function that grew; NULL for the total or all functions */
  const pprofc_verdict_row *row;
  /* group of related functions whose sum is `estimate`, or NULL */
  const pprofc_verdict_domain *domain;
  pprofc_str name; /* name of the function, or "the total", "all functions" */
  /* estimate of the value in the condition: flat, cum or the total */
  pprofc_verdict_estimate estimate;
  /* for a condition on all functions: the relative change that they share; else NaN */
  double change;
  bool accepted; /* true if a rule with a reason and an end date accepts the growth */
  pprofc_str reason, until;
};
typedef void (*noise_found_fn)(void *context, const struct noise_finding *found);

/* Writes the current day in UTC, such as "2026-11-24". */
void noise_gate_today(char out[16]);

enum noise_use {
  NOISE_USED,
  NOISE_HIDDEN,     /* checked, but noise may hide a growth by the threshold */
  NOISE_OTHER_UNIT, /* the values and the threshold of the condition have different units */
  NOISE_UNJUDGED,   /* the values that the condition checks have no verdict */
  NOISE_FAILED      /* the regular expression exceeded its limit of time or memory */
};

/* Calls `found` for each growth that violates the condition `text` and has an adjusted p-value (q)
 * below `alpha`. The condition must be valid. */
enum noise_use noise_condition_find(const struct noise_report *report, const char *text,
                                    double alpha, noise_found_fn found, void *context);

#endif
