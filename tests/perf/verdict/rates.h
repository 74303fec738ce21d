/* Error rates of a rule over many simulated comparisons. */
#ifndef PERF_VERDICT_RATES_H
#define PERF_VERDICT_RATES_H

#include "measure.h"
#include "rules.h"

/* Means over all comparisons. */
struct rates {
  struct measure any;         /* share of comparisons with at least one false alarm */
  struct measure each;        /* share of the judged unchanged functions that raise a false alarm */
  struct measure false_share; /* share of false changes among the changes found */
  struct measure found;       /* share of the changed functions that are found */
  struct measure found_large; /* share of the changed functions that are found, among functions with
                                 at least 2 % of the total */
  struct measure coverage;    /* share of the intervals that contain the true change */
  struct measure raw;         /* share of the unchanged functions with p < 0.05 */
};

void rates_add(struct rates *rates, const struct noise_draw *draw, const struct rule_answer *said);

/* Draws `count` comparisons. Each rule that is set in `wanted` judges all of them. */
void rates_simulate(struct random_source *r, const struct noise_case *what, size_t count,
                    const bool wanted[RULES], struct rates rates[RULES]);

#endif
