/* Computes the distribution of the explained share by Gibbs sampling of each function's change.
 *
 * The change of a function is d = e m + x + noise: m is its mean, e the error of the common
 * factor, and x its own change. The noise has a t distribution with the model's degrees of
 * freedom. With the probability `changes`, x is a normal number of mean `mean` m and standard
 * deviation `spread` m; otherwise x is 0. Under this model, the distribution of the share does
 * not depend on how the functions were selected. */
#include "parts.h"
#include "stats/stats.h"

#include <math.h>

#define SWEEPS      1000
#define SWEEPS_SKIP 200

/* Prior assumption: one function of ten changed, by about 30 %. */
#define CHANGES_YES    1.0
#define CHANGES_NO     9.0
#define SPREAD_SHAPE   2.0
#define SPREAD_SQUARES 0.1

struct posterior_row {
  double mean, delta, variance; /* mean, delta and the variance of delta, without the bounds that
                                   tests need */
  double weight;                /* weight of the t distribution */
  double own;                   /* own change of the function: x */
};

struct posterior {
  struct random_source *random;
  size_t rows;
  struct posterior_row row[ROWS_MAX];
  double degrees, error, changes, mean, spread2;
};

/* Returns a row. Its variance combines the shared variance of all functions with the function's own
 * variance, weighted by degrees of freedom. */
static struct posterior_row posterior_row_of(const struct noise_draw *draw,
                                             const struct rule_answer *said, size_t i) {
  const double *values = draw->values + i * draw->runs;
  double n = (double)draw->bases, degrees = 2 * n - 2, side[2] = {0, 0}, sum = 0, scaled = 0;
  double inverse = 0, squares = 0;
  for (size_t r = 0; r < draw->runs; r++) {
    side[r >= draw->bases] += values[r] / said->scaled[r] / n;
    sum += values[r];
    scaled += said->scaled[r];
    inverse += 1 / said->scaled[r] / (2 * n);
  }
  for (size_t r = 0; r < draw->runs; r++) {
    double off = values[r] / said->scaled[r] - side[r >= draw->bases];
    squares += off * off;
  }
  double sampling = fmax(sum, 0.5) / scaled * inverse;
  double expected = sampling * (1 + said->cv2 * sum / (2 * n));
  double variance = (said->prior * expected + squares) / (said->prior + degrees);
  variance = fmax(variance, sampling);
  return (struct posterior_row){(side[0] + side[1]) / 2, side[1] - side[0], variance * 2 / n, 1,
                                said->changed[i] ? side[1] - side[0] : 0};
}

static void posterior_draw_error(struct posterior *p) {
  double sum = 0, weights = 0;
  for (size_t i = 0; i < p->rows; i++) {
    const struct posterior_row *row = &p->row[i];
    double weight = row->weight / row->variance * row->mean;
    sum += weight * (row->delta - row->own);
    weights += weight * row->mean;
  }
  p->error = sum / weights + random_normal(p->random) / sqrt(weights);
}

/* Returns the probability that a row changed, given its change without the common error. */
static double posterior_chance(const struct posterior *p, double seen, double noise, double before,
                               double mean) {
  double all = noise + before;
  double yes = log(p->changes) - log(all) / 2 - (seen - mean) * (seen - mean) / (2 * all);
  double no = log(1 - p->changes) - log(noise) / 2 - seen * seen / (2 * noise);
  return 1 / (1 + exp(no - yes));
}

static void posterior_draw_row(struct posterior *p, struct posterior_row *row) {
  double seen = row->delta - p->error * row->mean, noise = row->variance / row->weight;
  double before = p->spread2 * row->mean * row->mean, mean = p->mean * row->mean;
  row->own = 0;
  if (random_uniform(p->random) < posterior_chance(p, seen, noise, before, mean)) {
    double share = before / (before + noise);
    row->own = mean + share * (seen - mean) + sqrt(share * noise) * random_normal(p->random);
  }
  double rest = seen - row->own, squares = rest * rest / row->variance;
  row->weight = 2 * random_gamma(p->random, (p->degrees + 1) / 2) / (p->degrees + squares);
}

/* Draws the parameters shared by all rows, given the rows that changed. */
static void posterior_draw_shared(struct posterior *p) {
  double count = 0, sum = 0, squares = 0;
  for (size_t i = 0; i < p->rows; i++) {
    if (p->row[i].own == 0) continue;
    double relative = p->row[i].own / p->row[i].mean;
    count++;
    sum += relative;
    squares += (relative - p->mean) * (relative - p->mean);
  }
  double yes = random_gamma(p->random, CHANGES_YES + count);
  double no = random_gamma(p->random, CHANGES_NO + (double)p->rows - count);
  p->changes = yes / (yes + no);
  p->spread2 = (SPREAD_SQUARES + (squares + p->mean * p->mean) / 2) /
               random_gamma(p->random, SPREAD_SHAPE + (count + 1) / 2);
  p->mean = sum / (count + 1) + sqrt(p->spread2 / (count + 1)) * random_normal(p->random);
}

static void posterior_sweep(struct posterior *p) {
  posterior_draw_error(p);
  for (size_t i = 0; i < p->rows; i++) posterior_draw_row(p, &p->row[i]);
  posterior_draw_shared(p);
}

struct part_interval part_posterior(struct random_source *r, const struct noise_draw *draw,
                                    const struct rule_answer *said) {
  struct posterior p = {.random = r, .degrees = said->degrees, .changes = 0.1, .spread2 = 0.09};
  bool chosen[ROWS_MAX];
  double parts[SWEEPS];
  size_t grew = 0;
  for (size_t i = 0; i < draw->rows; i++) {
    struct posterior_row row = posterior_row_of(draw, said, i);
    if (!(row.mean > 0)) continue;
    chosen[p.rows] = said->changed[i];
    p.row[p.rows++] = row;
  }
  for (size_t s = 0; s < SWEEPS + SWEEPS_SKIP; s++) {
    double part = 0, all = 0;
    posterior_sweep(&p);
    for (size_t i = 0; i < p.rows; i++) {
      all += p.row[i].own;
      if (chosen[i]) part += p.row[i].own;
    }
    if (s < SWEEPS_SKIP) continue;
    parts[s - SWEEPS_SKIP] = part / all;
    grew += all > 0;
  }
  sort_doubles(parts, SWEEPS);
  return (struct part_interval){grew < SWEEPS / 100 || grew > SWEEPS - SWEEPS / 100,
                                parts[SWEEPS / 40], parts[SWEEPS - SWEEPS / 40],
                                part_truth(draw, said->changed)};
}
