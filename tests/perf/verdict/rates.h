/* Error rates of a rule over many simulated comparisons. */
#ifndef PERF_VERDICT_RATES_H
#define PERF_VERDICT_RATES_H

#include "measure.h"
#include "rules.h"

/* Means over comparisons. */
struct rates {
  struct measure any;         /* comparisons with a false alarm */
  struct measure each;        /* share of the judged unchanged functions that raise a false alarm */
  struct measure false_share; /* share of false changes among the changes found */
  struct measure found;       /* share of the changed functions that are found */
  struct measure found_large; /* the same share, of functions with a share of at least 2 % */
  struct measure coverage;    /* share of the intervals that contain the true change */
  struct measure raw;         /* share of the unchanged functions with p < 0.05 */
};

void rates_add(struct rates *rates, const struct noise_draw *draw, const struct rule_answer *said);

/* Draws `count` comparisons. Each rule that `wanted` sets judges all of them. */
void rates_simulate(struct random_source *r, const struct noise_case *what, size_t count,
                    const bool wanted[RULES], struct rates rates[RULES]);

#endif
