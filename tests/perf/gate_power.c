/* Measures how often gates raise a false alarm, and how often they find a regression. Several rules
 * judge simulated suites of benchmarks with several types of noise. The seed is fixed, so the
 * numbers are the same in each run.
 *
 *   gate_power          200 suites of 100 benchmarks, the table of docs/GATES.md
 *   gate_power -quick   40 suites; still fails if a target is missed */
#include "gate_power.h"

#include "gate/judge.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LIMIT      0.03
#define SUITES_MAX 200

/* ---- noise ------------------------------------------- */

double uniform(struct random *r) {
  uint64_t z = (r->state += 0x9E3779B97F4A7C15u); /* the splitmix64 generator */
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

double normal(struct random *r) {
  return pprofc_normal_quantile(uniform(r));
}

/* Returns log-normal noise of sigma 0.5 and skewness 1.75, with a long tail towards slow
 * samples. */
static double skewed(struct random *r) {
  const double s = 0.5, mean = exp(s * s / 2), variance = (exp(s * s) - 1) * exp(s * s);
  return (exp(s * normal(r)) - mean) / sqrt(variance);
}

/* Returns noise with two speeds, as on a processor with two types of cores. A third of the samples
 * is slow. */
static double bimodal(struct random *r) {
  const double share = 1.0 / 3, inner = 0.3;
  double between = sqrt((1 - inner * inner) / (share * (1 - share)));
  bool slow = uniform(r) < share;
  return between * ((slow ? 1 : 0) - share) + inner * normal(r);
}

/* Names of the types of noise. Each has mean 0 and standard deviation 1. A drifting run gets slower
 * from the first sample of the base to the last sample of the head. The whole drift is three
 * standard deviations and 6 %. */
const char *const shape_names[SHAPES] = {"normal", "skewed", "bimodal", "outliers", "drifting"};
static double (*const shape_noise[])(struct random *) = {normal, skewed, bimodal, normal, normal};

#define OUTLIER_SHARE 0.1 /* share of samples that are outliers, which take 50 to 150 % longer */

/* Returns one sample of a benchmark whose mean time is 1. */
double sample_once(struct random *r, enum shape shape, double noise) {
  double value = 1 + noise * shape_noise[shape](r);
  if (shape == OUTLIERS && uniform(r) < OUTLIER_SHARE) value *= 1.5 + uniform(r);
  return fmax(value, 0.01);
}

static void draw(struct random *r, enum shape shape, double noise, double factor, bool head,
                 double *values) {
  for (size_t i = 0; i < SAMPLES; i++) {
    double when = (double)(i + (head ? SAMPLES : 0)) / (2 * SAMPLES - 1);
    double drift = shape == DRIFTING ? (3 * noise + 0.06) * when : 0;
    values[i] = 1e-6 * factor * (sample_once(r, shape, noise) + drift);
  }
}

/* ---- rules ------------------------------------------- */

enum rule { THRESHOLD_ONLY, UTEST, WELCH, GATE, RULES };

/* Results of one suite for each rule: alarms for unchanged benchmarks, and regressions found. */
struct suite {
  size_t alarms[RULES], found[RULES];
  double u_p[BENCHMARKS]; /* p-value of the U test; 2 if the medians differ by less than the
                             threshold */
  bool drift;             /* true if the gate reports drift */
};

static struct gate_sample sample_of(const double *values, double *sorted) {
  memcpy(sorted, values, SAMPLES * sizeof *sorted);
  sort_doubles(sorted, SAMPLES);
  return (struct gate_sample){values, sorted, SAMPLES};
}

void must(bool good) {
  if (good) return;
  fprintf(stderr, "gate_power: out of memory\n");
  exit(2);
}

/* Settings of a gate for single comparisons. */
static const struct gate plain = {.mem = &mem_default, .settings = {.alpha = 0.05}};

static void count(struct suite *s, enum rule rule, bool changed, bool alarm) {
  s->alarms[rule] += !changed && alarm;
  s->found[rule] += changed && alarm;
}

/* Applies the rules that judge each benchmark separately. */
static void judge_one(struct suite *s, size_t index, bool changed, struct gate_sample base,
                      struct gate_sample head) {
  struct gate_row u = gate_row_unknown(), t = gate_row_unknown();
  must(gate_compare(&plain, &u, base, head, PPROFC_GATE_UTEST));
  must(gate_compare(&plain, &t, base, head, PPROFC_GATE_WELCH));
  count(s, THRESHOLD_ONLY, changed, u.delta >= LIMIT);
  count(s, UTEST, changed, u.delta > 0 && u.p <= 0.05);
  count(s, WELCH, changed, t.delta > 0 && t.p <= 0.05);
  s->u_p[index] = u.delta >= LIMIT ? u.p : 2;
}

void add_row(struct gate *gate, bool changed, const double *base, const double *head) {
  struct gate_row row = gate_row_unknown();
  row.name = changed ? STR("changed") : STR("same");
  row.unit = STR("sec/op");
  must(gate_compare_sides(gate, &row, (struct gate_side){base, NULL, SAMPLES},
                          (struct gate_side){head, NULL, SAMPLES}));
  must(gate_add(gate, &row));
}

static void judge_suite(struct suite *s, struct gate *gate) {
  size_t rows;
  must(gate_judge(gate, "2026-11-20", NULL) == PPROFC_OK);
  const struct gate_row *row = gate_rows(gate, &rows);
  for (size_t i = 0; i < rows; i++)
    count(s, GATE, str_equal(row[i].name, STR("changed")), row[i].verdict == PPROFC_GATE_REGRESSED);
  s->drift = gate->drifting;
}

static struct suite run_suite(struct random *r, enum shape shape, double noise, double effect) {
  struct suite s = {.drift = false};
  struct gate gate;
  double base[SAMPLES], head[SAMPLES], base_sorted[SAMPLES], head_sorted[SAMPLES];
  gate_init(&gate, &mem_default);
  gate.settings.threshold = LIMIT;
  for (size_t i = 0; i < BENCHMARKS; i++) {
    bool changed = effect > 0 && i < CHANGED;
    draw(r, shape, noise, 1, false, base);
    draw(r, shape, noise, changed ? 1 + effect : 1, true, head);
    judge_one(&s, i, changed, sample_of(base, base_sorted), sample_of(head, head_sorted));
    add_row(&gate, changed, base, head);
  }
  judge_suite(&s, &gate);
  gate_free(&gate);
  return s;
}

/* ---- results ----------------------------------------- */

static const double noises[] = {0.01, 0.03, 0.10};
static const double effects[] = {0.03, 0.05, 0.10, 0.20};

#define NOISES  (sizeof noises / sizeof *noises)
#define EFFECTS (sizeof effects / sizeof *effects)

/* Results for one type and size of noise. */
struct outcome {
  double alarm[RULES];          /* share of unchanged suites with at least one alarm */
  double found[EFFECTS][RULES]; /* share of the regressions that a rule finds */
  double found_u[EFFECTS];      /* share of regressions that the U test with a threshold finds; it
                                   has as many false alarms as the gate */
  double drift;                 /* share of unchanged suites in which the gate reports drift */
};

/* Returns the largest p-value at which the U test raises no more alarms in unchanged suites than
 * the gate. `allowed` is the gate's number of alarms. Takes the smallest p-value of each suite,
 * skips the `allowed` smallest of these, and returns the next one. */
static double matching_alpha(const struct suite *suites, size_t count, size_t allowed) {
  double smallest[SUITES_MAX];
  for (size_t i = 0; i < count; i++) {
    smallest[i] = 2;
    for (size_t k = 0; k < BENCHMARKS; k++) smallest[i] = fmin(smallest[i], suites[i].u_p[k]);
  }
  sort_doubles(smallest, count);
  return allowed < count ? smallest[allowed] : 1;
}

static size_t count_u(const struct suite *s, double alpha) {
  size_t found = 0;
  /* Compare with <, because a p-value equal to alpha would be one alarm too many. The p-value 2 is
   * never significant. */
  for (size_t k = 0; k < CHANGED; k++) found += s->u_p[k] < fmin(alpha, 1.5);
  return found;
}

static struct outcome simulate(enum shape shape, double noise, size_t count) {
  struct random r = {20261120u + 1000u * (uint64_t)shape + (uint64_t)(noise * 100)};
  struct outcome o = {.drift = 0};
  struct suite *suites = mem_array(&mem_default, count, sizeof *suites);
  must(suites != NULL);
  size_t alarms[RULES] = {0};
  for (size_t i = 0; i < count; i++) {
    suites[i] = run_suite(&r, shape, noise, 0);
    for (int rule = 0; rule < RULES; rule++) alarms[rule] += suites[i].alarms[rule] > 0;
    o.drift += (double)suites[i].drift / (double)count;
  }
  for (int rule = 0; rule < RULES; rule++) o.alarm[rule] = (double)alarms[rule] / (double)count;
  double alpha = matching_alpha(suites, count, alarms[GATE]);
  for (size_t e = 0; e < EFFECTS; e++)
    for (size_t i = 0; i < count; i++) {
      struct suite s = run_suite(&r, shape, noise, effects[e]);
      for (int rule = 0; rule < RULES; rule++)
        o.found[e][rule] += (double)s.found[rule] / (double)(count * CHANGED);
      o.found_u[e] += (double)count_u(&s, alpha) / (double)(count * CHANGED);
    }
  mem_free(&mem_default, suites, count, sizeof *suites);
  return o;
}

static void print_outcome(enum shape shape, double noise, const struct outcome *o) {
  printf("| %s | %.0f %% |", shape_names[shape], 100 * noise);
  for (int rule = 0; rule < RULES; rule++) printf(" %.1f |", 100 * o->alarm[rule]);
  for (size_t e = 0; e < EFFECTS; e++)
    printf(" %.1f / %.1f / %.1f / **%.1f** / %.1f |", 100 * o->found[e][THRESHOLD_ONLY],
           100 * o->found[e][UTEST], 100 * o->found[e][WELCH], 100 * o->found[e][GATE],
           100 * o->found_u[e]);
  printf(" %.1f |\n", 100 * o->drift);
}

/* ---- targets ----------------------------------------- */

bool complain(enum shape shape, double noise, const char *what, double value) {
  printf("missed: %s, noise %.0f %%: %s is %.1f %%\n", shape_names[shape], 100 * noise, what,
         100 * value);
  return false;
}

/* Returns two standard errors of the difference of two shares, over all regressions of `count`
 * suites. */
static double margin(double share, size_t count) {
  double p = fmin(fmax(share, 0.02), 0.98);
  return 2 * sqrt(2 * p * (1 - p) / (double)(count * CHANGED));
}

/* Returns the maximum share of suites with an alarm: 5 %, plus two standard errors because the
 * suites are few. */
double most_alarms(size_t count) {
  return count < SUITES_MAX ? 0.05 + 2 * sqrt(0.05 * 0.95 / (double)count) : 0.05;
}

static bool check(enum shape shape, double noise, const struct outcome *o, size_t count) {
  bool good = true;
  if (shape == DRIFTING) return o->drift >= 0.95 || complain(shape, noise, "drift named", o->drift);
  if (o->alarm[GATE] > most_alarms(count))
    good = complain(shape, noise, "false alarms", o->alarm[GATE]);
  if (o->drift > most_alarms(count))
    good = complain(shape, noise, "drift named without any", o->drift);
  if (noise == 0.01 && o->found[1][GATE] < (shape == OUTLIERS ? 0.85 : 0.95))
    good = complain(shape, noise, "+5 % found", o->found[1][GATE]);
  for (size_t e = 0; e < EFFECTS; e++)
    if (o->found[e][GATE] < o->found_u[e] - margin(o->found_u[e], count))
      good = complain(shape, noise, "found, less than by U,", o->found[e][GATE]);
  return good;
}

/* ---- the smallest detectable change ------------------ */

/* The smallest detectable change, and the share of changed samples in which a test finds it.
 * `found` is for the change computed from the noise of the same samples, `found_later` for the
 * change computed from an earlier pair. */
struct sight {
  double change, found, found_later;
};

static double noise_of(const double *values) {
  pprofc_moments m = pprofc_moments_of(values, SAMPLES);
  return sqrt(m.variance) / m.mean;
}

static bool is_found(struct random *r, enum shape shape, double noise, double change, bool ranks) {
  double base[SAMPLES], head[SAMPLES], base_sorted[SAMPLES], head_sorted[SAMPLES];
  struct gate_row row = gate_row_unknown();
  draw(r, shape, noise, 1, false, base);
  draw(r, shape, noise, 1 + change, true, head);
  must(gate_compare(&plain, &row, sample_of(base, base_sorted), sample_of(head, head_sorted),
                    ranks ? PPROFC_GATE_UTEST : PPROFC_GATE_WELCH));
  return row.p <= 0.05 / BENCHMARKS;
}

static struct sight look(enum shape shape, double noise, bool ranks, size_t draws) {
  struct random r = {77 + (uint64_t)shape};
  struct gate_design design = {noise, noise, SAMPLES, SAMPLES, -1, 0.05 / BENCHMARKS, ranks};
  struct gate_power power;
  struct sight s = {0, 0, 0};
  gate_power_init(&power, &mem_default);
  must(gate_power_visible(&power, &design, &s.change));
  for (size_t i = 0; i < draws; i++) {
    double values[SAMPLES], change;
    draw(&r, shape, noise, 1, false, values);
    design.base_noise = noise_of(values);
    draw(&r, shape, noise, 1, true, values);
    design.head_noise = noise_of(values);
    must(gate_power_visible(&power, &design, &change));
    s.found += is_found(&r, shape, noise, s.change, ranks);
    s.found_later += is_found(&r, shape, noise, change, ranks);
  }
  gate_power_free(&power);
  s.found /= (double)draws;
  s.found_later /= (double)draws;
  return s;
}

/* True if the test finds the computed change in a share GATE_POWER of the runs with normal noise,
 * within three standard errors. For the U test, random draws in computing the change add to the
 * error. */
static bool check_sight(enum shape shape, double noise, bool ranks, const struct sight *s,
                        size_t draws) {
  double error = sqrt(GATE_POWER * (1 - GATE_POWER) * (1 / (double)draws + (ranks ? 0.0005 : 0)));
  if (shape != NORMAL || fabs(s->found - GATE_POWER) <= 3 * error) return true;
  return complain(shape, noise,
                  ranks ? "found by U at the change that is stated"
                        : "found by Welch at the change that is stated",
                  s->found);
}

static bool print_sights(size_t draws) {
  bool good = true;
  printf(
      "\nThe smallest visible change, and the share of %zu runs in which it is found: stated for "
      "the noise as it is, and for that of an earlier run\n\n"
      "| noise | size | Welch | found | found later | U | found | found later |\n"
      "| --- | --- | --: | --: | --: | --: | --: | --: |\n",
      draws);
  for (int shape = 0; shape < DRIFTING; shape++)
    for (size_t n = 0; n < NOISES; n++) {
      printf("| %s | %.0f %% |", shape_names[shape], 100 * noises[n]);
      for (int ranks = 0; ranks < 2; ranks++) {
        struct sight s = look((enum shape)shape, noises[n], ranks, draws);
        printf(" %.1f | %.1f | %.1f |", 100 * s.change, 100 * s.found, 100 * s.found_later);
        good = check_sight((enum shape)shape, noises[n], ranks, &s, draws) && good;
      }
      printf("\n");
    }
  return good;
}

/* ---- earlier runs ------------------------------------ */

#define RUNS_MAX     20
#define BETWEEN      0.03 /* noise between processes */
#define WITHIN       0.01 /* noise within a process, for all types of noise */
#define EARLIER_FIND 0.20

/* Draws the samples of one process, which share the speed of the process. */
static void draw_process(struct random *r, enum shape shape, double factor, double *values) {
  double speed = sample_once(r, shape, BETWEEN);
  draw(r, NORMAL, WITHIN, factor * speed, false, values);
}

static void keep_runs(struct random *r, enum shape shape, size_t runs, struct gate *gate,
                      size_t benchmark) {
  double medians[RUNS_MAX], values[SAMPLES];
  char key[32];
  int size = snprintf(key, sizeof key, "%c%zu%csec/op", 0, benchmark, 0);
  for (size_t i = 0; i < runs; i++) {
    draw_process(r, shape, 1, values);
    sort_doubles(values, SAMPLES);
    medians[i] = (values[SAMPLES / 2 - 1] + values[SAMPLES / 2]) / 2;
  }
  must(gate_keep_earlier(gate, (pprofc_str){key, (size_t)size}, medians, runs));
}

/* Judges a suite with one process per side, using the noise of earlier runs. Adds an alarm and the
 * regressions found. */
static void run_earlier(struct random *r, enum shape shape, size_t runs, double effect,
                        size_t *alarms, size_t *found) {
  struct gate gate;
  double base[SAMPLES], head[SAMPLES];
  size_t rows, wrong = 0;
  char name[32];
  gate_init(&gate, &mem_default);
  for (size_t i = 0; i < BENCHMARKS; i++) keep_runs(r, shape, runs, &gate, i);
  must(gate_share_earlier(&gate));
  for (size_t i = 0; i < BENCHMARKS; i++) {
    struct gate_row row = gate_row_unknown();
    draw_process(r, shape, 1, base);
    draw_process(r, shape, i < CHANGED ? 1 + effect : 1, head);
    snprintf(name, sizeof name, "%zu", i);
    row.name = arena_str(&gate.arena, str_of(name));
    row.unit = STR("sec/op");
    must(gate_compare_sides(&gate, &row, (struct gate_side){base, NULL, SAMPLES},
                            (struct gate_side){head, NULL, SAMPLES}));
    must(gate_add(&gate, &row));
  }
  must(gate_judge(&gate, "2026-11-20", NULL) == PPROFC_OK);
  const struct gate_row *row = gate_rows(&gate, &rows);
  for (size_t i = 0; i < rows; i++) {
    bool red = row[i].verdict == PPROFC_GATE_REGRESSED, changed = effect > 0 && i < CHANGED;
    wrong += red && !changed;
    *found += red && changed;
  }
  *alarms += wrong > 0;
  gate_free(&gate);
}

/* Fails if normal or skewed noise raises an alarm in more than 5 % of the unchanged suites. Also
 * fails if the gate finds less than 80 % of the regressions with normal noise and six earlier
 * runs. */
static bool print_earlier(size_t count) {
  static const size_t runs[] = {3, 6, 10, 20};
  bool good = true;
  printf("\nEarlier runs, noise between processes %.0f %%: suites with an alarm, +%.0f %% found\n\n"
         "| noise | earlier runs | alarms | found |\n| --- | --: | --: | --: |\n",
         100 * BETWEEN, 100 * EARLIER_FIND);
  for (int shape = 0; shape < DRIFTING; shape++)
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
      struct random r = {11 + (uint64_t)shape};
      size_t alarms = 0, found = 0, unused = 0;
      for (size_t i = 0; i < count; i++) {
        run_earlier(&r, (enum shape)shape, runs[k], 0, &alarms, &unused);
        run_earlier(&r, (enum shape)shape, runs[k], EARLIER_FIND, &unused, &found);
      }
      double alarm = (double)alarms / (double)count;
      double share = (double)found / (double)(count * CHANGED);
      printf("| %s | %zu | %.1f | %.1f |\n", shape_names[shape], runs[k], 100 * alarm, 100 * share);
      bool judged = shape == NORMAL || shape == SKEWED;
      if (judged && alarm > most_alarms(count))
        good = complain((enum shape)shape, BETWEEN, "false alarms by earlier runs", alarm);
      if (shape == NORMAL && runs[k] >= 6 && share < 0.80)
        good = complain(NORMAL, BETWEEN, "found by earlier runs", share);
    }
  return good;
}

int main(int argc, char **argv) {
  bool quick = argc > 1 && strcmp(argv[1], "-quick") == 0, good = true;
  size_t count = quick ? 40 : SUITES_MAX;
  printf(
      "%zu suites of %d benchmarks, n=%d, threshold %.0f %%; %d regressed. All numbers in %%.\n\n",
      count, BENCHMARKS, SAMPLES, 100 * LIMIT, CHANGED);
  printf("| noise | size | alarms: threshold | U | Welch | gate |"
         " +3 %%: threshold / U / Welch / gate / U at the gate's alarms | +5 %% | +10 %% | +20 %% |"
         " drift named |\n| --- | --- |");
  for (size_t i = 0; i < RULES + EFFECTS + 1; i++) printf(" --: |");
  printf("\n");
  for (int shape = 0; shape < SHAPES; shape++)
    for (size_t n = 0; n < NOISES; n++) {
      struct outcome o = simulate((enum shape)shape, noises[n], count);
      print_outcome((enum shape)shape, noises[n], &o);
      fflush(stdout);
      good = check((enum shape)shape, noises[n], &o, count) && good;
    }
  good = print_sights(quick ? 1000 : 4000) && good;
  good = print_stages(count) && good;
  good = print_earlier(count) && good;
  good = print_rounds(quick ? 10 : 100) && good;
  printf("\n");
  printf("%s\n", good ? "every target is met" : "a target was missed");
  return good ? 0 : 1;
}
