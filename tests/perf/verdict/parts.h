/* Computes an interval, by several methods, for the share of a change that the found functions
 * explain. */
#ifndef PERF_VERDICT_PARTS_H
#define PERF_VERDICT_PARTS_H

#include "rules.h"

struct part_interval {
  bool bounded; /* false if the method gives no interval */
  double low, high, truth;
};

/* Methods of computing the interval:
 *
 * FIELLER    computes the ratio of two differences of means, with the functions as found
 * SPLITTING  finds the functions in half of the runs, and computes Fieller's interval from the
 *            other half
 * BOOTSTRAP  draws the runs again 400 times, finds the functions in each draw, and uses the
 *            interval of the error of the ratio
 * SHRINKAGE  uses the most likely change of each function, given that the change was found, and
 *            Fieller's interval with the model's variances
 * POSTERIOR  draws each function's change from its distribution, given all functions. A share of
 *            the functions changed, by amounts around a mean */
enum part_way { FIELLER, SPLITTING, BOOTSTRAP, SHRINKAGE, POSTERIOR, PART_WAYS };

/* Returns the interval by one method. `said` is the result of the rule MODEL, with at least one
 * change. */
struct part_interval part_by(enum part_way way, struct random_source *r,
                             const struct noise_draw *draw, const struct rule_answer *said);

/* ---- shared by the files of the methods -------------- */

/* Returns the true share of the marked functions in the change. */
double part_truth(const struct noise_draw *draw, const bool *chosen);
/* Returns the standard error of a row's change. */
double part_error(const struct rule_answer *said, size_t row);
struct part_interval part_posterior(struct random_source *r, const struct noise_draw *draw,
                                    const struct rule_answer *said);

#endif
