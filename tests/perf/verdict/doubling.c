/* Judges only functions in which the test could see a doubling, as with -min_samples=0. Measures
 * how many more changes this finds, and its false alarms. */
#include "figures.h"
#include "rates.h"
#include "tables.h"

#include <stdio.h>

/* Size of a doubling in standard errors, as in verdict/family.c. */
#define DOUBLING_ERRORS 4.5

static const enum noise_model doubling_models[] = {POISSON, OVER, BURSTY, OUTLIER, DRIFT};
static const size_t doubling_runs[] = {2, 3, 5, 10};

static struct rates doubling_simulate(const struct noise_case *what, size_t count, unsigned seed) {
  static const bool wanted[RULES] = {false, false, false, true};
  struct random_source r = {seed};
  struct rates rates[RULES];
  rates_simulate(&r, what, count, wanted, rates);
  return rates[MODEL];
}

static void doubling_print(struct figures *f, const struct noise_case *what, size_t count,
                           unsigned seed) {
  struct noise_case all = *what, large = *what;
  large.least = DOUBLING_ERRORS * DOUBLING_ERRORS * 2 / (double)what->side;
  struct rates before = doubling_simulate(&all, count, seed);
  struct rates after = doubling_simulate(&large, count, seed);
  large.changed = 0;
  struct rates none = doubling_simulate(&large, count, seed);
  snprintf(f->row, sizeof f->row, "doubling, %s, %zu runs a side", noise_names[what->model],
           what->side);
  printf("| %s | %zu | %.3f | %.3f | %.3f | %.3f |\n", noise_names[what->model], what->side,
         measure_mean(&before.found_large), measure_mean(&after.found_large),
         measure_mean(&after.false_share), measure_mean(&none.any));
  fflush(stdout);
  figures_require(f, measure_at_least(&after.found_large, measure_mean(&before.found_large) - 0.01),
                  "power", measure_mean(&after.found_large));
  if (what->side < 3) return;
  figures_require(f, measure_at_most(&none.any, what->model == BURSTY ? 0.10 : 0.05),
                  "comparisons with a false alarm", measure_mean(&none.any));
}

bool table_of_doubling(size_t count) {
  static struct figures f;
  f = (struct figures){.good = true};
  printf("One function of ten changed by 40 %%, 1,500 samples a run, %zu comparisons.\n\n"
         "| noise | N | found, all judged | found, doublings judged | false of these | nothing "
         "changed: a false alarm |\n| --- | --: | --: | --: | --: | --: |\n",
         count);
  for (size_t m = 0; m < sizeof doubling_models / sizeof *doubling_models; m++)
    for (size_t n = 0; n < sizeof doubling_runs / sizeof *doubling_runs; n++) {
      const struct noise_case what = {.model = doubling_models[m],
                                      .side = doubling_runs[n],
                                      .samples = 1500,
                                      .in_turns = true,
                                      .rows = 80,
                                      .changed = 8,
                                      .effect = 0.4};
      doubling_print(&f, &what, count, 6000 + 10 * (unsigned)m + (unsigned)n);
    }
  return figures_end(&f);
}
