/* Measures how often the interval of the explained share contains the true share. No method meets a
 * target in all cells, so the test checks no target. docs/method/verdicts_figures.md shows the
 * table. */
#include "measure.h"
#include "parts.h"
#include "tables.h"

#include <math.h>
#include <stdio.h>

struct explained_shape {
  const char *text;
  size_t changed;
  double effect;
};

static const struct explained_shape explained_shapes[] = {
    {"8 of 80 by 30 %", 8, 0.3},
    {"3 of 80 by 60 %", 3, 0.6},
    {"20 of 80 by 15 %", 20, 0.15},
};

static const size_t explained_sides[] = {3, 5, 10};

struct explained_cell {
  size_t draws; /* number of draws in which a change was found and the total really changed by at
                   least 0.5 % */
  struct measure bounded[PART_WAYS], coverage[PART_WAYS];
};

static bool explained_is_asked(const struct noise_draw *draw, const struct rule_answer *said) {
  double all = 0;
  size_t changes = 0;
  for (size_t i = 0; i < draw->rows; i++) {
    all += draw->truth[i];
    changes += said->changed[i];
  }
  return changes > 0 && fabs(all) > 0.005 * draw->samples;
}

static void explained_add(struct explained_cell *cell, struct random_source *r,
                          const struct noise_case *what) {
  struct noise_draw draw;
  struct rule_answer said;
  noise_draw(r, what, &draw);
  rule_judge(MODEL, &draw, &said);
  if (!explained_is_asked(&draw, &said)) return;
  cell->draws++;
  for (int way = 0; way < PART_WAYS; way++) {
    struct random_source own = {r->state + (uint64_t)way};
    struct part_interval i = part_by((enum part_way)way, &own, &draw, &said);
    measure_add(&cell->bounded[way], i.bounded);
    if (i.bounded) measure_add(&cell->coverage[way], i.low <= i.truth && i.truth <= i.high);
  }
}

static void explained_print(const struct noise_case *what, const char *text,
                            const struct explained_cell *cell) {
  printf("| %s | %s | %zu | %zu |", text, noise_names[what->model], what->side, cell->draws);
  for (int way = 0; way < PART_WAYS; way++) {
    const struct measure *m = &cell->coverage[way];
    if (m->count < 20)
      printf(" (%zu) |", m->count);
    else
      printf(" %.2f of %.2f |", measure_mean(m), measure_mean(&cell->bounded[way]));
  }
  printf("\n");
  fflush(stdout);
}

static void explained_shape_print(const struct explained_shape *shape, size_t count) {
  for (int model = 0; model < NOISE_MODELS; model++)
    for (size_t s = 0; s < sizeof explained_sides / sizeof *explained_sides; s++) {
      struct random_source r = {4000 + 10 * (uint64_t)model + s};
      struct explained_cell cell = {0};
      struct noise_case what = {.model = (enum noise_model)model,
                                .side = explained_sides[s],
                                .samples = 7000,
                                .in_turns = true,
                                .rows = 80,
                                .changed = shape->changed,
                                .effect = shape->effect};
      for (size_t i = 0; i < count; i++) explained_add(&cell, &r, &what);
      explained_print(&what, shape->text, &cell);
    }
}

void table_of_parts(size_t count) {
  printf("Part explained, %zu comparisons a row: share of the 95 %% intervals with bounds that hold"
         " the true part, of the share that has bounds. (n): too few.\n\n"
         "| changed | noise | N | with a change | Fieller | splitting | bootstrap | shrinkage |"
         " posterior |\n| --- | --- | --: | --: | --: | --: | --: | --: | --: |\n",
         count);
  for (size_t i = 0; i < sizeof explained_shapes / sizeof *explained_shapes; i++)
    explained_shape_print(&explained_shapes[i], count);
  printf("\n");
}
