/* The interval of Welch's test, which is computed for rows that are shown. Of the others the judge
 * asks only whether their interval holds a regression, and bounds mostly tell. */
#ifndef PPROFC_GATE_INTERVAL_H
#define PPROFC_GATE_INTERVAL_H

#include "gate/gate.h"

/* Quantiles of t for whole degrees of freedom, at one alpha; 0: not computed. Place 0 has the
 * normal distribution's, which is that of infinitely many degrees. */
#define INTERVAL_DEGREES 128
struct interval_known {
  double alpha;
  double quantile[INTERVAL_DEGREES];
};

struct gate_interval {
  double low, high;
};

/* Gives the row the interval of its delta, from the standard error of delta and Welch's degrees of
 * freedom. */
void gate_interval_set(const struct gate *gate, struct gate_row *row, double error, double degrees);

/* The interval of the row's delta; NaN when not known. */
struct gate_interval gate_interval_of(const struct gate *gate, const struct gate_row *row);

/* Computes the intervals of all rows, for a caller that shows them all: low and high of a row are
 * then its interval. */
void gate_interval_settle(const struct gate *gate);

/* The row has an interval. */
bool gate_interval_exists(const struct gate_row *row);

/* All values of the row's interval are better than a regression of the threshold. */
bool gate_interval_excludes(const struct gate *gate, const struct gate_row *row);

#endif
