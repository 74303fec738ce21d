/* Computes the smallest change of a row that a comparison can find, and how many runs or samples
 * find a change of 5 %. */
#ifndef PPROFC_VERDICT_ADVICE_H
#define PPROFC_VERDICT_ADVICE_H

struct advice {
  double runs;    /* number of runs on each side: the harmonic mean of both numbers */
  double degrees; /* degrees of freedom of the t distribution; infinite with one run on each side */
  double prior;   /* degrees of freedom that other rows add; with one run on each side, the number
                     that several runs would have */
  double limit;   /* quantile of the significance limit: 1 - alpha / (2 tested) */
  double sampling; /* sampling variance of a run, relative to the square of its value */
  double noise;    /* relative variance between runs */
  double common;   /* relative variance of the common factor (the factor that all functions of a run
                      share) */
};

/* Returns the smallest relative change that a comparison finds in 80 % of cases. The result is
 * infinite if noise grows as fast as the change. */
double advice_change(const struct advice *a);

/* Returns the number of runs on each side that find a change of 5 %, at least 5. The result is
 * infinite if no number suffices. */
double advice_runs(const struct advice *a);

/* Returns the factor of the number of samples at which a change of 5 % is found, at least 1. The
 * result is infinite if no factor suffices. */
double advice_samples(const struct advice *a);

#endif
