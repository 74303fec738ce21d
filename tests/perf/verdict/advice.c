/* Measures how often a test finds the smallest detectable change that a report states. */
#include "figures.h"
#include "rates.h"
#include "tables.h"

#include "stats/stats.h"
#include "verdict/model.h"

#include <math.h>
#include <stdio.h>

/* Share of the changed function in the total. There are sixty functions. */
#define ADVICE_SHARE 0.05
/* Share of the changed function when the test checks the report's own figure, which is about the
 * largest function. */
#define ADVICE_LARGEST 0.25

/* Share of comparisons in which a stated change should be found: 3 of 4. */
#define ADVICE_STATED 0.75

/* Returns the noise between runs that the report assumes: the median noise of the functions. For
 * one run per side it assumes 5 %. */
static double advice_noise(const struct noise_case *what) {
  return what->side == 1 || what->model == OVER ? 0.05 : 0;
}

/* Returns the change that the report would state for a function of the share ADVICE_SHARE if the
 * report knew the noise. */
static double advice_expected(const struct noise_case *what) {
  double noise = advice_noise(what), side = (double)what->side;
  struct advice a = {.runs = side,
                     .degrees = 2 * side - 2 + PRIOR_DEGREES_MOST,
                     .prior = PRIOR_DEGREES_MOST,
                     .limit = 1 - RULE_ALPHA / (2 * (double)what->rows),
                     .sampling = 1 / (what->samples * ADVICE_SHARE),
                     .noise = noise * noise};
  if (what->side == 1) a.degrees = (double)INFINITY;
  return advice_change(&a);
}

/* Requires that at least the share `least` of the changes is found. */
static void advice_check(struct figures *f, const struct noise_case *what,
                         const struct measure *found, double least) {
  snprintf(f->row, sizeof f->row, "the change that could be seen, %s, %zu runs, %.0f samples",
           noise_names[what->model], what->side, what->samples);
  figures_require(f, measure_at_least(found, least), "power", measure_mean(found));
}

static void advice_print_row(struct figures *f, struct noise_case *what, uint64_t seed,
                             size_t count) {
  static const bool wanted[RULES] = {false, false, false, true};
  struct random_source r = {seed};
  struct rates rates[RULES];
  what->effect = advice_expected(what);
  rates_simulate(&r, what, count, wanted, rates);
  printf("| %s | %zu | %.0f | %.0f %% | %.3f |\n", noise_names[what->model], what->side,
         what->samples, 100 * what->effect, measure_mean(&rates[MODEL].found));
  fflush(stdout);
  /* With the noise model OVER each function has its own noise, which a report cannot know in
   * advance. */
  if (what->model == POISSON) advice_check(f, what, &rates[MODEL].found, 0.7);
}

/* ---- the change that the report states --------------- */

/* Returns the smallest detectable change that pprofc states after a comparison in which nothing
 * changed. */
static double advice_told(struct random_source *r, const struct noise_case *what) {
  struct noise_draw draw;
  struct rule_answer said;
  noise_draw(r, what, &draw);
  rule_judge(MODEL, &draw, &said);
  struct advice a = rule_advice(&draw, &said, 0);
  return advice_change(&a);
}

/* Prints how often the stated change is found. First nothing changes, and the report states its
 * smallest detectable change. Then the largest function changes by exactly this amount, in runs
 * with the same noise. */
static void advice_print_told(struct figures *f, struct noise_case *what, uint64_t seed,
                              size_t count) {
  struct random_source r = {seed};
  struct measure told = {0}, found = {0};
  for (size_t i = 0; i < count; i++) {
    static const bool wanted[RULES] = {false, false, false, true};
    struct rates rates[RULES];
    what->effect = 0;
    what->effect = advice_told(&r, what);
    if (isinf(what->effect)) continue; /* the report stated that it cannot detect any change */
    measure_add(&told, what->effect);
    rates_simulate(&r, what, 1, wanted, rates);
    measure_add(&found, measure_mean(&rates[MODEL].found));
  }
  printf("| %s | %zu | %.0f | %.0f %% | %.3f |\n", noise_names[what->model], what->side,
         what->samples, 100 * measure_mean(&told), measure_mean(&found));
  fflush(stdout);
  advice_check(f, what, &found, ADVICE_STATED);
}

/* ---- both tables ------------------------------------- */

typedef void advice_print(struct figures *f, struct noise_case *what, uint64_t seed, size_t count);

static bool advice_table(advice_print *print, double share, uint64_t seed, size_t count) {
  static struct figures f;
  static const size_t sides[] = {1, 2, 3, 5, 10};
  static const double samples[] = {1000, 7000, 50000};
  f = (struct figures){.good = true};
  printf("| noise | N | samples | change | found |\n| --- | --: | --: | --: | --: |\n");
  for (int model = POISSON; model <= OVER; model++)
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
      for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        struct noise_case what = {.model = (enum noise_model)model,
                                  .side = sides[s],
                                  .samples = samples[k],
                                  .in_turns = true,
                                  .rows = 60,
                                  .lone_share = share};
        print(&f, &what, seed++, count);
      }
  return figures_end(&f);
}

bool table_of_advice(size_t count) {
  printf("The smallest change of a function of %.0f %% that could be seen, by the formula, and the"
         " share of %zu comparisons that find it.\n\n",
         100 * ADVICE_SHARE, count);
  bool good = advice_table(advice_print_row, ADVICE_SHARE, 6000, count);
  printf("The change that a report names for the largest function, of %.0f %%, after a comparison"
         " in which nothing changed (the"
         " mean of %zu), and the share of comparisons that find a change of that size.\n\n",
         100 * ADVICE_LARGEST, count);
  return advice_table(advice_print_told, ADVICE_LARGEST, 6500, count) && good;
}
