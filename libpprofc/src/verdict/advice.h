/* What a comparison can see: how large the change of a row has to be. */
#ifndef PPROFC_VERDICT_ADVICE_H
#define PPROFC_VERDICT_ADVICE_H

struct advice {
  double runs;     /* a side; the harmonic mean of both sides */
  double degrees;  /* of the t distribution; infinite for a pair */
  double prior;    /* those of them that other rows give, or would give with more runs */
  double limit;    /* 1 - alpha / (2 tested) */
  double sampling; /* variance of a run over the square of its value, by sampling ... */
  double noise;    /* ... between runs ... */
  double common;   /* ... and of the common factor */
};

/* The smallest relative change that four comparisons of five find; infinite when there is none:
 * noise grows as fast as the change. */
double advice_change(const struct advice *a);

/* Runs a side that show 5 %, not fewer than 5; infinite when no number of them does. */
double advice_runs(const struct advice *a);

/* How many times as many samples in each run show 5 %, not less than 1; infinite likewise. */
double advice_samples(const struct advice *a);

#endif
