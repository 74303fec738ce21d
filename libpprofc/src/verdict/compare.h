/* Declares the state of a comparison and the steps that judge it. */
#ifndef PPROFC_VERDICT_COMPARE_H
#define PPROFC_VERDICT_COMPARE_H

#include "pprofc/verdict.h"
#include "verdict/model.h"
#include "verdict/runs.h"

/* Share of the total below which a difference of exact counts is ignored. Dynamic linking and
 * start-up cause smaller differences. */
#define EXACT_FLOOR 1e-5

/* Minimum number of samples of a function in the noise estimate, if options.min_samples is 0. */
#define LEAST_SAMPLES 10

struct sums;

struct comparison {
  const pprofc_allocator *mem;
  pprofc_verdict_options options;
  struct arena arena; /* memory of the results */
  struct rules rules;
  struct names names;
  struct run *runs;    /* runs, bases first; each run keeps its profile until the rows are
                          complete */
  size_t count, bases; /* number of columns and of base columns. A column is a run, or a side if
                          only sums over runs are known. */
  double side_runs[2]; /* number of runs of the base, and of the head */
  const pprofc_verdict_run *given_base, *given_head; /* runs of the caller, valid during the
                                                        comparison */

  struct quantum quantum; /* rule by which values were sampled (quantum.h), the same for all runs */
  pprofc_str type, unit;
  bool mixed_periods;
  pprofc_verdict_exposure exposure;
  double *divisors;  /* divisor of recorded values, for each run */
  double *exposures; /* divisor of the judged values of each run, such as its duration */
  bool pooled;       /* true if a shown value is the sum over the runs divided by their total
                        seconds, as on pages that add up the runs first */
  double *shares;    /* total of each run divided by the mean total; NULL if a total is 0 */
  double *totals;    /* for each run, sum of the samples that have a function */
  double *wholes;    /* for each run, sum of all samples, which is the shown total */
  /* For each run, sum of value times quantum (quantum.h), which is the sampling variance. */
  double *noises;
  double total_spread[2]; /* for sums over runs: relative variance of each side's totals */
  double mean_total;      /* mean total of a run divided by its exposure */

  uint32_t *order; /* ids of the names that have a value, sorted by the bytes of the names */
  size_t rows;
  struct matrix flat_matrix, cum_matrix;
  struct matrix cum_judged; /* cum_matrix without the time of the environment, such as the kernel or
                               a scheduler (rules.h) */
  struct fit flat, cum;
  pprofc_verdict_row *row;      /* rows, in the order of `order` before comparison_sort */
  size_t *line;                 /* index of the row in the matrices, for each row after
                                   comparison_sort */
  uint32_t *row_of;             /* index of the row of each name, or MAP_NONE */
  pprofc_verdict_stack *stacks; /* judged nodes of the call tree */
  size_t *children;             /* indices of the nodes, sorted by parent, then by name */
  size_t stack_count;
  /* Domains: groups of functions between which cost moved, with their sums. */
  pprofc_verdict_domain *domains;
  size_t domain_count;
  uint32_t *domain_of; /* domain of each row, or MAP_NONE; NULL without domains */
  /* For each row whose cum grew, the sum of all its callees if that sum can show the growth; else
   * NULL. The array is NULL if no cum grew. */
  const pprofc_verdict_domain **calls_of;
  pprofc_verdict_summary summary;
};

/* Returns the run with this index, as the caller passed it. */
const pprofc_verdict_run *comparison_given(const struct comparison *c, size_t run);

/* Returns the shown value of a side from the values of all runs: the mean, or with `pooled` the sum
 * divided by the total seconds. */
double comparison_mean(const struct comparison *c, const double *values, size_t side);

/* Returns the factor that widens an interval if runs have unequal lengths; 1 for equal runs. */
double comparison_stretch(const struct comparison *c);

/* Returns how much head - base changes if a value of this run grows by 1. */
double comparison_weight(const struct comparison *c, size_t run);

/* Returns the settings of the model. Heap profiles and counts have no common factor. */
struct model_settings comparison_settings(const struct comparison *c);

/* Fits a matrix. If there are too few functions for a common factor, judges recorded differences.
 * If hardly any function is in both sides, uses the ratio of the totals as factor. */
pprofc_status comparison_fit(struct comparison *c, struct matrix *m, struct arena *arena,
                             struct fit *fit, pprofc_error *error);

/* Fills the rows, their order by name, and the matrices from the sums of the runs. Returns false
 * when out of memory. */
bool comparison_matrices(struct comparison *c);

/* Reads and checks the runs: profiles, sums, exposures, matrices. */
pprofc_status comparison_read(struct comparison *c, pprofc_error *error);

/* Returns the sampling variance of a row per unit of its value. `sums` and `noises` are the sums of
 * the values and of value times quantum (quantum.h), base first. */
double comparison_quantum(const struct comparison *c, const double sums[2], const double noises[2]);

/* Computes divisors and exposures of the runs from their totals, durations and operations. */
pprofc_status exposure_find(struct comparison *c, pprofc_error *error);

/* Adjusts p-values and finds the verdicts for flat and cum of all rows, after removing the
 * common factor. */
pprofc_status family_judge(struct comparison *c, pprofc_error *error);

/* Adjusts p-values and finds the verdicts for all rows of a matrix together. Returns false when out
 * of memory. */
bool family_words(const struct comparison *c, const struct matrix *m, const struct fit *fit,
                  pprofc_verdict_estimate *out);

/* Returns the confidence level for the intervals of significant rows. At this level on average a
 * share alpha of the intervals misses the true value (Benjamini and Yekutieli 2005). Returns NaN if
 * no row is significant. */
double family_level(const struct comparison *c, size_t changed, size_t tested);

/* Widens the interval of a row to `level` if its verdict is a change. */
void family_widen(const struct comparison *c, const struct matrix *m, const struct fit *fit,
                  size_t row, double level, pprofc_verdict_estimate *e);

/* Widens the intervals of flat and cum of the sorted rows if options.fcr is set. */
void family_widen_rows(struct comparison *c);

/* True if a side has one run and its sampling noise is unknown or only a lower bound. */
bool family_is_blind(const struct comparison *c);

/* Finds rows whose changes cancel each other, and callers that changed through their callees. Needs
 * sorted rows. */
pprofc_status relations_find(struct comparison *c, pprofc_error *error);

/* Judges the callees of each function whose cum value grew. Needs the domains (domains.h). */
pprofc_status calls_find(struct comparison *c, pprofc_error *error);

/* Returns the domain of a row, or NULL. */
const pprofc_verdict_domain *comparison_domain(const struct comparison *c, size_t row);

/* Finds the nodes of the call tree with the changes, if options.places is set. Needs sorted
 * rows. */
pprofc_status places_find(struct comparison *c, pprofc_error *error);

/* Judges the nodes of the call tree if options.stacks is set. */
pprofc_status stacks_judge(struct comparison *c, pprofc_error *error);
size_t stacks_find(const struct comparison *c, size_t parent, pprofc_str name);

/* Fills the summary: the total, counts of verdicts, and the share that changed functions explain.
 */
pprofc_status account_fill(struct comparison *c, pprofc_error *error);
/* Fills the smallest detectable change. */
void advice_fill(struct comparison *c);
/* Counts verdicts and writes summary.sentence. Needs the relations. */
pprofc_status sentence_fill(struct comparison *c, pprofc_error *error);

/* Maximum number of runs of a side. */
#define SUMS_RUNS_MOST 10000000

/* Does the same as comparison_read for sums over runs, with one column for each side. */
pprofc_status comparison_read_sums(struct comparison *c, const struct sums *const sums[2],
                                   pprofc_error *error);

#endif
