/* Creates random shares by Zipf's law, changes, times of runs, and counts for each type of
 * noise. */
#include "noise.h"

#include <math.h>
#include <string.h>

const char *const noise_names[NOISE_MODELS] = {
    [POISSON] = "poisson", [OVER] = "over",   [BURSTY] = "bursty",
    [OUTLIER] = "outlier", [DRIFT] = "drift",
};

/* ---- shares and changes ------------------------------ */

/* Sets the shares, which fall as 1 / rank^0.9. If only one function changes, it is the first, and
 * the others divide the rest. */
static void noise_shares(const struct noise_case *what, struct noise_draw *draw) {
  size_t first = what->lone_share > 0;
  double sum = 0;
  for (size_t i = first; i < what->rows; i++) {
    draw->share[i] = pow((double)(i + 1 - first), -0.9);
    sum += draw->share[i];
  }
  for (size_t i = first; i < what->rows; i++) draw->share[i] *= (1 - what->lone_share) / sum;
  if (first) draw->share[0] = what->lone_share;
}

static void noise_changes(struct random_source *r, const struct noise_case *what,
                          struct noise_draw *draw) {
  size_t order[ROWS_MAX];
  for (size_t i = 0; i < what->rows; i++) {
    order[i] = i;
    draw->truth[i] = 0;
  }
  if (what->lone_share > 0) draw->truth[0] = what->samples * what->lone_share * what->effect;
  random_choose(r, order, what->rows, what->changed);
  for (size_t i = 0; i < what->changed; i++) {
    double sign = random_uniform(r) < 0.75 ? 1 : -1;
    draw->truth[order[i]] = sign * what->effect * what->samples * draw->share[order[i]];
  }
}

/* ---- time -------------------------------------------- */

/* Sets the time of each run in the session, from -1/2 to 1/2. If the runs alternate, a base run is
 * directly before or after a head run. */
static void noise_times(struct random_source *r, const struct noise_case *what, size_t bases,
                        double *when) {
  size_t n = what->side;
  bool head_first[RUNS_MAX];
  for (size_t i = 0; i < n; i++) {
    head_first[i] = random_uniform(r) < 0.5;
    when[bases + i] = (double)(what->in_turns ? 2 * i + !head_first[i] : n + i);
  }
  for (size_t i = 0; i < bases; i++) {
    size_t turn = i * n / bases;
    when[i] = (double)(what->in_turns ? 2 * turn + head_first[turn] : turn);
  }
  for (size_t i = 0; i < bases + n; i++) when[i] = when[i] / (double)(2 * n - 1) - 0.5;
}

/* ---- counts ------------------------------------------ */

/* Noise of one function between runs: its coefficient of variation and its own drift. */
struct noise_row {
  double cv, drift;
};

static struct noise_row noise_row_of(struct random_source *r, enum noise_model model) {
  switch (model) {
  case OVER:
    return (struct noise_row){fmin(0.05 * exp(0.8 * random_normal(r)), 0.5), 0};
  case OUTLIER:
    return (struct noise_row){random_uniform(r) < 0.08 ? 0.4 : 0.02, 0};
  case DRIFT:
    return (struct noise_row){0.01, random_uniform(r) < 0.4 ? 0.1 : 0};
  default:
    return (struct noise_row){0, 0};
  }
}

static double noise_common(struct random_source *r, enum noise_model model, double when) {
  if (model == OVER || model == OUTLIER) return exp(0.06 * random_normal(r));
  if (model == DRIFT) return exp(0.15 * when + 0.03 * random_normal(r));
  return 1;
}

/* Returns a random number of samples that occur in clusters, two samples per cluster on average. */
static double noise_clusters(struct random_source *r, double mean) {
  double clusters = random_poisson(r, mean / 2);
  return clusters > 0 ? clusters + random_poisson(r, random_gamma(r, clusters)) : 0;
}

static double noise_count(struct random_source *r, enum noise_model model, struct noise_row row,
                          double mean) {
  if (model == BURSTY) return noise_clusters(r, mean);
  if (row.cv <= 0) return random_poisson(r, mean);
  double variance = row.cv * row.cv;
  return random_poisson(r, mean * variance * random_gamma(r, 1 / variance));
}

void noise_draw(struct random_source *r, const struct noise_case *what, struct noise_draw *draw) {
  double when[RUNS_MAX], common[RUNS_MAX];
  memset(draw, 0, sizeof *draw);
  draw->rows = what->rows;
  draw->bases = what->fewer ? what->fewer : what->side;
  draw->runs = draw->bases + what->side;
  draw->samples = what->samples;
  draw->least = what->least;
  noise_shares(what, draw);
  noise_changes(r, what, draw);
  noise_times(r, what, draw->bases, when);
  for (size_t i = 0; i < draw->runs; i++) common[i] = noise_common(r, what->model, when[i]);
  for (size_t f = 0; f < draw->rows; f++) {
    struct noise_row row = noise_row_of(r, what->model);
    for (size_t i = 0; i < draw->runs; i++) {
      double mean = what->samples * draw->share[f] + (i < draw->bases ? 0 : draw->truth[f]);
      mean *= common[i] * exp(row.drift * when[i]);
      draw->values[f * draw->runs + i] = noise_count(r, what->model, row, mean);
    }
  }
}
