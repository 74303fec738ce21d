/* Converts the results of a fit to differences of recorded amounts. The fit has removed the common
 * factor (model.h), and recorded amounts contain it. */
#ifndef PPROFC_VERDICT_RECORDED_H
#define PPROFC_VERDICT_RECORDED_H

#include "verdict/compare.h"

struct recorded_rows {
  const struct comparison *c;
  const struct matrix *m;
  const struct fit *fit;
  bool plain; /* true if the same constant factor converts each judged value to a recorded value */
  double log_scale[2]; /* for each side, logarithm of the factor that converts a judged value to a
                          recorded value */
  double error[2];     /* for each side, variance of the mean of log_scale over the runs */
  double
      degrees; /* degrees of freedom of the variance `error`; infinite with one run on each side */
  double change, half;   /* logarithm of the factor between base and head that all rows of the fit
                            share, and half the width of its interval */
  double p;              /* two-sided p-value of this shared factor */
  pprofc_verdict common; /* verdict on this shared factor; PPROFC_VERDICT_UNKNOWN if the fit has no
                            common factor */
  double stretch;        /* factor that widens intervals because runs have unequal lengths */
};

/* Prepares the conversion for the rows of a fit. */
void recorded_begin(struct recorded_rows *r, const struct comparison *c, const struct matrix *m,
                    const struct fit *fit);

/* Fills in the fields of the summary about the common factor. */
void recorded_common(const struct recorded_rows *r, pprofc_verdict_summary *summary);

/* Fills in the recorded values of a row, their interval, and the verdict to show. That verdict
 * follows from e->own. */
void recorded_fill(const struct recorded_rows *r, size_t row, pprofc_verdict_estimate *e);

/* Returns the judged difference of a row. For cum, it excludes time of the environment (rules.h).
 */
double recorded_judged(const struct recorded_rows *r, size_t row);

/* Computes the interval of a row. Its upper end is at the quantile `tail`. */
void recorded_interval(const struct recorded_rows *r, size_t row, double tail, double *low,
                       double *high);

/* Returns the verdict "grew" or "shrank" if p is significant at 5 %, else "unchanged". */
pprofc_verdict recorded_word(double delta, double p);

/* The first function returns the quantile of Student's t distribution, the second the two-sided
 * p-value. For infinite degrees of freedom, both use the normal distribution. */
double recorded_quantile(double tail, double degrees);
double recorded_p(double t, double degrees);

#endif
