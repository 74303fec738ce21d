/* Error rates of a rule over many simulated comparisons. */
#ifndef PERF_VERDICT_RATES_H
#define PERF_VERDICT_RATES_H

#include "measure.h"
#include "rules.h"

/* Each is a mean over comparisons. */
struct rates {
  struct measure any;         /* with a false alarm */
  struct measure each;        /* of the unchanged functions that were judged, those with one */
  struct measure false_share; /* of the changes found, those that are none */
  struct measure found;       /* of the functions that changed, those found */
  struct measure found_large; /* the same, of the functions of 2 % and more */
  struct measure coverage;    /* of the intervals, those that hold the true change */
  struct measure raw;         /* of the unchanged functions, those with p < 0.05 */
};

void rates_add(struct rates *rates, const struct noise_draw *draw, const struct rule_answer *said);

/* Draws `count` comparisons, and lets each rule that `wanted` has set judge all of them. */
void rates_simulate(struct random_source *r, const struct noise_case *what, size_t count,
                    const bool wanted[RULES], struct rates rates[RULES]);

#endif
