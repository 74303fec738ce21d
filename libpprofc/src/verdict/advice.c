/* Computes the smallest change that a comparison finds in 80 % of cases. Also computes how many
 * runs or samples a comparison needs to find a change of 5 %. The formula is fitted to simulations
 * (tests/perf/verdict/advice.c checks it). */
#include "verdict/compare.h"

/* Factors by which advice_factor multiplies the standard error. With few runs, a comparison often
 * overestimates the variance, and then finds only larger changes. */
#define ADVICE_EXCESS_TWO  1.45 /* for 2 runs each of base and head */
#define ADVICE_EXCESS_FEW  1.2  /* for 3 or 4 runs each of base and head */
#define ADVICE_EXCESS_MANY 1.15 /* for 5 or more runs each of base and head */
/* Factor for the variance between runs, because a changed function may vary more between runs than
 * the median function. */
#define ADVICE_UNEQUAL 2.0
/* Largest change to report, as a share of the base. */
#define ADVICE_CHANGE_MOST 10.0
#define ADVICE_ROUNDS      100
/* Relative change that users want to find. */
#define ADVICE_WANTED     0.05
#define ADVICE_RUNS_LEAST 5.0
#define ADVICE_RUNS_MOST  1e6

static double advice_excess(const struct advice *a) {
  if (isinf(a->degrees)) return 1;
  if (a->runs < 3) return ADVICE_EXCESS_TWO;
  return a->runs < 5 ? ADVICE_EXCESS_FEW : ADVICE_EXCESS_MANY;
}

/* Returns the change, in standard errors, that a comparison finds with a power of 80 %. */
static double advice_factor(const struct advice *a) {
  return advice_excess(a) * (recorded_quantile(a->limit, a->degrees) + STATS_POWER_80);
}

/* Returns the relative variance between runs. With one run each of base and head, this is the
 * assumed variance. Otherwise increases the estimate, because the changed function may vary more
 * than the median function. */
static double advice_noise(const struct advice *a) {
  return isinf(a->degrees) ? a->noise : ADVICE_UNEQUAL * a->noise;
}

/* Returns the variance of a row after the change. Sampling noise grows with the value of the row,
 * and noise between runs with the square of the value. */
static double advice_variance(const struct advice *a, double change) {
  double middle = 1 + change / 2;
  return middle * a->sampling + middle * middle * (advice_noise(a) + a->common);
}

double advice_change(const struct advice *a) {
  double factor = advice_factor(a), change = 0;
  for (int i = 0; i < ADVICE_ROUNDS; i++) {
    change = factor * sqrt(2 / a->runs * advice_variance(a, change));
    if (!(change < ADVICE_CHANGE_MOST)) return (double)INFINITY;
  }
  return change;
}

/* Returns the smallest relative change that a comparison finds with `runs` runs each of base and
 * head. */
static double advice_change_with(const struct advice *a, double runs) {
  struct advice other = *a;
  other.runs = runs;
  other.degrees = 2 * runs - 2 + a->prior;
  return advice_change(&other);
}

/* Finds the number of runs by bisection. More runs always make smaller changes visible. */
double advice_runs(const struct advice *a) {
  double low = ADVICE_RUNS_LEAST, high = ADVICE_RUNS_MOST;
  if (advice_change_with(a, low) <= ADVICE_WANTED) return low;
  if (!(advice_change_with(a, high) <= ADVICE_WANTED)) return (double)INFINITY;
  while (high - low > 1) {
    double middle = floor((low + high) / 2);
    if (advice_change_with(a, middle) <= ADVICE_WANTED)
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* More samples reduce two errors: the sampling error, and the error of the factor by which all
 * functions of a run are faster or slower. More samples do not reduce the noise between runs. */
double advice_samples(const struct advice *a) {
  double error = ADVICE_WANTED / advice_factor(a), middle = 1 + ADVICE_WANTED / 2;
  double left = a->runs / 2 * error * error - advice_noise(a) * middle * middle;
  double lessens = advice_variance(a, ADVICE_WANTED) - advice_noise(a) * middle * middle;
  return left > 0 ? fmax(1, lessens / left) : (double)INFINITY;
}

/* Chooses the row with the most samples, because changes of this row are easiest to find. */
static void advice_choose(struct comparison *c) {
  double most = 0;
  c->summary.largest = PPROFC_VERDICT_NO_ROW;
  for (size_t i = 0; i < c->rows; i++) {
    const pprofc_verdict_estimate *e = &c->row[i].flat;
    if (isnan(e->p) || !(e->samples > most)) continue;
    most = e->samples;
    c->summary.largest = i;
  }
}

/* Returns the numbers that the formulas above use, for a row with `samples` samples per run. */
static struct advice advice_known(const struct comparison *c, double samples) {
  struct advice a = {
      .runs = 2 / (1 / c->side_runs[0] + 1 / c->side_runs[1]),
      .degrees = c->flat.degrees,
      .prior = c->flat.prior,
      .limit = 1 - c->options.alpha / (2 * (double)c->summary.tested),
      .sampling = 1 / samples,
      .noise = c->flat.cv2,
      .common = c->flat.common_error,
  };
  if (c->side_runs[0] + c->side_runs[1] > 2) return a;
  a.prior = PRIOR_DEGREES_MOST;
  a.sampling = c->flat.dispersion / samples;
  a.noise = c->flat.dispersion * c->options.noise_cv * c->options.noise_cv;
  return a;
}

void advice_fill(struct comparison *c) {
  pprofc_verdict_summary *s = &c->summary;
  advice_choose(c);
  s->visible = s->runs_for_5 = s->samples_for_5 = (double)NAN;
  if (s->largest == PPROFC_VERDICT_NO_ROW || s->exact || family_is_blind(c)) return;
  if (c->quantum.sampling == SAMPLING_UNKNOWN) return;
  struct advice a = advice_known(c, c->row[s->largest].flat.samples);
  s->visible = advice_change(&a);
  s->runs_for_5 = advice_runs(&a);
  s->samples_for_5 = advice_samples(&a);
}
