/* Judges rows: gives each row its verdict, finds the exit status, and warns about problems of a
 * whole run. */
#ifndef PPROFC_GATE_JUDGE_H
#define PPROFC_GATE_JUDGE_H

#include "gate/gate.h"

/* Compares the samples of base and head: means or medians, change, interval, p-value and drift. */

/* A sample: its values in the order of measurement, and the same values sorted. */
struct gate_sample {
  const double *values, *sorted;
  size_t count;
};

/* Runs the test `test`. Fills in the centers (means or medians), delta, interval and p of the row.
 * Returns false when out of memory. */
bool gate_compare(const struct gate *gate, struct gate_row *row, struct gate_sample base,
                  struct gate_sample head, pprofc_gate_test test);

/* Returns the smallest p-value that the exact U test can give. */
double gate_smallest_p(size_t base_count, size_t head_count);

/* Values of base or of head, in the order of measurement. `rounds` has the round of each value, or
 * is NULL. */
struct gate_side {
  const double *values;
  const uint32_t *rounds;
  size_t count;
};

/* Compares base and head by the settings of the gate, and fills in the row. Compares medians of
 * rounds if base and head each have at least 4 rounds. An exact row (a count of events) needs no
 * test. Its noise is 3 * range / median of base or of head, whichever is larger. Returns false when
 * out of memory. */
bool gate_compare_sides(const struct gate *gate, struct gate_row *row, struct gate_side base,
                        struct gate_side head);

/* Sets *cut so that the *cut smallest and the *cut largest values of U are significant at alpha in
 * a two-sided test. Returns false when out of memory. */
bool gate_u_cut(size_t n, size_t m, double alpha, size_t *cut, const pprofc_allocator *mem);

/* Computes the Hodges-Lehmann interval of the relative change, which is the ratio head / base
 * minus 1. The bounds are NaN if there is no interval. Returns false when out of memory. */
bool gate_ratio_interval(const struct gate *gate, struct gate_sample base, struct gate_sample head,
                         double alpha, double *low, double *high);

/* ---- power ------------------------------------------ */

/* Computes the smallest change that a comparison detects, and the number of samples that detects a
 * given change. A change is detected if a share GATE_POWER of comparisons gives a two-sided p-value
 * of at most `level`. Assumes normal noise proportional to the value. Welch's test uses the
 * noncentral t distribution with the degrees of freedom of Welch and Satterthwaite. Up to 50
 * samples each of base and head, the U test is simulated with a fixed seed. With more samples, the
 * smallest change of the U test is sqrt(pi / 3) times the smallest change of Welch's test. */

#define GATE_POWER 0.8

struct gate_design {
  double base_noise, head_noise; /* standard deviation divided by the mean, for base and for head */
  double base_count, head_count; /* number of samples of base and of head */
  int direction; /* 1 if higher is better, so that a decrease is worse; otherwise an increase is
                    worse */
  double level;  /* p-value up to which a change is significant */
  bool ranks;    /* true for the U test, false for Welch's test */
};

/* Simulated result: the smallest shift of head, in standard deviations, that the U test finds for
 * two sample sizes and a significance level. */
struct gate_power_known {
  size_t n, m;
  double level, shift;
};

struct gate_power {
  struct buffer known;
};

void gate_power_init(struct gate_power *power, const pprofc_allocator *mem);
void gate_power_free(struct gate_power *power);

/* Returns the share of runs in which Welch's test finds `change`, a relative change for the
 * worse. */
double gate_power_welch(const struct gate_design *design, double change);

/* Returns the value at index `k` in ascending order. Reorders the values. */
double gate_power_select(double *values, size_t count, size_t k);

/* Computes the smallest relative change for the worse that the test finds; infinite if an increase
 * of 1000 % or a decrease of 100 % is not enough. Returns false when out of memory. */
bool gate_power_visible(struct gate_power *power, const struct gate_design *design, double *change);

/* Computes the smallest number of samples in base and in head that finds the change. The result is
 * infinite if 10,000 samples are not enough. Returns false when out of memory. */
bool gate_power_samples(struct gate_power *power, const struct gate_design *design, double change,
                        double *samples);

/* Gives every row its verdict and counts the verdicts. `today` is a day such as "2026-11-20"; rules
 * that end before this day do not apply. */
pprofc_status gate_judge(struct gate *gate, const char *today, pprofc_error *error);

/* Returns the reason why a row is inconclusive although its regression is proven, or NULL. */
const char *gate_doubt(const struct gate *gate, const struct gate_row *row);

/* Makes a regressed row inconclusive, because its machine code did not change. */
void gate_excuse(struct gate *gate, struct gate_row *row);

/* Returns the exit status: 0 for a pass, 2 for a regression, 1 for problems or nothing compared, 3
 * for an inconclusive result with -strict. The caller must call gate_judge before. */
int gate_exit_status(const struct gate *gate);

/* Returns the load of the machine if the load is too high to judge times; else NULL. */
static inline const char *gate_overload(const struct gate *gate) {
  bool counts = gate->compared && !gate->timed;
  return gate->settings.any_load || counts ? NULL : gate->settings.overloaded;
}

/* True if the result is inconclusive: more than a fifth of the benchmarks could not be judged, a
 * proven regression does not count (gate_doubt), or the machine was overloaded. */
bool gate_is_inconclusive(const struct gate *gate);

/* True if the change of the row is significant. If base or head has only one sample, this is true
 * only for exact rows. */
bool gate_is_significant(const struct gate_row *row);

/* True if the verdict of the row comes from a comparison of base and head. */
bool gate_was_judged(const struct gate_row *row);
/* True for units of times and rates, which change on a busy machine. Returns false for counts and
 * sizes. */
bool gate_unit_depends_on_load(pprofc_str unit);

/* True if a p-value of the row was corrected for the number of tests. True for the rows that the
 * gate judges, and for times with gate_row.watched. */
bool gate_was_corrected(const struct gate *gate, const struct gate_row *row);

/* ---- the verdict on a row ---------------------------- */

/* Returns the verdict of a row without a test (ignored, missing, new ...), or PPROFC_GATE_UNCHANGED
 * if it needs a test. `decides` is the rule that ignores or accepts the row, or NULL. */
pprofc_gate_verdict verdict_without_test(const struct gate_row *row,
                                         const struct gate_rule *decides);

/* Returns the verdict from the comparison of base and head. */
pprofc_gate_verdict verdict_of(const struct gate *gate, const struct gate_row *row,
                               const struct gate_rule *decides);

/* True if the comparison found a change that counts, for better or worse. */
bool verdict_is_decided(pprofc_gate_verdict verdict);

/* ---- earlier runs ------------------------------------ */

/* Estimates how much each benchmark varies between earlier runs of the base. Each input of `set` is
 * a run. */
pprofc_status gate_learn_noise(struct gate *gate, const pprofc_bench *set, pprofc_error *error);

/* Appends the key that identifies a benchmark and its unit in gate->noise_keys. */
void gate_noise_key(struct buffer *out, pprofc_str group, pprofc_str name, pprofc_str unit);

/* Maximum ratio of head to base. The gate treats a bound above this ratio as infinite. */
#define GATE_EARLIER_MOST 1000

/* Variation of a benchmark between runs without a change. */
struct gate_earlier {
  /* variance of the logarithm of a run's median, and the degrees of freedom of this variance */
  double variance, degrees;
  /* sums over the runs of x^3 and of x^4, where x is log(median) minus the mean of log(median) */
  double third, fourth;
  uint32_t unit; /* index of the unit in gate->noise_units */
  bool timed;    /* true for times and rates, which are equal in two runs only by chance */
};

/* Stores the variance of a benchmark between its runs. `values` has one median per run. Returns
 * false when out of memory. */
bool gate_keep_earlier(struct gate *gate, pprofc_str key, const double *values, size_t count);

/* Combines the variance of each benchmark with the variances of all benchmarks in its unit. The
 * caller does this once, after all calls of gate_keep_earlier. Returns false when out of memory. */
bool gate_share_earlier(struct gate *gate);

/* Tests the change of a row against the noise of earlier runs. Returns false if no earlier run has
 * the row. */
bool gate_test_earlier(const struct gate *gate, struct gate_row *row, pprofc_str key);

/* ---- steps of gate_judge, in the order of their calls; each returns false when out of memory */

/* Chooses wall time or CPU time for benchmarks that have both. */
bool gate_choose_times(struct gate *gate);

/* Warns if most benchmarks drift, if most change in one direction, or if samples are too few. */
bool gate_find_trends(struct gate *gate);

/* Computes the smallest change that each row's test would find. A smaller change may exist even if
 * the row is not a regression. */
bool gate_find_visible(struct gate *gate);

/* ---- two stages ------------------------------------- */

/* Measures in two stages. The first stage runs a few rounds of all benchmarks. In the second stage,
 * only benchmarks that look worse or are too noisy get further rounds. Only the further rounds
 * decide about these benchmarks. Their first rounds do not count: the benchmarks were selected
 * because these rounds looked bad. A look is an early judgement after some of the further rounds.
 * The measurement ends early if a look decides about all selected benchmarks. */

#define GATE_SCREEN_ROUNDS 5  /* number of rounds of all benchmarks in the first stage */
#define GATE_SCREEN_LEAST  10 /* minimum number of requested rounds for two stages */

/* number of further rounds from one look (early judgement) to the next */
#define GATE_LOOK_ROUNDS 5

/* Changes the settings so that gate_judge selects benchmarks for further rounds instead of judging
 * them. */
void gate_screen_settings(struct gate_settings *settings);

/* True if a row needs further rounds. The settings must be from gate_screen_settings. */
bool gate_screen_selects(const struct gate_row *row);

/* True if a look (an early judgement, see above) decides about a row. The row has regressed with a
 * p-value of at most a hundredth of its level, or its interval excludes a regression. `rounds` is
 * the number of further rounds in the plan, at least 1. */
bool gate_look_decides(const struct gate_row *row, size_t rounds);

/* Plan of the second stage (the further rounds). */
struct gate_screen_plan {
  bool all; /* true if every benchmark gets further rounds; then all rounds are judged together */
  size_t rounds; /* number of further rounds */
};

/* Returns the plan of the second stage, which measures `selected` of `count` benchmarks. Both
 * stages together take at most as long as `rounds` rounds of all benchmarks. */
struct gate_screen_plan gate_screen_plan_of(size_t selected, size_t count, size_t rounds);

#endif
