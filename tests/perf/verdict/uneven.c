/* Simulates comparisons without a change, in which the base has fewer runs than the head. An
 * example is a new build compared with an old recording. The reference has no such cases; the
 * targets for equal numbers of runs apply. */
#include "figures.h"
#include "rates.h"
#include "tables.h"

#include <stdio.h>

struct uneven_sides {
  size_t bases, heads;
};

static const struct uneven_sides uneven_rows[] = {{1, 2}, {1, 5}, {1, 10}, {2, 2}, {2, 5}, {3, 10}};

/* Checks a row. One base run does not show its noise, and two runs per side show little: with the
 * noise OUTLIER, such rows raise more than 5 % alarms. These rows have no target for false
 * alarms. */
static void uneven_check(struct figures *f, const struct noise_case *what, const struct rates *r) {
  snprintf(f->row, sizeof f->row, "nothing changed, %s, %zu and %zu runs", noise_names[what->model],
           what->fewer, what->side);
  figures_require(f, measure_at_least(&r->coverage, 0.94), "coverage", measure_mean(&r->coverage));
  if (what->fewer > 1 && what->fewer + what->side >= 5)
    figures_require(f, measure_at_most(&r->any, what->model == BURSTY ? 0.10 : 0.05),
                    "comparisons with a false alarm", measure_mean(&r->any));
}

static void uneven_print_row(struct figures *f, const struct uneven_sides *sides, uint64_t seed,
                             size_t count) {
  static const bool wanted[RULES] = {false, false, false, true};
  printf("| %zu + %zu |", sides->bases, sides->heads);
  for (int model = 0; model < NOISE_MODELS; model++) {
    struct random_source r = {seed + (uint64_t)model};
    struct noise_case what = {.model = (enum noise_model)model,
                              .side = sides->heads,
                              .fewer = sides->bases,
                              .samples = 7000,
                              .in_turns = true,
                              .rows = 80};
    struct rates rates[RULES];
    rates_simulate(&r, &what, count, wanted, rates);
    printf(" %.3f, %.3f |", measure_mean(&rates[MODEL].any), measure_mean(&rates[MODEL].coverage));
    uneven_check(f, &what, &rates[MODEL]);
  }
  printf("\n");
  fflush(stdout);
}

bool table_of_uneven_sides(size_t count) {
  static struct figures f;
  f = (struct figures){.good = true};
  printf("Nothing changed, fewer runs of the base, 7000 samples: share of %zu comparisons with a"
         " false alarm, coverage.\n\n| runs |",
         count);
  for (int model = 0; model < NOISE_MODELS; model++) printf(" %s |", noise_names[model]);
  printf("\n| --- |");
  for (int model = 0; model < NOISE_MODELS; model++) printf(" --: |");
  printf("\n");
  for (size_t i = 0; i < sizeof uneven_rows / sizeof *uneven_rows; i++)
    uneven_print_row(&f, &uneven_rows[i], 7000 + 10 * i, count);
  return figures_end(&f);
}
