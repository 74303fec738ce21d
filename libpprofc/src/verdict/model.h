/* Statistics of a comparison. Computes an estimate for each function from a matrix of values, which
 * has a row per function and a column per run. The computation does not use profiles.
 * docs/method/verdicts.md explains the method. The common factor of a run is the factor by which
 * the values of all its functions differ from the mean of the runs. For example, a slower machine
 * makes all values larger. The common factor is estimated from the functions themselves, and
 * removed before a function is judged. If only sums over runs are known, a column is base or head,
 * and `grouped` describes its runs. */
#ifndef PPROFC_VERDICT_MODEL_H
#define PPROFC_VERDICT_MODEL_H

#include "stats/stats.h"

/* Data for columns that are sums over several runs. A rate is a value divided by its exposure (the
 * divisor of a run's values, such as its duration). */
struct grouped {
  const double *sizes;   /* number of runs in each column */
  const double *rates;   /* for each row and column, the mean rate over the runs of the column */
  const double *squares; /* for each row and column, sum of squared deviations of the runs' rates
                            from their mean */
  const double *inverse; /* for each column, sum of 1 / exposure (divisor) over its runs */
};

struct matrix {
  size_t rows, runs, bases; /* number of rows, number of columns, and number of columns of the base,
                               which come before the columns of the head */
  const double *values;     /* recorded value for each row and column */
  const double *quantum; /* for each row, sampling variance per unit of value; 0 for exact values */
  const double *exposure; /* for each column, divisor of its values, such as its duration */
  const bool *aside;      /* for each row, true if it must not be judged */
  bool nested;            /* true if rows overlap because their values include callees (cum) */
  const struct grouped
      *grouped; /* data of columns that are sums over runs; NULL if each column is a run */
  /* for each row that is a sum of functions: (sum of n^2) / (sum of n)^2, where n is the number of
   * samples of a function; NULL if each row is a function */
  const double *density;
};

struct model_settings {
  /* assumed coefficient of variation of each function between runs; used only with one run each of
   * base and head */
  double noise_cv;
  double min_samples; /* minimum number of samples over all runs for judging a function */
  /* true if the model removes the factor that all functions of a run share before it judges
   * functions */
  bool common;
};

struct estimate {
  double base, head; /* for base and head, mean of value / divisor (model.scaled) */
  double delta, low, high;
  double p;       /* p-value; NaN if not tested */
  double samples; /* mean number of samples per run */
  bool tested;
};

struct fit {
  double *common; /* for each column, the factor by which the values of all its functions are larger
                     or smaller; 1 without a common factor */
  bool has_common;     /* true if there are enough functions to estimate the common factor */
  double common_error; /* relative variance of `common`; 0 without a common factor */
  /* with several runs of base or of head: squared coefficient of variation between runs */
  double cv2;
  /* with several runs of base or of head: degrees of freedom that the variances of the other
   * functions add to the variance of a function */
  double prior;
  /* degrees of freedom of the t distribution; infinite with one run each of base and head */
  double degrees;
  /* with one run each of base and head: observed variance of the functions divided by the expected
   * variance */
  double dispersion;
  size_t tested;       /* number of tested rows */
  struct estimate *of; /* estimate for each row */
};

/* Judges the rows of `m`, which has at least one run on each side (base and head). With one run on
 * each side, uses a score test. With more runs, uses moderated t-tests. Allocates the result in
 * `arena`. */
pprofc_status model_fit(const struct matrix *m, const struct model_settings *settings,
                        struct arena *arena, struct fit *fit, pprofc_error *error);

/* Judges the rows of `m`. Takes the noise and the factor that all functions of a run share from
 * `known`, a fit of other rows of the same runs. Returns false when out of memory. */
bool model_apply(const struct matrix *m, const struct model_settings *settings,
                 const struct fit *known, struct arena *arena, struct fit *fit);

/* Computes the confidence interval of a row's change. The upper end of the interval is at the
 * quantile `tail`. For a 95 % interval, `tail` is 0.975, as in model_fit. */
void model_interval(const struct matrix *m, double noise_cv, const struct fit *fit, size_t row,
                    double tail, double *low, double *high);

/* ---- shared by the files of the model ---------------- */

/* Limit of the unadjusted p-value in the first round of tests. Rows with a smaller p-value do not
 * contribute, in the second round, to the factor that all functions of a run share. */
#define MODEL_SUSPECT 0.05
/* quantile for the upper end of a 95 % interval */
#define MODEL_TAIL 0.975

struct model {
  const struct matrix *m;
  const struct model_settings *settings;
  struct fit *fit;
  const struct fit *known; /* fit that gives the noise; NULL if the noise must be estimated */
  double run_count;        /* number of runs in all columns together */
  /* for each column, the number that divides its values: exposure (such as duration) times common
   * factor */
  double *scaled;
  double *scratch, *squares; /* scratch memory with one number per row */
  struct weighted *medians;  /* scratch memory with one element per row */
  /* first half: variances of the rows from which the prior (struct variance_prior) is estimated;
   * second half: variances of all rows */
  struct variance *variances;
  bool *suspect; /* for each row, true if it changed in the first round of tests */
};

/* Returns the number of samples in a value. It is the value divided by the row's sampling variance
 * per unit of value. */
static inline double model_samples(const struct matrix *m, size_t row, double value) {
  return m->quantum[row] > 0 ? value / m->quantum[row] : value;
}

/* Returns the relative variance of a row between runs, divided by the relative variance of a
 * function. This is 1 for a function, and less for a sum of functions with independent noise. */
static inline double model_density(const struct matrix *m, size_t row) {
  return m->density ? m->density[row] : 1;
}

/* model_size returns the number of runs in a column. model_sizes returns the number of runs in the
 * columns [from, end). */
static inline double model_size(const struct matrix *m, size_t column) {
  return m->grouped ? m->grouped->sizes[column] : 1;
}
double model_sizes(const struct matrix *m, size_t from, size_t end);

/* Returns the rate of a row: the mean of value / exposure (divisor, such as the duration) over the
 * runs of a column. */
static inline double model_rate(const struct matrix *m, size_t row, size_t column) {
  size_t at = row * m->runs + column;
  return m->grouped ? m->grouped->rates[at] : m->values[at] / m->exposure[column];
}

/* Both functions test every row once. model_pair_test needs exactly one run each of base and head,
 * and model_runs_test is for more runs. */
void model_pair_test(struct model *model);
void model_runs_test(struct model *model);
/* Mean and sum of squared deviations of a row over the runs of some columns. First divides each
 * value by the exposure (such as the duration) of its run, and by the factor that all functions of
 * the run share. */
struct row_spread {
  double mean, squares;
};
struct row_spread model_spread(const struct matrix *m, const struct fit *fit, size_t row,
                               size_t from, size_t end);
/* Computes the confidence interval of a row's change, for one run on each side (base and head). It
 * extends by z standard errors in both directions. `scaled` has the numbers that divide the values
 * of base and head. `run_cv` is the noise that changes all functions of a run by the same
 * factor. */
void model_pair_interval(const struct matrix *m, double noise_cv, double run_cv,
                         const struct fit *fit, const double scaled[2], size_t row, double z,
                         double *low, double *high);

/* ---- advice ----------------------------------------- */

/* Numbers from which advice_change, advice_runs and advice_samples compute their results. */

struct advice {
  double runs; /* number of runs in base and in head; harmonic mean if both numbers differ */
  /* degrees of freedom of the t distribution; infinite with one run each of base and head */
  double degrees;
  /* degrees of freedom that the variances of other rows add to the variance of this row; with one
   * run each of base and head, PRIOR_DEGREES_MOST */
  double prior;
  double limit; /* probability whose quantile is the limit of significance: 1 - alpha / (2 * number
                   of tested rows) */
  double sampling; /* sampling variance of the row in one run, relative to the square of the row's
                      value */
  double noise;    /* relative variance between runs */
  double common;   /* relative variance of the common factor (the factor that all functions of a run
                      share) */
};

/* Returns the smallest relative change that a comparison finds in 80 % of cases. The result is
 * infinite if noise grows as fast as the change. */
double advice_change(const struct advice *a);

/* Returns the number of runs in base and in head that are needed to find a change of 5 %, at least
 * 5. The result is infinite if no number suffices. */
double advice_runs(const struct advice *a);

/* Returns the factor by which the number of samples must grow to find a change of 5 %, at least 1.
 * The result is infinite if no factor suffices. */
double advice_samples(const struct advice *a);

#endif
