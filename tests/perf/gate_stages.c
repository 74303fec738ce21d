/* Simulates suites that are measured in two stages. Interim judgements can end the second stage. */
#include "gate_power.h"

#include "gate/judge.h"

#include <stdio.h>

#define STAGE_MAX (4 * SAMPLES) /* maximum number of samples of a benchmark in the second stage */

/* A benchmark in two stages: the samples for the decision, and if it needed more than the first
 * samples. */
struct staged {
  double base[STAGE_MAX + SAMPLES], head[STAGE_MAX + SAMPLES];
  size_t count;
  bool selected;
};

static void draw_more(struct random *r, enum shape shape, double noise, double factor,
                      struct staged *b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    b->base[b->count] = 1e-6 * sample_once(r, shape, noise);
    b->head[b->count++] = 1e-6 * factor * sample_once(r, shape, noise);
  }
}

static void add_staged(struct gate *gate, const struct staged *b, bool changed, bool screened) {
  struct gate_row row = gate_row_unknown();
  row.name = changed ? STR("changed") : STR("same");
  row.unit = STR("sec/op");
  row.screened = screened;
  must(gate_compare_sides(gate, &row, (struct gate_side){b->base, NULL, b->count},
                          (struct gate_side){b->head, NULL, b->count}));
  must(gate_add(gate, &row));
}

/* Selects benchmarks by the first samples, as `pprofci run -record` does. Returns the plan for the
 * second stage. */
static struct gate_screen_plan choose_plan(struct staged *all, double threshold) {
  struct gate gate;
  size_t rows, selected = 0;
  gate_init(&gate, &mem_default);
  gate.settings.threshold = threshold;
  gate_screen_settings(&gate.settings);
  for (size_t i = 0; i < BENCHMARKS; i++) add_staged(&gate, &all[i], false, false);
  must(gate_judge(&gate, "2026-11-20", NULL) == PPROFC_OK);
  const struct gate_row *row = gate_rows(&gate, &rows);
  for (size_t i = 0; i < rows; i++) {
    all[i].selected = gate_screen_selects(&row[i]);
    selected += all[i].selected;
  }
  gate_free(&gate);
  return gate_screen_plan_of(selected, BENCHMARKS, SAMPLES);
}

/* True if the further samples so far decide about all selected benchmarks. */
static bool look_decides(const struct staged *all, double threshold, size_t rounds) {
  struct gate gate;
  size_t rows;
  bool decided = true;
  gate_init(&gate, &mem_default);
  gate.settings.threshold = threshold;
  for (size_t i = 0; i < BENCHMARKS; i++)
    if (all[i].selected) add_staged(&gate, &all[i], false, false);
  must(gate_judge(&gate, "2026-11-20", NULL) == PPROFC_OK);
  const struct gate_row *row = gate_rows(&gate, &rows);
  for (size_t i = 0; i < rows; i++) decided &= gate_look_decides(&row[i], rounds);
  gate_free(&gate);
  return decided;
}

/* Draws additional samples for the selected benchmarks until an interim judgement decides. Returns
 * their number for each benchmark. */
static size_t draw_further(struct random *r, enum shape shape, double noise, double effect,
                           double threshold, struct staged *all) {
  struct gate_screen_plan plan = choose_plan(all, threshold);
  size_t drawn = 0;
  for (size_t i = 0; i < BENCHMARKS && !plan.all; i++)
    if (all[i].selected) all[i].count = 0;
  while (drawn < plan.rounds) {
    size_t more = plan.all ? plan.rounds : GATE_LOOK_ROUNDS;
    if (more > plan.rounds - drawn) more = plan.rounds - drawn;
    for (size_t i = 0; i < BENCHMARKS; i++) {
      all[i].selected |= plan.all;
      if (all[i].selected) draw_more(r, shape, noise, i < CHANGED ? 1 + effect : 1, &all[i], more);
    }
    drawn += more;
    if (drawn < plan.rounds && look_decides(all, threshold, plan.rounds)) break;
  }
  return drawn;
}

/* Judges one suite of BENCHMARKS benchmarks in two stages, with the total number of samples limited
 * to SAMPLES for each. Adds the alarms, the regressions found and the number of samples. */
static void run_staged(struct random *r, enum shape shape, double noise, double effect,
                       double threshold, size_t *alarms, size_t *found, size_t *work) {
  struct staged *all = mem_zero_array(&mem_default, BENCHMARKS, sizeof *all);
  struct gate gate;
  size_t rows;
  must(all != NULL);
  for (size_t i = 0; i < BENCHMARKS; i++)
    draw_more(r, shape, noise, i < CHANGED ? 1 + effect : 1, &all[i], GATE_SCREEN_ROUNDS);
  size_t further = draw_further(r, shape, noise, effect, threshold, all);
  gate_init(&gate, &mem_default);
  gate.settings.threshold = threshold;
  *work += BENCHMARKS * GATE_SCREEN_ROUNDS;
  for (size_t i = 0; i < BENCHMARKS; i++) {
    *work += all[i].selected ? further : 0;
    add_staged(&gate, &all[i], effect > 0 && i < CHANGED, !all[i].selected);
  }
  must(gate_judge(&gate, "2026-11-20", NULL) == PPROFC_OK);
  const struct gate_row *row = gate_rows(&gate, &rows);
  size_t wrong = 0;
  for (size_t i = 0; i < rows; i++) {
    bool changed = str_equal(row[i].name, STR("changed")),
         red = row[i].verdict == PPROFC_GATE_REGRESSED;
    wrong += red && !changed;
    *found += red && changed;
  }
  *alarms += wrong > 0;
  gate_free(&gate);
  mem_free(&mem_default, all, BENCHMARKS, sizeof *all);
}

/* Fails if more than 5 % of the unchanged suites raise an alarm, or if two stages need more samples
 * than one stage. */
bool print_stages(size_t count) {
  static const double limits[] = {0.03, 0.05};
  bool good = true;
  printf("\nTwo stages, the work of %d samples a side: suites with an alarm, +5 %%, +10 %%, +20 %% "
         "found, and the samples that an unchanged suite took\n\n"
         "| noise | size | threshold | alarms | +5 %% | +10 %% | +20 %% | samples |\n"
         "| --- | --: | --: | --: | --: | --: | --: | --: |\n",
         SAMPLES);
  for (int shape = 0; shape < DRIFTING; shape++)
    for (size_t n = 0; n < 4; n++)
      for (size_t t = 0; t < 2; t++) {
        const double sizes[] = {0.01, 0.03, 0.05, 0.10}, steps[] = {0, 0.05, 0.10, 0.20};
        struct random r = {5 + (uint64_t)shape};
        size_t alarms[4] = {0}, found[4] = {0}, work[4] = {0};
        for (size_t e = 0; e < 4; e++)
          for (size_t i = 0; i < count; i++)
            run_staged(&r, (enum shape)shape, sizes[n], steps[e], limits[t], &alarms[e], &found[e],
                       &work[e]);
        double alarm = (double)alarms[0] / (double)count;
        printf("| %s | %.0f %% | %.0f %% | %.1f |", shape_names[shape], 100 * sizes[n],
               100 * limits[t], 100 * alarm);
        for (size_t e = 1; e < 4; e++)
          printf(" %.1f |", 100 * (double)found[e] / (double)(count * CHANGED));
        double samples = (double)work[0] / (double)(count * BENCHMARKS);
        printf(" %.1f |\n", samples);
        if (alarm > most_alarms(count))
          good = complain((enum shape)shape, sizes[n], "false alarms in two stages", alarm);
        if (samples > SAMPLES) good = complain((enum shape)shape, sizes[n], "work", samples);
      }
  return good;
}
