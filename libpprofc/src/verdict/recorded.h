/* Converts the results of a fit after the common factor into differences of recorded amounts. */
#ifndef PPROFC_VERDICT_RECORDED_H
#define PPROFC_VERDICT_RECORDED_H

#include "verdict/compare.h"

struct recorded_rows {
  const struct comparison *c;
  const struct matrix *m;
  const struct fit *fit;
  bool plain;          /* true if judged and recorded values differ only by one constant factor */
  double log_scale[2]; /* logarithm of the factor from a judged value to a recorded value, for each
                          side */
  double error[2];     /* variance of the mean of log_scale over the runs, for each side */
  double degrees;      /* degrees of freedom of that variance; infinite for a pair */
  double stretch;      /* factor of the half width for runs of unequal length */
};

/* Prepares the conversion for the rows of a fit. */
void recorded_begin(struct recorded_rows *r, const struct comparison *c, const struct matrix *m,
                    const struct fit *fit);

/* Fills the common factor of the summary. */
void recorded_common(const struct recorded_rows *r, pprofc_verdict_summary *summary);

/* Fills the recorded values of a row, their interval, and the verdict to show from e->own. */
void recorded_fill(const struct recorded_rows *r, size_t row, pprofc_verdict_estimate *e);

/* Returns the part of a row's difference that is judged. For cum it excludes the time of the
 * machine. */
double recorded_judged(const struct recorded_rows *r, size_t row);

/* Computes the interval of a row whose upper end is at the quantile `tail`. */
void recorded_interval(const struct recorded_rows *r, size_t row, double tail, double *low,
                       double *high);

/* Returns grew or shrank if p excludes 0 at the level of 95 %, else unchanged. */
pprofc_verdict recorded_word(double delta, double p);

/* Return the quantile and the two-sided p of Student's distribution, or of the normal one for
 * infinite degrees. */
double recorded_quantile(double tail, double degrees);
double recorded_p(double t, double degrees);

#endif
