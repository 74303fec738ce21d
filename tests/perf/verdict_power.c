/* How often verdicts on functions are false, how wide their intervals are, and which changes they
 * find: simulated profiles under several models of noise. The seed is fixed: the same numbers come
 * out every time.
 *
 *   verdict_power          the tables of docs/VERDICTS.md
 *   verdict_power -quick   fewer repetitions; still fails when a target is missed */
#include "core/mem.h"
#include "pprofc/stats.h"
#include "stats/corrections.h"
#include "verdict/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 80
#define RUNS_MOST 20
#define ALPHA     0.05

/* ---- random numbers ---------------------------------- */

struct random {
  uint64_t state;
};

static double uniform(struct random *r) {
  uint64_t z = (r->state += 0x9E3779B97F4A7C15u); /* splitmix64 */
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct random *r) {
  return pprofc_normal_quantile(uniform(r));
}

/* Marsaglia and Tsang 2000, for shapes of 1 and more; mean 1. */
static double gamma_of_mean_1(struct random *r, double shape) {
  double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
  for (;;) {
    double x = normal(r), v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    if (log(uniform(r)) < x * x / 2 + d - d * v + d * log(v)) return d * v / shape;
  }
}

/* Multiplies uniforms up to a mean of 30; halves larger means, since sums of Poisson variables are
 * Poisson variables. */
static double poisson(struct random *r, double mean) {
  double count = 0;
  for (; mean > 30; mean -= 30) {
    double limit = exp(-30.0), product = uniform(r);
    for (; product > limit; product *= uniform(r)) count++;
  }
  double limit = exp(-mean), product = uniform(r);
  for (; product > limit; product *= uniform(r)) count++;
  return count;
}

/* ---- models of noise --------------------------------- */

enum noise_model { POISSON, OVER, BURSTY, OUTLIER, DRIFT, DRIFT_IN_ORDER, MODELS };
static const char *const model_names[] = {"poisson", "over",  "bursty",
                                          "outlier", "drift", "drift, all base first"};

/* How the functions of one comparison vary, drawn once. */
struct shape {
  double cv[FUNCTIONS];    /* between runs */
  double drift[FUNCTIONS]; /* over the session */
};

static void draw_shape(struct random *r, enum noise_model model, struct shape *shape) {
  for (size_t f = 0; f < FUNCTIONS; f++) {
    shape->cv[f] = 0;
    shape->drift[f] = 0;
    if (model == OVER) shape->cv[f] = fmin(exp(log(0.05) + 0.8 * normal(r)), 0.5);
    if (model == OUTLIER) shape->cv[f] = uniform(r) < 0.08 ? 0.4 : 0.02;
    if (model < DRIFT) continue;
    shape->cv[f] = 0.01;
    shape->drift[f] = uniform(r) < 0.4 ? 0.10 : 0;
  }
}

/* What all functions of a run share; `when` goes from -0.5 to 0.5. */
static double draw_common(struct random *r, enum noise_model model, double when) {
  if (model == OVER || model == OUTLIER) return exp(0.06 * normal(r));
  if (model >= DRIFT) return exp(0.15 * when + 0.03 * normal(r));
  return 1;
}

/* Clusters of two samples on average: three times the variance. */
static double draw_bursty(struct random *r, double mean) {
  double clusters = poisson(r, mean / 2), count = clusters;
  for (double i = 0; i < clusters; i++)
    while (uniform(r) < 0.5) count++;
  return count;
}

static double draw_count(struct random *r, enum noise_model model, const struct shape *shape,
                         size_t f, double mean, double when) {
  if (model == BURSTY) return draw_bursty(r, mean);
  double cv = shape->cv[f], varied = mean;
  if (cv > 0) varied *= gamma_of_mean_1(r, 1 / (cv * cv));
  return poisson(r, varied * exp(shape->drift[f] * when));
}

/* ---- one comparison ---------------------------------- */

struct setup {
  enum noise_model model;
  size_t each; /* runs a side */
  double samples;
  double changed; /* share of the functions */
  double effect;
  double single; /* share of the one function that changed; 0: `changed` are drawn */
  size_t functions;
};

struct trial {
  double values[FUNCTIONS * RUNS_MOST];
  double share[FUNCTIONS], ratio[FUNCTIONS];
};

static void draw_shares(struct trial *t, const struct setup *s) {
  size_t first = s->single > 0;
  double sum = 0;
  for (size_t f = first; f < s->functions; f++) {
    t->share[f] = pow((double)(f + 1 - first), -0.9);
    sum += t->share[f];
  }
  for (size_t f = first; f < s->functions; f++) t->share[f] *= (1 - s->single) / sum;
  if (first) t->share[0] = s->single;
}

/* Three of four changed functions get slower. */
static void draw_changes(struct random *r, struct trial *t, const struct setup *s) {
  size_t left = (size_t)(s->changed * (double)s->functions + 0.5);
  for (size_t f = 0; f < s->functions; f++) t->ratio[f] = 1;
  if (s->single > 0) t->ratio[0] = 1 + s->effect;
  while (left) {
    size_t f = (size_t)(uniform(r) * (double)s->functions);
    if (t->ratio[f] != 1) continue;
    t->ratio[f] = 1 + (uniform(r) < 0.75 ? s->effect : -s->effect);
    left--;
  }
}

/* The place of each run in the session: in turns, the first of each two is drawn. */
static void draw_order(struct random *r, const struct setup *s, double *when) {
  size_t n = s->each;
  double last = (double)(2 * n - 1);
  for (size_t i = 0; i < n; i++) {
    size_t late = uniform(r) < 0.5;
    size_t base = s->model == DRIFT_IN_ORDER ? i : 2 * i + late;
    size_t head = s->model == DRIFT_IN_ORDER ? n + i : 2 * i + 1 - late;
    when[i] = (double)base / last - 0.5;
    when[n + i] = (double)head / last - 0.5;
  }
}

static void draw_trial(struct random *r, const struct setup *s, struct trial *t) {
  struct shape shape;
  double when[RUNS_MOST];
  size_t runs = 2 * s->each;
  draw_shares(t, s);
  draw_changes(r, t, s);
  draw_shape(r, s->model, &shape);
  draw_order(r, s, when);
  for (size_t run = 0; run < runs; run++) {
    double common = draw_common(r, s->model, when[run]);
    for (size_t f = 0; f < s->functions; f++) {
      double mean = s->samples * t->share[f] * (run < s->each ? 1 : t->ratio[f]) * common;
      t->values[f * runs + run] = draw_count(r, s->model, &shape, f, mean, when[run]);
    }
  }
}

/* ---- what came of it --------------------------------- */

struct tally {
  double trials, any, false_share, covered, tested;
  double power, with_large; /* sum of shares found; trials that had such a function */
};

static int by_p(const void *a, const void *b) {
  double x = **(const double *const *)a, y = **(const double *const *)b;
  return (x > y) - (x < y);
}

static void adjust(const struct fit *fit, size_t functions, double *q) {
  const double *order[FUNCTIONS];
  double raw[FUNCTIONS], p[FUNCTIONS];
  size_t count = 0;
  for (size_t f = 0; f < functions; f++) {
    q[f] = 1;
    raw[f] = fit->of[f].p;
    if (fit->of[f].tested) order[count++] = &raw[f];
  }
  qsort(order, count, sizeof *order, by_p);
  for (size_t i = 0; i < count; i++) p[i] = *order[i];
  corrections_benjamini_hochberg(p, count, p);
  for (size_t i = 0; i < count; i++) q[order[i] - raw] = p[i];
}

static void count_trial(const struct setup *s, const struct trial *t, const struct fit *fit,
                        struct tally *tally) {
  double q[FUNCTIONS], alarms = 0, found = 0, hits = 0, large = 0;
  adjust(fit, s->functions, q);
  for (size_t f = 0; f < s->functions; f++) {
    const struct estimate *e = &fit->of[f];
    bool said = q[f] < ALPHA, changed = t->ratio[f] != 1;
    double truth = s->samples * t->share[f] * (t->ratio[f] - 1);
    alarms += said && !changed;
    found += said;
    if (changed && t->share[f] >= 0.02) {
      large++;
      hits += said;
    }
    if (!e->tested) continue;
    tally->tested++;
    tally->covered += e->low <= truth && truth <= e->high;
  }
  tally->trials++;
  tally->with_large += large > 0;
  tally->power += large > 0 ? hits / large : 0;
  tally->any += alarms > 0;
  tally->false_share += alarms / fmax(found, 1);
}

static struct tally simulate(const struct setup *s, size_t repetitions, uint64_t seed) {
  struct random r = {seed};
  struct tally tally = {0};
  double quantum[FUNCTIONS], exposure[RUNS_MOST];
  static const bool aside[FUNCTIONS];
  const struct model_settings settings = {0.05, 10, true};
  struct trial *t = malloc(sizeof *t);
  for (size_t f = 0; f < FUNCTIONS; f++) quantum[f] = 1;
  for (size_t run = 0; run < RUNS_MOST; run++) exposure[run] = 1;
  for (size_t i = 0; t && i < repetitions; i++) {
    struct arena arena;
    struct fit fit;
    arena_init(&arena, &mem_default);
    draw_trial(&r, s, t);
    struct matrix m = {s->functions, 2 * s->each, s->each, t->values, quantum, exposure, aside};
    if (model_fit(&m, &settings, &arena, &fit, NULL) == PPROFC_OK) count_trial(s, t, &fit, &tally);
    arena_free(&arena);
  }
  free(t);
  return tally;
}

/* ---- tables ------------------------------------------ */

/* Whether a share of `trials` may be `expected`, which was itself measured with `of` trials. */
static bool within(double share, double trials, double expected, double of) {
  double p = fmin(fmax(expected, 0.02), 0.98);
  return fabs(share - expected) <= 3 * sqrt(p * (1 - p) * (1 / trials + 1 / of));
}

static bool wrong(const char *what, const char *model, size_t each, double found, double wanted) {
  printf("MISSED: %s, %s, %zu runs a side: %.3f, wanted %.3f\n", what, model, each, found, wanted);
  return false;
}

/* Nothing changed: comparisons with a false alarm, and coverage of the 95 % intervals. */
static const struct null_row {
  enum noise_model model;
  size_t each;
  double samples, any, coverage;
} null_rows[] = {
    {POISSON, 3, 7000, 0.00, 0.977},
    {POISSON, 5, 7000, 0.00, 0.973},
    {POISSON, 10, 7000, 0.00, 0.965},
    {OVER, 3, 7000, 0.02, 0.969},
    {OVER, 5, 7000, 0.00, 0.968},
    {OVER, 10, 7000, 0.02, 0.956},
    {BURSTY, 3, 7000, 0.02, 0.949},
    {BURSTY, 5, 7000, 0.02, 0.952},
    {BURSTY, 10, 7000, 0.10, 0.953},
    {OUTLIER, 3, 7000, 0.08, 0.972},
    {OUTLIER, 5, 7000, 0.02, 0.972},
    {OUTLIER, 10, 7000, 0.02, 0.965},
    {DRIFT, 3, 7000, 0.00, 0.977},
    {DRIFT, 5, 7000, 0.00, 0.971},
    {DRIFT, 10, 7000, 0.00, 0.971},
    {DRIFT_IN_ORDER, 3, 7000, 0.04, 0.969},
    {DRIFT_IN_ORDER, 5, 7000, 0.00, 0.961},
    {DRIFT_IN_ORDER, 10, 7000, 0.02, 0.951},
    {POISSON, 1, 700, 0.02, 0.981},
    {POISSON, 1, 7000, 0.08, 0.974},
    {BURSTY, 1, 700, 0.08, 0.988},
    {BURSTY, 1, 7000, 0.08, 0.960},
    {DRIFT, 1, 700, 0.00, 0.985},
    {DRIFT, 1, 7000, 0.02, 0.969},
    {OVER, 1, 700, 0.08, 0.978},
    {OVER, 1, 7000, 0.36, 0.945},
    {OUTLIER, 1, 700, 0.14, 0.976},
    {OUTLIER, 1, 7000, 0.68, 0.945},
};

static bool print_null(size_t repetitions) {
  bool good = true;
  printf("Nothing changed\n\n| noise | runs a side | samples | false alarm | coverage |\n"
         "|---|---:|---:|---:|---:|\n");
  for (size_t i = 0; i < sizeof null_rows / sizeof null_rows[0]; i++) {
    const struct null_row *row = &null_rows[i];
    struct setup s = {row->model, row->each, row->samples, 0, 0, 0, FUNCTIONS};
    struct tally t = simulate(&s, repetitions, 1000 + i);
    double any = t.any / t.trials, coverage = t.covered / t.tested;
    const char *name = model_names[row->model];
    printf("| %s | %zu | %.0f | %.3f | %.3f |\n", name, row->each, row->samples, any, coverage);
    if (!within(any, t.trials, row->any, 50)) good = wrong("any", name, row->each, any, row->any);
    /* Functions of one comparison share its common factor; a comparison counts as 10 of them. */
    if (!within(coverage, 10 * t.trials, row->coverage, 500))
      good = wrong("coverage", name, row->each, coverage, row->coverage);
  }
  return good;
}

/* One function in ten changed by 30 %: false discovery rate, and power over functions of 2 %. */
static const struct changed_row {
  enum noise_model model;
  size_t each;
  double rate, power;
} changed_rows[] = {
    {POISSON, 3, .00, .72}, {POISSON, 5, .01, .99}, {OVER, 3, .01, .39},
    {OVER, 5, .02, .80},    {OVER, 10, .03, .93},   {OUTLIER, 3, .04, .52},
    {OUTLIER, 5, .01, .87}, {DRIFT, 3, .02, .67},   {DRIFT, 5, .01, .93},
};

static bool print_changed(size_t repetitions) {
  bool good = true;
  printf("\nOne function in ten changed by 30 %%, 7000 samples\n\n"
         "| noise | runs a side | false discoveries | power, functions of 2 %% and more |\n"
         "|---|---:|---:|---:|\n");
  for (size_t i = 0; i < sizeof changed_rows / sizeof changed_rows[0]; i++) {
    const struct changed_row *row = &changed_rows[i];
    struct setup s = {row->model, row->each, 7000, 0.1, 0.3, 0, FUNCTIONS};
    struct tally t = simulate(&s, repetitions, 2000 + i);
    double rate = t.false_share / t.trials, power = t.power / t.with_large;
    const char *name = model_names[row->model];
    printf("| %s | %zu | %.3f | %.2f |\n", name, row->each, rate, power);
    if (!within(rate, t.trials, row->rate, 50))
      good = wrong("rate", name, row->each, rate, row->rate);
    /* Three of four comparisons have a changed function of that size. */
    if (!within(power, t.with_large, row->power, 37))
      good = wrong("power", name, row->each, power, row->power);
  }
  return good;
}

/* Power for one changed function among 60: share x effect. */
static const struct {
  double share, effect;
} effects[] = {{0.05, 0.10}, {0.05, 0.30}, {0.20, 0.10}, {0.20, 0.30}};
static const struct power_row {
  size_t each;
  double samples, power[4];
} power_rows[] = {
    {1, 700, {0, .10, 0, .07}},       {1, 7000, {.03, .23, .07, .37}},
    {1, 50000, {.07, .57, .13, .57}}, {3, 700, {0, 0, 0, .07}},
    {3, 7000, {.03, .27, 0, .60}},    {3, 50000, {.03, .57, .10, .47}},
    {5, 700, {0, .03, .03, .33}},     {5, 7000, {.07, .77, .03, .80}},
    {5, 50000, {.07, .77, .27, .80}}, {10, 700, {0, .33, 0, .77}},
    {10, 7000, {.10, .87, .43, .93}}, {10, 50000, {.57, .97, .51, .80}},
};

static bool print_power(size_t repetitions) {
  bool good = true;
  printf("\nPower for one changed function, noise `over`\n\n"
         "| runs a side | samples | 5 %% x 10 %% | 5 %% x 30 %% | 20 %% x 10 %% | 20 %% x 30 %% |\n"
         "|---:|---:|---:|---:|---:|---:|\n");
  for (size_t i = 0; i < sizeof power_rows / sizeof power_rows[0]; i++) {
    const struct power_row *row = &power_rows[i];
    printf("| %zu | %.0f |", row->each, row->samples);
    double power[4];
    for (size_t e = 0; e < 4; e++) {
      struct setup s = {OVER, row->each, row->samples, 0, effects[e].effect, effects[e].share, 60};
      struct tally t = simulate(&s, repetitions, 3000 + 4 * i + e);
      power[e] = t.power / t.with_large;
      printf(" %.2f |", power[e]);
    }
    printf("\n");
    for (size_t e = 0; e < 4; e++)
      if (!within(power[e], (double)repetitions, row->power[e], 30))
        good = wrong("power", "over", row->each, power[e], row->power[e]);
  }
  return good;
}

int main(int argc, char **argv) {
  bool quick = argc > 1 && strcmp(argv[1], "-quick") == 0;
  bool good = print_null(quick ? 25 : 400);
  good = print_changed(quick ? 25 : 400) && good;
  good = print_power(quick ? 10 : 200) && good;
  if (!good) printf("\na target was missed\n");
  return good ? 0 : 1;
}
