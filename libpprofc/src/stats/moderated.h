/* Estimates the variances of many rows of counts, each observed a few times, from all rows together
 * (Smyth 2004, "Linear models and empirical Bayes methods", with a floor and a trend for counts).
 *
 * A row has an observed variance `seen` within the sides, with `degrees` degrees of freedom, the
 * sampling variance `floor`, and a mean of `samples` samples per run. Noise between runs of the
 * relative size cv makes seen = floor (1 + cv^2 samples) on average. */
#ifndef PPROFC_STATS_MODERATED_H
#define PPROFC_STATS_MODERATED_H

#include "stats/robust.h"

struct variance {
  double seen, floor, samples;
};

struct variance_prior {
  double cv2;     /* square of the relative noise between runs */
  double degrees; /* weight of the other rows, in degrees of freedom */
};

/* Maximum degrees of freedom that the other rows give a row, so that a row with an unusual variance
 * keeps some weight. */
#define PRIOR_DEGREES_MOST 10.0
/* Minimum number of rows for a prior; with fewer rows both members of the prior are 0. */
#define PRIOR_ROWS_MIN 10

/* Estimates the prior from the rows, whose floors must be above 0. `scratch` has room for
 * `count` items. */
struct variance_prior stats_variance_prior(const struct variance *rows, size_t count,
                                           double degrees, struct weighted *scratch);

/* Returns the variance of a row: the mean of expected and observed variance, but at least the
 * sampling variance and the observed variance. */
double stats_moderated_variance(const struct variance_prior *prior, const struct variance *row,
                                double degrees);

#endif
