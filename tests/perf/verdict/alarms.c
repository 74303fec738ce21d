/* Measures how often each rule raises an alarm although nothing has changed. */
#include "figures.h"
#include "rates.h"
#include "tables.h"

#include <stdio.h>

/* Number of comparisons from which the reference means were computed. */
#define OTHERS_COUNT 60
#define MODEL_COUNT  50

struct alarms_row {
  enum noise_model model;
  bool in_turns;
  size_t side;
  double samples;
  double sums, welch, model_any, coverage; /* reference figures */
};

static const struct alarms_row alarms_rows[] = {
    {POISSON, true, 3, 7000, 0.15, 0.05, 0.00, 0.977},
    {POISSON, true, 5, 7000, 0.02, 0.02, 0.00, 0.973},
    {POISSON, true, 10, 7000, 0.05, 0.03, 0.00, 0.965},
    {OVER, true, 3, 7000, 0.75, 0.03, 0.02, 0.969},
    {OVER, true, 5, 7000, 0.78, 0.03, 0.00, 0.968},
    {OVER, true, 10, 7000, 0.83, 0.08, 0.02, 0.956},
    {BURSTY, true, 3, 7000, 1.00, 0.00, 0.02, 0.949},
    {BURSTY, true, 5, 7000, 0.98, 0.00, 0.02, 0.952},
    {BURSTY, true, 10, 7000, 0.98, 0.05, 0.10, 0.953},
    {OUTLIER, true, 3, 7000, 0.90, 0.02, 0.08, 0.972},
    {OUTLIER, true, 5, 7000, 0.77, 0.05, 0.02, 0.972},
    {OUTLIER, true, 10, 7000, 0.92, 0.05, 0.02, 0.965},
    {DRIFT, true, 3, 7000, 0.20, 0.00, 0.00, 0.977},
    {DRIFT, true, 5, 7000, 0.10, 0.02, 0.00, 0.971},
    {DRIFT, true, 10, 7000, 0.07, 0.02, 0.00, 0.971},
    {DRIFT, false, 3, 7000, 0.97, 0.03, 0.04, 0.969},
    {DRIFT, false, 5, 7000, 1.00, 0.42, 0.00, 0.961},
    {DRIFT, false, 10, 7000, 1.00, 0.95, 0.02, 0.951},
    {POISSON, true, 1, 700, 0.02, NO_REFERENCE, 0.02, 0.981},
    {POISSON, true, 1, 7000, 0.05, NO_REFERENCE, 0.08, 0.974},
    {BURSTY, true, 1, 700, 0.98, NO_REFERENCE, 0.08, 0.988},
    {BURSTY, true, 1, 7000, 0.98, NO_REFERENCE, 0.08, 0.960},
    {DRIFT, true, 1, 700, 0.18, NO_REFERENCE, 0.00, 0.985},
    {DRIFT, true, 1, 7000, 0.95, NO_REFERENCE, 0.02, 0.969},
    {OVER, true, 1, 700, 0.20, NO_REFERENCE, 0.08, 0.978},
    {OVER, true, 1, 7000, 0.75, NO_REFERENCE, 0.36, 0.945},
    {OUTLIER, true, 1, 700, 0.22, NO_REFERENCE, 0.14, 0.976},
    {OUTLIER, true, 1, 7000, 0.92, NO_REFERENCE, 0.68, 0.945},
};

/* Checks limits that do not depend on the reference, for several runs per side. Intervals may be
 * slightly too wide. Clusters of samples are the most difficult noise. */
static void alarms_check(struct figures *f, const struct alarms_row *row, const struct rates *r) {
  if (row->side == 1) return;
  figures_require(f, measure_at_most(&r->any, row->model == BURSTY ? 0.10 : 0.05),
                  "comparisons with a false alarm", measure_mean(&r->any));
  figures_require(f, measure_at_least(&r->coverage, 0.94), "coverage", measure_mean(&r->coverage));
  figures_require(f, measure_at_most(&r->coverage, 0.98), "coverage", measure_mean(&r->coverage));
}

static void alarms_print(struct figures *f, const struct alarms_row *row, struct rates *r) {
  const char *order = row->in_turns ? "" : ", base first";
  snprintf(f->row, sizeof f->row, "nothing changed, %s%s, %zu runs a side, %.0f samples",
           noise_names[row->model], order, row->side, row->samples);
  printf("| %s%s | %zu | %.0f |", noise_names[row->model], order, row->side, row->samples);
  figures_print(f, FIGURE_SHARE, "threshold", &r[THRESHOLD].any,
                &(struct reference){1, OTHERS_COUNT, 2});
  figures_print(f, FIGURE_SHARE, "z", &r[SUMS].any,
                &(struct reference){row->sums, OTHERS_COUNT, 2});
  figures_print(f, FIGURE_SHARE, "Welch", &r[WELCH].any,
                &(struct reference){row->welch, OTHERS_COUNT, 2});
  figures_print(f, FIGURE_SHARE, "pprofc", &r[MODEL].any,
                &(struct reference){row->model_any, MODEL_COUNT, 2});
  printf(" %.4f |", measure_mean(&r[MODEL].each));
  figures_print(f, FIGURE_MEAN, "coverage", &r[MODEL].coverage,
                &(struct reference){row->coverage, MODEL_COUNT, 3});
  printf("\n");
  fflush(stdout);
}

bool table_of_alarms(size_t count) {
  static struct figures f;
  f = (struct figures){.good = true};
  printf("Nothing changed: share of %zu comparisons with a false alarm (reference).\n\n"
         "| noise | N | samples | 5 %% threshold | z on sums | Welch | pprofc | of the functions |"
         " coverage |\n| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n",
         count);
  for (size_t i = 0; i < sizeof alarms_rows / sizeof *alarms_rows; i++) {
    const struct alarms_row *row = &alarms_rows[i];
    struct random_source r = {1000 + i};
    struct noise_case what = {.model = row->model,
                              .side = row->side,
                              .samples = row->samples,
                              .in_turns = row->in_turns,
                              .rows = 80};
    bool wanted[RULES] = {true, true, row->side > 1, true};
    struct rates rates[RULES];
    rates_simulate(&r, &what, count, wanted, rates);
    alarms_print(&f, row, rates);
    alarms_check(&f, row, &rates[MODEL]);
  }
  return figures_end(&f);
}
