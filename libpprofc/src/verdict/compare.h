/* Declares the state of a comparison and the steps that judge it. */
#ifndef PPROFC_VERDICT_COMPARE_H
#define PPROFC_VERDICT_COMPARE_H

#include "pprofc/verdict.h"
#include "verdict/model.h"
#include "verdict/walk.h"

/* Share of the total up to which a difference of exact counts is ignored. Dynamic linking and
 * start-up cause such small differences. */
#define EXACT_FLOOR 1e-5

/* Minimum number of samples for judging a function if options.min_samples is 0. */
#define LEAST_SAMPLES 10

struct sums;

struct comparison {
  const pprofc_allocator *mem;
  pprofc_verdict_options options;
  struct arena arena; /* memory for the results of the comparison */
  struct rules rules;
  struct names names;
  /* runs, base before head; each run keeps its profile until the rows are complete */
  struct run *runs;
  /* number of all columns, and of the columns of the base; a column is a run, or all runs of base
   * or of head if only sums over runs are known */
  size_t count, bases;
  double side_runs[2]; /* number of runs in the base, and in the head */
  const pprofc_verdict_run *given_base,
      *given_head; /* runs that the caller passed, valid only during the comparison */

  struct quantum quantum; /* sampling method of the values of all runs (walk.h) */
  pprofc_str type, unit;
  bool mixed_periods;
  pprofc_verdict_exposure exposure;
  /* for each run, divisor of its shown values, such as its number of operations */
  double *divisors;
  double *exposures; /* for each run, divisor of its judged values, such as its duration */
  /* true if a shown value is the sum over the runs of base or of head divided by their total
   * seconds; false if it is the mean of the runs */
  bool pooled;
  double *shares; /* total of each run divided by the mean total; NULL if a total is 0 */
  double *totals; /* for each run, sum of the samples that have a function */
  double *wholes; /* for each run, sum of all samples; reports show this total */
  /* for each run, its sampling variance: the sum of value times quantum (quantum_of_sample) */
  double *noises;
  /* for sums over runs: relative variance of the totals of base and of head */
  double total_spread[2];
  /* mean total of the runs divided by the mean of `exposures` */
  double mean_total;

  uint32_t *order; /* ids of the names that have a value, sorted by name */
  size_t rows;
  struct matrix flat_matrix, cum_matrix;
  struct matrix cum_judged; /* cum_matrix without the time of the environment, such as the kernel or
                               a scheduler (walk.h) */
  struct fit flat, cum;
  pprofc_verdict_row *row; /* rows, sorted by name as in `order` until comparison_sort sorts them by
                              size of change */
  size_t *line;            /* after comparison_sort: for each row, its index in the matrices */
  uint32_t *row_of;        /* for each name, the index of its row, or MAP_NONE */
  pprofc_verdict_stack *stacks; /* judged nodes of the call tree */
  size_t *children;             /* indices in `stacks`, sorted by parent, then by name */
  size_t stack_count;
  /* domains: groups of functions between which cost may have moved, with their sums */
  pprofc_verdict_domain *domains;
  size_t domain_count;
  uint32_t *domain_of; /* for each row, index of its domain, or MAP_NONE; NULL without domains */
  /* For each row whose cum value grew: the sum over all its callees, or for a new function, the sum
   * of a caller that all its stacks share. NULL for other rows, and if these sums have intervals
   * too wide to show the growth. The array itself is NULL if no cum value grew. */
  const pprofc_verdict_domain **calls_of;
  pprofc_verdict_summary summary;
};

/* Returns the index of a side's first run. Side 0 is the base, and side 1 is the head. For side 2,
 * returns the number of runs. */
size_t comparison_from(const struct comparison *c, size_t side);

/* Returns the range of values, each divided by its divisor: the largest minus the smallest value of
 * base or of head, whichever is larger. */
double comparison_range(const struct comparison *c, const double *values, const double *divisors);

/* Returns the shown value of a side (0 for base, 1 for head) from the values of all runs. This is
 * the mean. If c->pooled is set, it is the sum divided by the total seconds. */
double comparison_mean(const struct comparison *c, const double *values, size_t side);

/* Returns the factor that widens an interval because runs have unequal lengths. It is 1 for runs of
 * equal length. */
double comparison_stretch(const struct comparison *c);

/* Returns how much the difference head - base grows if the value of this run grows by 1. */
double comparison_weight(const struct comparison *c, size_t run);

/* Returns the settings of the model. Except for heap profiles and counts, the model removes the
 * factor that all functions of a run share, for example the speed of the machine. */
struct model_settings comparison_settings(const struct comparison *c);

/* Fits the model to a matrix. Without enough functions for a common factor (the factor that all
 * functions of a run share), judges the recorded differences. If base and head have hardly any
 * function in common, uses the ratio of the totals as the factor. */
pprofc_status comparison_fit(struct comparison *c, struct matrix *m, struct arena *arena,
                             struct fit *fit, pprofc_error *error);

/* Fills in the rows, their order by name, and the matrices from the sums of the runs. Returns false
 * when out of memory. */
bool comparison_matrices(struct comparison *c);

/* Reads and checks the runs. Fills in their profiles, their sums, the divisors of judged values
 * (exposures), and the matrices. */
pprofc_status comparison_read(struct comparison *c, pprofc_error *error);

/* Returns the quantum of a row: its sampling variance divided by its value. `sums` are sums of
 * values, and `noises` are sums of value times quantum, base first. */
double comparison_quantum(const struct comparison *c, const double sums[2], const double noises[2]);

/* Adjusts p-values, and finds the verdicts on the flat and cum values of all rows. A factor that
 * all functions of a run share (such as a slower machine) does not affect these verdicts. */
pprofc_status family_judge(struct comparison *c, pprofc_error *error);

/* Adjusts the p-values of all rows of a matrix together, and finds the verdicts. Returns false when
 * out of memory. */
bool family_words(const struct comparison *c, const struct matrix *m, const struct fit *fit,
                  pprofc_verdict_estimate *out);

/* Returns the confidence level for the intervals of significant rows. At this level, a share alpha
 * of these intervals on average misses the true value (Benjamini and Yekutieli 2005). Returns NaN
 * if no row is significant. */
double family_level(const struct comparison *c, size_t changed, size_t tested);

/* Widens the interval of a row to the confidence level `level` if its verdict is a change. */
void family_widen(const struct comparison *c, const struct matrix *m, const struct fit *fit,
                  size_t row, double level, pprofc_verdict_estimate *e);

/* Widens the intervals of flat and cum if options.fcr is set. The rows must be sorted. */
void family_widen_rows(struct comparison *c);

/* True if base or head has only one run, and the profiles do not show the full sampling noise. */
bool family_is_blind(const struct comparison *c);

/* Finds rows whose changes cancel each other, and callers that changed because of their callees.
 * The rows must be sorted. */
pprofc_status relations_find(struct comparison *c, pprofc_error *error);

/* Judges the callees of each function whose cum value grew. The caller must first call
 * relations_find, which finds the domains. */
pprofc_status calls_find(struct comparison *c, pprofc_error *error);

/* Returns the domain of a row (a group of functions between which cost may have moved), or NULL. */
const pprofc_verdict_domain *comparison_domain(const struct comparison *c, size_t row);

/* Finds the nodes of the call tree in which functions and the total changed, if options.places is
 * set. The rows must be sorted. */
pprofc_status places_find(struct comparison *c, pprofc_error *error);

/* Judges the nodes of the call tree if options.stacks is set. */
pprofc_status stacks_judge(struct comparison *c, pprofc_error *error);
size_t stacks_find(const struct comparison *c, size_t parent, pprofc_str name);

/* Fills in the summary: the total, counts of verdicts, and the share of the total's change that the
 * changed functions explain. */
pprofc_status account_fill(struct comparison *c, pprofc_error *error);
/* Fills in the smallest detectable change. */
void advice_fill(struct comparison *c);
/* Counts verdicts and writes summary.sentence. The caller must first call relations_find. */
pprofc_status sentence_fill(struct comparison *c, pprofc_error *error);

/* Maximum number of runs in base or in head. */
#define SUMS_RUNS_MOST 10000000

/* Does the same as comparison_read for sums over runs. Base and head have one column each. */
pprofc_status comparison_read_sums(struct comparison *c, const struct sums *const sums[2],
                                   pprofc_error *error);

/* ---- recorded values -------------------------------- */

/* State of the conversion from the results of a fit to differences of recorded amounts. Only the
 * recorded amounts contain the factor that all functions of a run share. */

struct recorded_rows {
  const struct comparison *c;
  const struct matrix *m;
  const struct fit *fit;
  bool plain; /* true if the same constant factor converts each judged value to a recorded value */
  /* for base and for head, logarithm of the factor that converts a judged value to a recorded
   * value */
  double log_scale[2];
  /* for base and for head, variance of log_scale: the square of its standard error */
  double error[2];
  double
      /* degrees of freedom of the variance `error`; infinite with one run each of base and head */
      degrees;
  double change, half; /* logarithm of the factor between base and head that all rows of the fit
                          share, and half the width of its interval */
  double p;            /* two-sided p-value of `change` */
  /* verdict on the factor that all rows share; PPROFC_VERDICT_UNKNOWN if the fit has no such
   * factor */
  pprofc_verdict common;
  double stretch; /* factor that widens intervals because runs have unequal lengths */
};

/* Prepares the conversion of the results of `fit` to amounts as recorded in the profiles. */
void recorded_begin(struct recorded_rows *r, const struct comparison *c, const struct matrix *m,
                    const struct fit *fit);

/* Fills in the summary's fields about the factor that all functions of a run share. */
void recorded_common(const struct recorded_rows *r, pprofc_verdict_summary *summary);

/* Fills in the recorded values of a row, their interval, and the verdict to show. e->own must be
 * set: the verdict on the values after the removal of the factor that all functions of a run share.
 * `tail` is the quantile at the upper end of the interval. */
void recorded_fill(const struct recorded_rows *r, size_t row, double tail,
                   pprofc_verdict_estimate *e);

/* Returns the judged difference of a row. For cum, this difference excludes time of the environment
 * (code such as the kernel, walk.h). */
double recorded_judged(const struct recorded_rows *r, size_t row);

/* Returns the verdict "grew" or "shrank" if p is significant at 5 %, else "unchanged". */
pprofc_verdict recorded_word(double delta, double p);

/* Returns a quantile of Student's t distribution. For infinite degrees of freedom, this is a
 * quantile of the normal distribution. */
double recorded_quantile(double tail, double degrees);

#endif
