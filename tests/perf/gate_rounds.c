/* Measures how well the gate judges suites on a machine whose speed changes from round to round. */
#include "gate_power.h"

#include "bench/pairs.h"
#include "gate/judge.h"
#include "gate/read/read.h"

#include <math.h>
#include <stdio.h>

#define OWN_NOISE 0.02 /* noise of each sample, in addition to the noise between rounds */

/* Changes of the machine's speed: no change, a new speed for each round, or a new speed for each
 * side of each round. */
enum machine { STEADY, ROUNDS, PASSES, MACHINES };
static const char *const machine_names[] = {"no", "rounds", "rounds of a side"};

/* A suite that was measured in rounds, with its samples grouped like in the reader. */
struct suite_rounds {
  struct pairs pairs;
  struct pair items[BENCHMARKS];
  double values[BENCHMARKS * 2 * SAMPLES];
  uint32_t rounds[BENCHMARKS * 2 * SAMPLES];
};

static void draw_rounds(struct random *r, struct suite_rounds *s, enum machine machine,
                        double noise, const double *factors) {
  double speeds[2 * SAMPLES];
  for (size_t k = 0; k < SAMPLES; k++) {
    speeds[k] = machine == STEADY ? 1 : fmax(1 + noise * normal(r), 0.1);
    speeds[SAMPLES + k] = machine == PASSES ? fmax(1 + noise * normal(r), 0.1) : speeds[k];
  }
  for (size_t i = 0; i < BENCHMARKS; i++) {
    s->items[i] = (struct pair){.unit = 1};
    for (size_t k = 0; k < 2 * SAMPLES; k++) {
      size_t at = i * 2 * SAMPLES + k, side = k / SAMPLES;
      s->values[at] =
          1e-6 * (side ? factors[i] : 1) * speeds[k] * sample_once(r, NORMAL, OWN_NOISE);
      s->rounds[at] = (uint32_t)(2 + k % SAMPLES);
      s->items[i].sides[side].first = at - k % SAMPLES;
      s->items[i].sides[side].count = SAMPLES;
    }
  }
}

struct rounds_found {
  bool alarm, whole;
  size_t found;
};

/* Groups the samples of a suite like the reader. The caller frees the texts. */
static void group_rounds(struct suite_rounds *s) {
  static char names[SAMPLES][8];
  s->pairs = (struct pairs){.mem = &mem_default, .items = s->items, .count = BENCHMARKS};
  s->pairs.values = s->values;
  s->pairs.rounds = s->rounds;
  interner_init(&s->pairs.texts, &mem_default);
  must(interner_add(&s->pairs.texts, STR("")) != MAP_NONE);
  must(interner_add(&s->pairs.texts, STR("sec/op")) != MAP_NONE);
  for (size_t k = 0; k < SAMPLES; k++) {
    snprintf(names[k], sizeof names[k], "%zu", k);
    must(interner_add(&s->pairs.texts, str_of(names[k])) != MAP_NONE);
  }
}

/* Judges a suite in which `changed` benchmarks are slower by `effect`. */
static struct rounds_found judge_rounds(struct random *r, enum machine machine, double noise,
                                        double effect, size_t changed, bool take) {
  static struct suite_rounds s;
  double factors[BENCHMARKS];
  struct rounds_found found = {false, false, 0};
  struct gate gate;
  size_t rows;
  for (size_t i = 0; i < BENCHMARKS; i++) factors[i] = i < changed ? 1 + effect : 1;
  draw_rounds(r, &s, machine, noise, factors);
  group_rounds(&s);
  gate_init(&gate, &mem_default);
  if (take) must(gate_take_speeds(&gate, &s.pairs));
  for (size_t i = 0; i < BENCHMARKS; i++)
    add_row(&gate, factors[i] > 1, s.values + 2 * i * SAMPLES, s.values + (2 * i + 1) * SAMPLES);
  must(gate_judge(&gate, "2026-11-20", NULL) == PPROFC_OK);
  const struct gate_row *row = gate_rows(&gate, &rows);
  for (size_t i = 0; i < rows; i++) {
    bool red = row[i].verdict == PPROFC_GATE_REGRESSED;
    found.whole |= red && row[i].whole;
    found.alarm |= red && !str_equal(row[i].name, STR("changed"));
    found.found += red && str_equal(row[i].name, STR("changed"));
  }
  gate_free(&gate);
  interner_free(&s.pairs.texts);
  return found;
}

/* Shares: suites with an alarm; regressions of +10 % found in five benchmarks; suites found when
 * all, or half, of their benchmarks are 20 % slower. */
struct rounds_outcome {
  double alarm, found, whole, half;
};

static struct rounds_outcome simulate_rounds(enum machine machine, double noise, bool take,
                                             size_t count) {
  struct random r = {31 + (uint64_t)machine};
  struct rounds_outcome o = {0, 0, 0, 0};
  for (size_t i = 0; i < count; i++) {
    o.alarm += judge_rounds(&r, machine, noise, 0, 0, take).alarm;
    o.found += (double)judge_rounds(&r, machine, noise, 0.10, CHANGED, take).found / CHANGED;
    struct rounds_found all = judge_rounds(&r, machine, noise, 0.20, BENCHMARKS, take);
    o.whole += all.whole || all.found;
    o.half += judge_rounds(&r, machine, noise, 0.20, BENCHMARKS / 2, take).found > 0;
  }
  o.alarm /= (double)count;
  o.found /= (double)count;
  o.whole /= (double)count;
  o.half /= (double)count;
  return o;
}

/* Fails if more than 5 % of the unchanged suites raise an alarm when the gate removes the common
 * speed. Also fails if the gate then finds less than nine of ten regressions of +10 %. */
bool print_rounds(size_t count) {
  static const double sizes[] = {0.05, 0.10};
  bool good = true;
  printf("\nNoise of rounds: suites with an alarm, +10 %% found in %d, +20 %% of all and of half "
         "found; without / with the common speed\n\n"
         "| machine | size | alarms | +10 %% | all +20 %% | half +20 %% |\n"
         "| --- | --: | --: | --: | --: | --: |\n",
         CHANGED);
  for (int machine = 0; machine < MACHINES; machine++)
    for (size_t n = 0; n < (machine == STEADY ? 1 : sizeof sizes / sizeof *sizes); n++) {
      struct rounds_outcome a = simulate_rounds((enum machine)machine, sizes[n], false, count);
      struct rounds_outcome b = simulate_rounds((enum machine)machine, sizes[n], true, count);
      printf("| %s | %.0f %% | %.1f / %.1f | %.1f / %.1f | %.1f / %.1f | %.1f / %.1f |\n",
             machine_names[machine], machine == STEADY ? 0 : 100 * sizes[n], 100 * a.alarm,
             100 * b.alarm, 100 * a.found, 100 * b.found, 100 * a.whole, 100 * b.whole,
             100 * a.half, 100 * b.half);
      fflush(stdout);
      if (b.alarm > most_alarms(count))
        good = complain(NORMAL, sizes[n], "false alarms with rounds", b.alarm);
      if (b.found < 0.9) good = complain(NORMAL, sizes[n], "+10 % found with rounds", b.found);
    }
  return good;
}
