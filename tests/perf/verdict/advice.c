/* The smallest change that a report says could have been seen: how often it is found. */
#include "figures.h"
#include "rates.h"
#include "tables.h"

#include "pprofc/stats.h"
#include "stats/moderated.h"

#include <math.h>
#include <stdio.h>

/* The function that changes has this share, among sixty. */
#define ADVICE_SHARE 0.05

/* The noise between runs that the report knows of: what functions vary by in the middle. A pair
 * assumes 5 %. */
static double advice_noise(const struct noise_case *what) {
  return what->side == 1 || what->model == OVER ? 0.05 : 0;
}

/* Few runs have more often a variance that is larger than the true one, and the larger one counts.
 */
static double advice_excess(size_t side) {
  if (side == 1) return 1;
  if (side == 2) return 1.45;
  return side < 5 ? 1.2 : 1.15;
}

/* Standard errors that a lone change must have: to be significant among all, and 80 % of the time.
 */
static double advice_factor(const struct noise_case *what) {
  double level = 1 - RULE_ALPHA / (2 * (double)what->rows);
  double degrees = 2 * (double)what->side - 2 + PRIOR_DEGREES_MOST;
  bool pair = what->side == 1;
  double quantile = pair ? pprofc_normal_quantile(level) : pprofc_t_quantile(level, degrees);
  return advice_excess(what->side) * (quantile + 0.85);
}

/* As docs/VERDICTS.md has it: a function that grows has more noise, too. */
static double advice_change(const struct noise_case *what) {
  double samples = what->samples * ADVICE_SHARE, noise = advice_noise(what), change = 0;
  for (int i = 0; i < 100; i++) {
    double middle = 1 + change / 2, variance = middle / samples + noise * noise * middle * middle;
    change = advice_factor(what) * sqrt(2 / (double)what->side * variance);
  }
  return change;
}

/* Where noise is what the formula takes it for, power is 80 % or so. Under `over` each function has
 * a noise of its own, which no report knows before. */
static void advice_check(struct figures *f, const struct noise_case *what,
                         const struct measure *found) {
  snprintf(f->row, sizeof f->row, "the change that could be seen, %s, %zu runs, %.0f samples",
           noise_names[what->model], what->side, what->samples);
  if (what->model == POISSON)
    figures_require(f, measure_at_least(found, 0.7), "power", measure_mean(found));
}

static void advice_print_row(struct figures *f, struct noise_case *what, uint64_t seed,
                             size_t count) {
  static const bool wanted[RULES] = {false, false, false, true};
  struct random_source r = {seed};
  struct rates rates[RULES];
  what->effect = advice_change(what);
  rates_simulate(&r, what, count, wanted, rates);
  printf("| %s | %zu | %.0f | %.0f %% | %.3f |\n", noise_names[what->model], what->side,
         what->samples, 100 * what->effect, measure_mean(&rates[MODEL].found));
  fflush(stdout);
  advice_check(f, what, &rates[MODEL].found);
}

bool table_of_advice(size_t count) {
  static struct figures f;
  static const size_t sides[] = {1, 2, 3, 5, 10};
  static const double samples[] = {1000, 7000, 50000};
  uint64_t seed = 6000;
  f = (struct figures){.good = true};
  printf("The smallest change of a function of %.0f %% that could be seen, by the formula, and the"
         " share of %zu comparisons that find it.\n\n"
         "| noise | N | samples | change | found |\n| --- | --: | --: | --: | --: |\n",
         100 * ADVICE_SHARE, count);
  for (int model = POISSON; model <= OVER; model++)
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
      for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        struct noise_case what = {.model = (enum noise_model)model,
                                  .side = sides[s],
                                  .samples = samples[k],
                                  .in_turns = true,
                                  .rows = 60,
                                  .lone_share = ADVICE_SHARE};
        advice_print_row(&f, &what, seed++, count);
      }
  return figures_end(&f);
}
