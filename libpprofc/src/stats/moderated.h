/* Estimates the variances of many rows of counts from all rows together, because each row is
 * observed only a few times. The method is Smyth's (2004, "Linear models and empirical Bayes
 * methods"), extended by a lower bound and a trend for counts.
 *
 * The fields of a row: `seen` is its observed variance within base and within head, with `degrees`
 * degrees of freedom. `floor` is its sampling variance. `samples` is its mean number of samples per
 * run. With relative noise cv between runs, `seen` is floor (1 + cv^2 samples) on average. */
#ifndef PPROFC_STATS_MODERATED_H
#define PPROFC_STATS_MODERATED_H

#include "stats/robust.h"

struct variance {
  double seen, floor, samples;
};

struct variance_prior {
  double cv2;     /* square of the relative noise between runs */
  double degrees; /* weight of the variance that the other rows predict, in degrees of freedom */
};

/* Maximum of `degrees` of a prior. It limits the weight of the other rows, so that an unusual
 * variance of a row still counts. */
#define PRIOR_DEGREES_MOST 10.0
/* Minimum number of rows for a prior. With fewer rows, both fields of the prior are 0. */
#define PRIOR_ROWS_MIN 10

/* Estimates the prior from the rows, whose floors must be above 0. `scratch` has space for `count`
 * items. */
struct variance_prior stats_variance_prior(const struct variance *rows, size_t count,
                                           double degrees, struct weighted *scratch);

/* Returns the estimated variance of a row: the mean of expected and observed variance, weighted by
 * their degrees of freedom. The result is at least the sampling variance, and at least the observed
 * variance. */
double stats_moderated_variance(const struct variance_prior *prior, const struct variance *row,
                                double degrees);

#endif
