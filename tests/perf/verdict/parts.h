/* Ways to put an interval around the part of a change that the functions found explain. */
#ifndef PERF_VERDICT_PARTS_H
#define PERF_VERDICT_PARTS_H

#include "rules.h"

struct part_interval {
  bool bounded; /* false: no part can be given */
  double low, high, truth;
};

/* FIELLER    the ratio of two differences of means, functions as they were found
 * SPLITTING  functions are found in half of the runs, Fieller's interval is of the other half
 * BOOTSTRAP  runs are drawn anew 400 times, functions are found anew each time, and the interval is
 *            of what the ratio is off by
 * SHRINKAGE  each function's change is the likeliest one, given that it was found; Fieller's
 *            interval with the model's variances
 * POSTERIOR  every function's change is a draw from its distribution, given all of them: a share of
 *            the functions changed, by amounts around a mean */
enum part_way { FIELLER, SPLITTING, BOOTSTRAP, SHRINKAGE, POSTERIOR, PART_WAYS };

/* The interval by one way; `said` is MODEL's answer, with a change at least. */
struct part_interval part_by(enum part_way way, struct random_source *r,
                             const struct noise_draw *draw, const struct rule_answer *said);

/* ---- between the files of the ways ------------------- */

/* The true part of the functions that are marked. */
double part_truth(const struct noise_draw *draw, const bool *chosen);
/* The standard error of a row's change. */
double part_error(const struct rule_answer *said, size_t row);
struct part_interval part_posterior(struct random_source *r, const struct noise_draw *draw,
                                    const struct rule_answer *said);

#endif
