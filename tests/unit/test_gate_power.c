/* Tests the smallest detectable change: textbook values, simulations of the stated change, and its
 * text in rows and results. */
#include "gate/judge.h"
#include "gate/print/print.h"
#include "stats/stats.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#define DRAWS 4000

/* ---- the formula ------------------------------------- */

static double visible(const struct gate_design *design) {
  struct gate_power power;
  double change = (double)NAN;
  gate_power_init(&power, &mem_default);
  CU_ASSERT(gate_power_visible(&power, design, &change));
  gate_power_free(&power);
  return change;
}

static double samples(const struct gate_design *design, double change) {
  struct gate_power power;
  double count = (double)NAN;
  gate_power_init(&power, &mem_default);
  CU_ASSERT(gate_power_samples(&power, design, change, &count));
  gate_power_free(&power);
  return count;
}

/* The noise is so small that its growth with the change has no effect. The values come from tables
 * of the two-sample t-test with equal variances (Cohen 1988). Welch's test does not assume equal
 * variances, and needs slightly more samples. */
TEST(test_textbook_values) {
  static const struct {
    double n, level, difference; /* difference in standard deviations */
  } known[] = {{10, 0.05, 1.3249}, {20, 0.05, 0.9091}, {5, 0.05, 2.0244}, {64, 0.05, 0.4990}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    struct gate_design design = {1e-6, 1e-6, known[i].n, known[i].n, -1, known[i].level, false};
    double difference = visible(&design) / 1e-6;
    CU_ASSERT(difference > known[i].difference - 0.0005 && difference < 1.03 * known[i].difference);
    CU_ASSERT(fabs(gate_power_welch(&design, visible(&design)) - 0.8) < 1e-4);
  }
  struct gate_design design = {1e-6, 1e-6, 10, 10, -1, 0.05, false};
  CU_ASSERT_EQUAL(samples(&design, 1e-6), 17); /* the tables have 16.7 */
  CU_ASSERT_EQUAL(samples(&design, 0.5e-6), 64);
  CU_ASSERT_EQUAL(samples(&design, 0.2e-6), 394);
}

TEST(test_what_cannot_be_seen) {
  /* With four values per side, the U test's smallest possible p is 0.029. */
  struct gate_design few = {0.01, 0.01, 4, 4, -1, 0.01, true};
  CU_ASSERT(isinf(visible(&few)));
  few.level = 0.03;
  CU_ASSERT(isfinite(visible(&few)));
  struct gate_design wild = {5, 5, 4, 4, -1, 0.001, false};
  CU_ASSERT(isinf(visible(&wild)));
  CU_ASSERT(isinf(samples(&wild, 0.01)));
  struct gate_design one = {0.01, 0.01, 1, 1, -1, 0.05, false};
  CU_ASSERT(isinf(visible(&one)));
  /* A value cannot fall below zero. */
  struct gate_design rate = {0.9, 0.9, 4, 4, 1, 0.05, false};
  CU_ASSERT(isinf(visible(&rate)));
  struct gate_design still = {0, 0, 4, 4, -1, 0.05, false};
  CU_ASSERT(visible(&still) < 1e-6);
}

/* ---- simulations ------------------------------------- */

static double normal(uint64_t *state) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15u); /* the splitmix64 generator */
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return pprofc_normal_quantile(((double)(z >> 11) + 0.5) / 9007199254740992.0);
}

/* Draws values of mean 1 with some noise, multiplied by a factor. */
static void draw(uint64_t *state, double noise, double factor, double *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] = factor * (1 + noise * normal(state));
}

static double p_of(const struct gate_design *d, const double *base, const double *head) {
  size_t n = (size_t)d->base_count, m = (size_t)d->head_count;
  double x[64], y[64];
  if (!d->ranks) return pprofc_welch_test(base, n, head, m).p;
  memcpy(x, base, n * sizeof *x);
  memcpy(y, head, m * sizeof *y);
  sort_doubles(x, n);
  sort_doubles(y, m);
  return pprofc_u_test(x, n, y, m, n > 50 ? 0 : PPROFC_U_CORRECT, NULL).p;
}

static double share_found(const struct gate_design *d, double change) {
  uint64_t state = 5;
  double base[64], head[64], found = 0;
  double factor = d->direction > 0 ? 1 - change : 1 + change;
  for (size_t i = 0; i < DRAWS; i++) {
    draw(&state, d->base_noise, 1, base, (size_t)d->base_count);
    draw(&state, d->head_noise, factor, head, (size_t)d->head_count);
    found += p_of(d, base, head) <= d->level;
  }
  return found / DRAWS;
}

/* The test must find the stated change in four of five runs, within three standard errors. Random
 * draws of this test add to the error; for the U test, the draws that determine the change also
 * do. */
TEST(test_stated_changes_are_found_in_four_of_five_runs) {
  static const struct gate_design designs[] = {
      {0.05, 0.05, 10, 10, -1, 0.05, false},       {0.05, 0.05, 10, 10, -1, 0.05 / 100, false},
      {0.02, 0.02, 6, 6, -1, 0.05 / 20, false},    {0.10, 0.10, 20, 20, 1, 0.05 / 100, false},
      {0.03, 0.08, 10, 15, -1, 0.05 / 10, false},  {0.05, 0.05, 10, 10, -1, 0.05, true},
      {0.05, 0.05, 10, 10, -1, 0.05 / 100, true},  {0.02, 0.02, 20, 20, -1, 0.05 / 100, true},
      {0.05, 0.05, 8, 12, 1, 0.05 / 20, true},     {0.05, 0.05, 60, 60, -1, 0.05 / 100, true},
      {0.05, 0.05, 60, 60, -1, 0.05 / 100, false},
  };
  for (size_t i = 0; i < sizeof designs / sizeof *designs; i++) {
    double change = visible(&designs[i]), found = share_found(&designs[i], change);
    double error = 3 * sqrt(0.8 * 0.2 * (1.0 / DRAWS + (designs[i].ranks ? 1.0 / 2000 : 0)));
    if (fabs(found - 0.8) > error) fprintf(stderr, "design %zu: %.4f\n", i, found);
    CU_ASSERT(fabs(found - 0.8) <= error);
  }
}

/* The stated number of rounds must be the smallest number that shows the change. */
TEST(test_rounds_that_are_stated_suffice) {
  struct gate_design design = {0.05, 0.05, 4, 4, -1, 0.05 / 20, false};
  for (int ranks = 0; ranks < 2; ranks++) {
    design.ranks = ranks;
    design.base_count = design.head_count = samples(&design, 0.05);
    CU_ASSERT(visible(&design) <= 0.05);
    design.base_count = --design.head_count;
    CU_ASSERT(visible(&design) > 0.05);
  }
}

/* ---- results ----------------------------------------- */

static int judge(struct gate *gate, double noise, size_t benchmarks, size_t count) {
  uint64_t state = 7;
  double base[64], head[64];
  for (size_t i = 0; i < benchmarks; i++) {
    struct gate_row row = gate_row_unknown();
    draw(&state, noise, 1, base, count);
    draw(&state, noise, 1, head, count);
    row.name = STR("Same");
    row.unit = STR("sec/op");
    CU_ASSERT(gate_compare_sides(gate, &row, (struct gate_side){base, NULL, count},
                                 (struct gate_side){head, NULL, count}));
    CU_ASSERT(gate_add(gate, &row));
  }
  CU_ASSERT_EQUAL(gate_judge(gate, "2026-11-22", NULL), PPROFC_OK);
  return gate_exit_status(gate);
}

TEST(test_a_pass_says_what_it_is_worth) {
  struct gate gate;
  size_t count;
  gate_init(&gate, &mem_default);
  gate.settings.strict = true;
  CU_ASSERT_EQUAL(judge(&gate, 0.01, 20, 10), 0);
  CU_ASSERT_EQUAL(gate.blind, 0);
  CU_ASSERT_EQUAL(gate.visible_count, 20);
  /* The change is 1.97 standard deviations at the level 0.05 / 20. */
  CU_ASSERT(gate.visible_middle > 0.017 && gate.visible_middle < 0.022);
  CU_ASSERT(gate_rows(&gate, &count)->level == 0.05 / 20);
  gate_free(&gate);
}

TEST(test_strict_does_not_pass_what_nobody_could_have_seen) {
  struct gate gate;
  struct buffer out;
  gate_init(&gate, &mem_default);
  gate.settings.strict = true;
  CU_ASSERT_EQUAL(judge(&gate, 0.08, 20, 10), 3);
  CU_ASSERT_EQUAL(gate.blind, 20);
  CU_ASSERT(gate.needed_worst > 50 && gate.needed_worst < 200);
  buffer_init(&out, &mem_default, 1 << 16);
  gate_print_text(&out, &gate, false);
  CU_ASSERT(str_find(buffer_str(&out), STR("20 could not have shown the threshold")) < out.size);
  gate.settings.strict = false;
  CU_ASSERT_EQUAL(gate_exit_status(&gate), 0);
  buffer_free(&out);
  gate_free(&gate);
}

TEST(test_further_rounds_cost_the_rounds_that_were_saved) {
  struct gate_screen_plan none = gate_screen_plan_of(0, 40, 10);
  CU_ASSERT(!none.all && none.rounds == 0);
  struct gate_screen_plan few = gate_screen_plan_of(10, 40, 10);
  CU_ASSERT(!few.all && few.rounds == 20);
  /* The second stage has at most four times the requested rounds. */
  CU_ASSERT_EQUAL(gate_screen_plan_of(1, 40, 10).rounds, 40);
  struct gate_screen_plan most = gate_screen_plan_of(21, 40, 10);
  CU_ASSERT(most.all && most.rounds == 5);
}

TEST(test_what_looks_worse_or_noisy_goes_on) {
  struct gate_settings settings = {.alpha = 0.05, .test = PPROFC_GATE_BOTH, .min_samples = 4};
  gate_screen_settings(&settings);
  CU_ASSERT(settings.alpha > 0.05 && settings.test == PPROFC_GATE_WELCH &&
            settings.min_samples == 2);
  CU_ASSERT(gate_screen_selects(&(struct gate_row){.verdict = PPROFC_GATE_REGRESSED}));
  CU_ASSERT(gate_screen_selects(&(struct gate_row){.verdict = PPROFC_GATE_INCONCLUSIVE}));
  CU_ASSERT(gate_screen_selects(&(struct gate_row){.verdict = PPROFC_GATE_TOO_FEW}));
  CU_ASSERT(!gate_screen_selects(&(struct gate_row){.verdict = PPROFC_GATE_UNCHANGED}));
}

TEST(test_many_looks_need_stronger_evidence) {
  struct gate_row row = {.verdict = PPROFC_GATE_REGRESSED, .alpha = 0.05, .adjusted = 0.0005};
  CU_ASSERT(gate_look_decides(&row, 10));
  CU_ASSERT(gate_look_decides(&row, 40)); /* seven looks */
  CU_ASSERT(!gate_look_decides(&row, 41));
  row.adjusted = 0.05 * 0.07 / 15;
  CU_ASSERT(gate_look_decides(&row, 80)); /* 15 looks */
  row.adjusted *= 1.01;
  CU_ASSERT(!gate_look_decides(&row, 80));
  row.constant = true;
  CU_ASSERT(gate_look_decides(&row, 80));
  row.verdict = PPROFC_GATE_INCONCLUSIVE;
  CU_ASSERT(!gate_look_decides(&row, 10));
}
