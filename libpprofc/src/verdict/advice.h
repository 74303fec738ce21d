/* Computes the smallest change of a row that a comparison finds, and the samples for 5 %. */
#ifndef PPROFC_VERDICT_ADVICE_H
#define PPROFC_VERDICT_ADVICE_H

struct advice {
  double runs;    /* number of runs on each side: the harmonic mean of both numbers */
  double degrees; /* degrees of freedom of the t distribution; infinite with one run on each side */
  double prior;   /* degrees of freedom of other rows; one run each: as with several runs */
  double limit;   /* quantile of the significance limit: 1 - alpha / (2 tested) */
  double sampling; /* sampling variance of a run, relative to the square of its value */
  double noise;    /* relative variance between runs */
  double common;   /* relative variance of the factor that all functions of a run share */
};

/* Returns the smallest change found in 80 % of cases, infinite if noise grows as fast as it. */
double advice_change(const struct advice *a);

/* Returns the runs on each side, at least 5, that find a change of 5 %, or infinity. */
double advice_runs(const struct advice *a);

/* Returns the factor, at least 1, of the samples that find a change of 5 %, or infinity. */
double advice_samples(const struct advice *a);

#endif
