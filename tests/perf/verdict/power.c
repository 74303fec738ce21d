/* Simulates comparisons in which one function of sixty changed. Measures how often the change is
 * found, by runs, samples, share and size of the change. */
#include "figures.h"
#include "rates.h"
#include "tables.h"

#include <stdio.h>

#define POWER_COUNT 30

struct power_change {
  double share, effect;
};

static const struct power_change power_changes[] = {
    {0.05, 0.1}, {0.05, 0.3}, {0.2, 0.1}, {0.2, 0.3}};

#define CHANGES (sizeof power_changes / sizeof *power_changes)

struct power_row {
  size_t side;
  double samples;
  double reference[CHANGES];
};

static const struct power_row power_rows[] = {
    {1, 700, {0, 0.10, 0, 0.07}},         {1, 7000, {0.03, 0.23, 0.07, 0.37}},
    {1, 50000, {0.07, 0.57, 0.13, 0.57}}, {3, 700, {0, 0, 0, 0.07}},
    {3, 7000, {0.03, 0.27, 0, 0.60}},     {3, 50000, {0.03, 0.57, 0.10, 0.47}},
    {5, 700, {0, 0.03, 0.03, 0.33}},      {5, 7000, {0.07, 0.77, 0.03, 0.80}},
    {5, 50000, {0.07, 0.77, 0.27, 0.80}}, {10, 700, {0, 0.33, 0, 0.77}},
    {10, 7000, {0.10, 0.87, 0.43, 0.93}}, {10, 50000, {0.57, 0.97, 0.77, 0.80}},
};

static void power_print_row(struct figures *f, const struct power_row *row, size_t index,
                            size_t count) {
  static const bool wanted[RULES] = {false, false, false, true};
  printf("| %zu | %.0f |", row->side, row->samples);
  for (size_t c = 0; c < CHANGES; c++) {
    const struct power_change *change = &power_changes[c];
    struct random_source r = {3000 + 10 * index + c};
    struct noise_case what = {.model = OVER,
                              .side = row->side,
                              .samples = row->samples,
                              .in_turns = true,
                              .rows = 60,
                              .effect = change->effect,
                              .lone_share = change->share};
    struct rates rates[RULES];
    rates_simulate(&r, &what, count, wanted, rates);
    snprintf(f->row, sizeof f->row, "%.0f %% of a function of %.0f %%, %zu runs, %.0f samples",
             100 * change->effect, 100 * change->share, row->side, row->samples);
    figures_print(f, FIGURE_SHARE, "power", &rates[MODEL].found,
                  &(struct reference){row->reference[c], POWER_COUNT, 2});
  }
  printf("\n");
  fflush(stdout);
}

bool table_of_power(size_t count) {
  static struct figures f;
  f = (struct figures){.good = true};
  printf("One function of sixty changed, noise `over`: share of %zu comparisons that find it"
         " (reference); share of the function x change.\n\n| N | samples |",
         count);
  for (size_t c = 0; c < CHANGES; c++)
    printf(" %.0f %% x %.0f %% |", 100 * power_changes[c].share, 100 * power_changes[c].effect);
  printf("\n| --: | --: |");
  for (size_t c = 0; c < CHANGES; c++) printf(" --: |");
  printf("\n");
  for (size_t i = 0; i < sizeof power_rows / sizeof *power_rows; i++)
    power_print_row(&f, &power_rows[i], i, count);
  return figures_end(&f);
}
