/* Converts the results of a fit to differences of recorded amounts. The fit has removed the common
 * factor (model.h), and recorded amounts contain it. */
#ifndef PPROFC_VERDICT_RECORDED_H
#define PPROFC_VERDICT_RECORDED_H

#include "verdict/compare.h"

struct recorded_rows {
  const struct comparison *c;
  const struct matrix *m;
  const struct fit *fit;
  bool plain;            /* one constant factor converts all judged values to recorded ones */
  double log_scale[2];   /* per side, log of the factor from judged to recorded values */
  double error[2];       /* for each side, variance of the mean of log_scale over the runs */
  double degrees;        /* degrees of freedom of `error`; infinite with one run each */
  double change, half;   /* log of the factor between base and head, half its interval */
  double p;              /* two-sided p-value of this shared factor */
  pprofc_verdict common; /* verdict on it; PPROFC_VERDICT_UNKNOWN without common factor */
  double stretch;        /* factor that widens intervals because runs have unequal lengths */
};

/* Prepares the conversion for the rows of a fit. */
void recorded_begin(struct recorded_rows *r, const struct comparison *c, const struct matrix *m,
                    const struct fit *fit);

/* Fills in the fields of the summary about the common factor. */
void recorded_common(const struct recorded_rows *r, pprofc_verdict_summary *summary);

/* Fills in a row's recorded values, interval, and shown verdict, which follows from e->own. */
void recorded_fill(const struct recorded_rows *r, size_t row, pprofc_verdict_estimate *e);

/* Returns a row's judged difference, for cum without the environment (rules.h). */
double recorded_judged(const struct recorded_rows *r, size_t row);

/* Computes the interval of a row. Its upper end is at the quantile `tail`. */
void recorded_interval(const struct recorded_rows *r, size_t row, double tail, double *low,
                       double *high);

/* Returns the verdict "grew" or "shrank" if p is significant at 5 %, else "unchanged". */
pprofc_verdict recorded_word(double delta, double p);

/* Return Student's t quantile; its two-sided p-value. Infinite degrees: normal distribution. */
double recorded_quantile(double tail, double degrees);
double recorded_p(double t, double degrees);

#endif
