/* Measures rows in which a change was found. Their changes are slightly too large, because noise
 * helps a change to be found. Their intervals contain the true change less often than other
 * intervals. The figures have no target, and only inform readers. */
#include "measure.h"
#include "rules.h"
#include "tables.h"

#include <stdio.h>

struct found_rows {
  struct measure coverage, fcr; /* coverage of the intervals, and coverage of the intervals of
                                   -fcr */
  struct measure excess;        /* found change divided by the true change */
};

static void found_add(struct found_rows *rows, const struct noise_draw *draw,
                      const struct rule_answer *said) {
  for (size_t i = 0; i < draw->rows; i++) {
    double truth = draw->truth[i];
    if (!said->changed[i]) continue;
    measure_add(&rows->coverage, said->low[i] <= truth && truth <= said->high[i]);
    measure_add(&rows->fcr, said->fcr_low[i] <= truth && truth <= said->fcr_high[i]);
    if (truth != 0) measure_add(&rows->excess, said->delta[i] / truth);
  }
}

static void found_print_cell(enum noise_model model, size_t side, size_t count) {
  struct random_source r = {8000 + 20 * (uint64_t)model + side};
  struct found_rows rows = {0};
  struct noise_case what = {.model = model,
                            .side = side,
                            .samples = 7000,
                            .in_turns = true,
                            .rows = 80,
                            .changed = 8,
                            .effect = 0.3};
  for (size_t i = 0; i < count; i++) {
    struct noise_draw draw;
    struct rule_answer said;
    noise_draw(&r, &what, &draw);
    rule_judge(MODEL, &draw, &said);
    found_add(&rows, &draw, &said);
  }
  if (rows.excess.count < 20)
    printf(" (%zu) |", rows.excess.count);
  else
    printf(" %.2f (%.2f), x %.2f |", measure_mean(&rows.coverage), measure_mean(&rows.fcr),
           measure_mean(&rows.excess));
  fflush(stdout);
}

void table_of_found_rows(size_t count) {
  static const size_t sides[] = {1, 3, 5, 10};
  printf("One function of ten changed by 30 %%, 7000 samples a run, %zu comparisons: of the rows"
         " found, share of the intervals that hold the truth (with -fcr), and the change over the"
         " true one. (n): too few.\n\n| noise |",
         count);
  for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) printf(" N = %zu |", sides[s]);
  printf("\n| --- | --: | --: | --: | --: |\n");
  for (int model = 0; model < NOISE_MODELS; model++) {
    printf("| %s |", noise_names[model]);
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
      found_print_cell((enum noise_model)model, sides[s], count);
    printf("\n");
  }
  printf("\n");
}
