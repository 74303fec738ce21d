/* Variances of many rows of counts, each seen a few times, that learn from each other (Smyth 2004,
 * "Linear models and empirical Bayes methods", with a floor and a trend for counts).
 *
 * A row has a variance `seen` within the sides, with `degrees` degrees of freedom, the variance
 * `floor` that sampling alone gives it, and a mean of `samples` samples a run. Noise between runs
 * of the relative size cv makes seen = floor (1 + cv^2 samples) on average. */
#ifndef PPROFC_STATS_MODERATED_H
#define PPROFC_STATS_MODERATED_H

#include "stats/robust.h"

struct variance {
  double seen, floor, samples;
};

struct variance_prior {
  double cv2;     /* square of the relative noise between runs */
  double degrees; /* what the other rows are worth, in degrees of freedom */
};

/* At most so many degrees of freedom come from the other rows: a row of wild variance needs its own
 * to be heard. */
#define PRIOR_DEGREES_MOST 10.0
/* Fewer rows teach nothing: both members of the prior are 0. */
#define PRIOR_ROWS_LEAST 10

/* What the rows teach; rows whose floor is 0 are not to be among them. `scratch` has room for
 * `count` items. */
struct variance_prior stats_variance_prior(const struct variance *rows, size_t count,
                                           double degrees, struct weighted *scratch);

/* The variance of a row: the mean of what is expected and what was seen, and never below sampling
 * or below what was seen. */
double stats_moderated_variance(const struct variance_prior *prior, const struct variance *row,
                                double degrees);

#endif
