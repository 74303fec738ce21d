/* Simulates comparisons in which one function of ten changed by 30 %. Measures the share of false
 * changes among the changes found, and the share of true changes found. */
#include "figures.h"
#include "rates.h"
#include "tables.h"

#include <stdio.h>

#define OTHERS_COUNT 60
#define MODEL_COUNT  50

/* False discovery rate, and share of changes found, for functions with a share of at least 2 % of
 * the total. */
struct changes_pair {
  double false_share, found;
};

struct changes_row {
  enum noise_model model;
  size_t side;
  struct changes_pair reference[RULES];
};

static const struct changes_row changes_rows[] = {
    {POISSON, 3, {{0.86, 1.00}, {0.03, 0.99}, {0.01, 0.17}, {0.00, 0.72}}},
    {POISSON, 5, {{0.83, 1.00}, {0.05, 1.00}, {0.01, 0.88}, {0.01, 0.99}}},
    {OVER, 3, {{0.87, 1.00}, {0.46, 0.92}, {0.00, 0.01}, {0.01, 0.39}}},
    {OVER, 5, {{0.86, 1.00}, {0.42, 1.00}, {0.04, 0.41}, {0.02, 0.80}}},
    {OVER, 10, {{0.82, 1.00}, {0.34, 1.00}, {0.05, 0.88}, {0.03, 0.93}}},
    {OUTLIER, 3, {{0.87, 1.00}, {0.49, 0.96}, {0.02, 0.02}, {0.04, 0.52}}},
    {OUTLIER, 5, {{0.85, 1.00}, {0.34, 1.00}, {0.04, 0.45}, {0.01, 0.87}}},
    {DRIFT, 3, {{0.86, 1.00}, {0.07, 0.97}, {0.00, 0.05}, {0.02, 0.67}}},
    {DRIFT, 5, {{0.84, 1.00}, {0.09, 1.00}, {0.03, 0.44}, {0.01, 0.93}}},
};

static const char *const changes_names[RULES] = {"threshold", "z", "Welch", "pprofc"};

static void changes_print(struct figures *f, const struct changes_row *row,
                          const struct rates *rates) {
  snprintf(f->row, sizeof f->row, "30 %% changes, %s, %zu runs a side", noise_names[row->model],
           row->side);
  printf("| %s | %zu |", noise_names[row->model], row->side);
  for (int rule = 0; rule < RULES; rule++) {
    const struct changes_pair *p = &row->reference[rule];
    size_t count = rule == MODEL ? MODEL_COUNT : OTHERS_COUNT;
    char what[40];
    snprintf(what, sizeof what, "false discoveries of %s", changes_names[rule]);
    figures_print(f, rule == MODEL ? FIGURE_COST : FIGURE_MEAN, what, &rates[rule].false_share,
                  &(struct reference){p->false_share, count, 2});
    snprintf(what, sizeof what, "power of %s", changes_names[rule]);
    figures_print(f, FIGURE_MEAN, what, &rates[rule].found_large,
                  &(struct reference){p->found, count, 2});
  }
  printf("\n");
  fflush(stdout);
  const struct measure *m = &rates[MODEL].false_share;
  figures_require(f, measure_at_most(m, RULE_ALPHA), "false discovery rate", measure_mean(m));
}

bool table_of_changes(size_t count) {
  static struct figures f;
  static const bool all[RULES] = {true, true, true, true};
  f = (struct figures){.good = true};
  printf("One function of ten changed by 30 %%, 7000 samples a run, %zu comparisons: share of false"
         " changes among those found, and share of the true ones of 2 %% and more that are found"
         " (reference).\n\n"
         "| noise | N | 5 %% threshold: false | found | z on sums: false | found | Welch: false |"
         " found | pprofc: false | found |\n"
         "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
         count);
  for (size_t i = 0; i < sizeof changes_rows / sizeof *changes_rows; i++) {
    const struct changes_row *row = &changes_rows[i];
    struct random_source r = {2000 + i};
    struct noise_case what = {.model = row->model,
                              .side = row->side,
                              .samples = 7000,
                              .in_turns = true,
                              .rows = 80,
                              .changed = 8,
                              .effect = 0.3};
    struct rates rates[RULES];
    rates_simulate(&r, &what, count, all, rates);
    changes_print(&f, row, rates);
  }
  return figures_end(&f);
}
