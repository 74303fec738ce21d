/* Counts the correct and wrong results of a rule in a comparison. */
#include "rates.h"

#include <math.h>
#include <string.h>

/* Minimum share of a large function in the total. */
#define LARGE_SHARE 0.02

struct rates_count {
  double alarms, unchanged, raw;
  double hits, changed, large_hits, large;
  double covered, intervals;
};

static double rates_share(double part, double whole) {
  return whole > 0 ? part / whole : (double)NAN;
}

static void rates_count_row(struct rates_count *n, const struct noise_draw *draw,
                            const struct rule_answer *said, size_t i) {
  bool changed = draw->truth[i] != 0, large = changed && draw->share[i] >= LARGE_SHARE;
  bool judged = !isnan(said->p[i]);
  n->alarms += !changed && said->changed[i];
  n->unchanged += !changed && judged;
  n->raw += !changed && judged && said->p[i] < 0.05;
  n->changed += changed;
  n->hits += changed && said->changed[i];
  n->large += large;
  n->large_hits += large && said->changed[i];
  n->intervals += judged;
  n->covered += judged && said->low[i] <= draw->truth[i] && draw->truth[i] <= said->high[i];
}

void rates_add(struct rates *rates, const struct noise_draw *draw, const struct rule_answer *said) {
  struct rates_count n = {0};
  for (size_t i = 0; i < draw->rows; i++) rates_count_row(&n, draw, said, i);
  measure_add(&rates->any, n.alarms > 0);
  measure_add(&rates->each, rates_share(n.alarms, n.unchanged));
  measure_add(&rates->false_share, n.alarms / fmax(1, n.alarms + n.hits));
  measure_add(&rates->found, rates_share(n.hits, n.changed));
  measure_add(&rates->found_large, rates_share(n.large_hits, n.large));
  measure_add(&rates->coverage, rates_share(n.covered, n.intervals));
  measure_add(&rates->raw, rates_share(n.raw, n.unchanged));
}

void rates_simulate(struct random_source *r, const struct noise_case *what, size_t count,
                    const bool wanted[RULES], struct rates rates[RULES]) {
  memset(rates, 0, RULES * sizeof *rates);
  for (size_t i = 0; i < count; i++) {
    struct noise_draw draw;
    struct rule_answer said;
    noise_draw(r, what, &draw);
    for (int rule = 0; rule < RULES; rule++) {
      if (!wanted[rule]) continue;
      rule_judge((enum rule_of_runs)rule, &draw, &said);
      rates_add(&rates[rule], &draw, &said);
    }
  }
}
