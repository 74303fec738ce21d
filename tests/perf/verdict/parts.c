/* Computes Fieller's interval, and three corrections for functions that were selected because they
 * look large. */
#include "parts.h"

#include "pprofc/stats.h"
#include "stats/stats.h"

#include <math.h>
#include <string.h>

#define RESAMPLES 400

double part_truth(const struct noise_draw *draw, const bool *chosen) {
  double part = 0, all = 0;
  for (size_t i = 0; i < draw->rows; i++) {
    all += draw->truth[i];
    if (chosen[i]) part += draw->truth[i];
  }
  return part / all;
}

double part_error(const struct rule_answer *said, size_t row) {
  return (said->high[row] - said->low[row]) / 2 / said->margin;
}

/* ---- Fieller ----------------------------------------- */

static void part_sums(const struct noise_draw *draw, const double *scaled, const bool *chosen,
                      double *part, double *all) {
  for (size_t r = 0; r < draw->runs; r++) {
    part[r] = all[r] = 0;
    for (size_t i = 0; i < draw->rows; i++) {
      double value = draw->values[i * draw->runs + r] / scaled[r];
      all[r] += value;
      if (chosen[i]) part[r] += value;
    }
  }
}

static struct part_interval part_fieller(const struct noise_draw *draw, const double *scaled,
                                         const bool *chosen) {
  double part[RUNS_MAX], all[RUNS_MAX];
  part_sums(draw, scaled, chosen, part, all);
  struct ratio_interval i = stats_fieller(part, all, draw->bases, draw->runs);
  return (struct part_interval){i.bounded, i.low, i.high, part_truth(draw, chosen)};
}

/* ---- data splitting ---------------------------------- */

/* Copies the runs [from, end) of base and of head. */
static void part_take_runs(const struct noise_draw *draw, size_t from, size_t end,
                           struct noise_draw *out) {
  size_t side = end - from, size = side * sizeof(double);
  memcpy(out, draw, sizeof *out);
  out->bases = side;
  out->runs = 2 * side;
  for (size_t i = 0; i < draw->rows; i++) {
    const double *values = draw->values + i * draw->runs;
    memcpy(out->values + i * out->runs, values + from, size);
    memcpy(out->values + i * out->runs + side, values + draw->bases + from, size);
  }
}

static struct part_interval part_splitting(const struct noise_draw *draw) {
  struct noise_draw first, second;
  struct rule_answer found, said;
  size_t changes = 0;
  part_take_runs(draw, 0, draw->bases / 2, &first);
  part_take_runs(draw, draw->bases / 2, draw->bases, &second);
  rule_judge(MODEL, &first, &found);
  rule_judge(MODEL, &second, &said);
  for (size_t i = 0; i < draw->rows; i++) changes += found.changed[i];
  struct part_interval i = part_fieller(&second, said.scaled, found.changed);
  i.bounded = i.bounded && changes > 0;
  return i;
}

/* ---- bootstrap --------------------------------------- */

/* Returns the smallest t value of the functions in which a change was found. */
static double part_least_t(const struct rule_answer *said) {
  double least = (double)INFINITY;
  for (size_t i = 0; i < said->rows; i++)
    if (said->changed[i]) least = fmin(least, fabs(said->delta[i]) / part_error(said, i));
  return least;
}

static void part_pick(struct random_source *r, size_t side, size_t *pick) {
  for (size_t i = 0; i < 2 * side; i++) pick[i] = random_below(r, side) + (i < side ? 0 : side);
}

struct part_sums {
  double chosen, chosen_before, all; /* change of the selected functions, of the same functions in
                                        the original runs, and of all functions */
};

/* Draws one bootstrap sample of the runs. A function counts as found if it reaches the same minimum
 * t value. */
static struct part_sums part_resample(struct random_source *r, const struct noise_draw *draw,
                                      const struct rule_answer *said, double least) {
  size_t pick[RUNS_MAX], n = draw->bases;
  struct part_sums s = {0, 0, 0};
  part_pick(r, n, pick);
  for (size_t i = 0; i < draw->rows; i++) {
    double change = 0;
    for (size_t k = 0; k < 2 * n; k++) {
      double value = draw->values[i * draw->runs + pick[k]] / said->scaled[pick[k]] / (double)n;
      change += k < n ? -value : value;
    }
    s.all += change;
    if (fabs(change) < least * part_error(said, i)) continue;
    s.chosen += change;
    s.chosen_before += said->delta[i];
  }
  return s;
}

static struct part_interval part_bootstrap(struct random_source *r, const struct noise_draw *draw,
                                           const struct rule_answer *said) {
  double off[RESAMPLES], all = 0, chosen = 0, least = part_least_t(said), n = (double)draw->bases;
  size_t grew = 0;
  for (size_t i = 0; i < draw->rows; i++) {
    all += said->delta[i];
    if (said->changed[i]) chosen += said->delta[i];
  }
  for (size_t i = 0; i < RESAMPLES; i++) {
    struct part_sums s = part_resample(r, draw, said, least);
    off[i] = s.chosen / s.all - s.chosen_before / all;
    grew += s.all > 0;
  }
  sort_doubles(off, RESAMPLES);
  /* The variance of n runs around their own mean is too small by the factor (n - 1) / n. */
  double part = chosen / all, wider = sqrt(n / (n - 1)), share = (double)grew / RESAMPLES;
  return (struct part_interval){
      share < 0.025 || share > 0.975, part - wider * off[RESAMPLES - RESAMPLES / 40],
      part - wider * off[RESAMPLES / 40], part_truth(draw, said->changed)};
}

/* ---- shrinkage --------------------------------------- */

/* Returns the most likely mean m for an observed value z: the mean of a normal number with variance
 * 1, given that it exceeds `least`, is z. */
static double part_shrink(double z, double least) {
  double low = 0, high = fabs(z);
  for (int i = 0; i < 60; i++) {
    double m = (low + high) / 2;
    double above = exp(-(least - m) * (least - m) / 2), below = exp(-(least + m) * (least + m) / 2);
    double beyond = pprofc_normal_cdf(m - least) + pprofc_normal_cdf(-least - m);
    if (m + (above - below) / (sqrt(2 * 3.14159265358979323846) * beyond) > fabs(z))
      high = m;
    else
      low = m;
  }
  return copysign((low + high) / 2, z);
}

/* Returns the variance of the difference between the sums of all functions, estimated from the
 * runs. */
static double part_total_variance(const struct noise_draw *draw, const struct rule_answer *said) {
  double part[RUNS_MAX], all[RUNS_MAX], n = (double)draw->bases;
  part_sums(draw, said->scaled, said->changed, part, all);
  return (pprofc_moments_of(all, draw->bases).variance +
          pprofc_moments_of(all + draw->bases, draw->bases).variance) /
         n;
}

static struct part_interval part_shrinkage(const struct noise_draw *draw,
                                           const struct rule_answer *said) {
  struct part_interval out = {false, 0, 0, part_truth(draw, said->changed)};
  double a = 0, t = 0, va = 0, vt = 0, least = part_least_t(said);
  for (size_t i = 0; i < draw->rows; i++) {
    double error = part_error(said, i), change = said->delta[i];
    if (said->changed[i]) {
      change = part_shrink(change / error, least) * error;
      a += change;
      va += error * error;
    }
    t += change;
    vt += error * error;
  }
  vt = fmax(vt, part_total_variance(draw, said));
  double square = said->margin * said->margin, g = square * vt / (t * t), r = a / t;
  out.bounded = g < 1;
  if (!out.bounded) return out;
  double middle = (r - g * va / vt) / (1 - g);
  double inside = va - 2 * r * va + r * r * vt - g * (va - va * va / vt);
  double half = sqrt(square * fmax(inside, 0)) / fabs(t) / (1 - g);
  out.low = middle - half;
  out.high = middle + half;
  return out;
}

struct part_interval part_by(enum part_way way, struct random_source *r,
                             const struct noise_draw *draw, const struct rule_answer *said) {
  switch (way) {
  case SPLITTING:
    return part_splitting(draw);
  case BOOTSTRAP:
    return part_bootstrap(r, draw, said);
  case SHRINKAGE:
    return part_shrinkage(draw, said);
  case POSTERIOR:
    return part_posterior(r, draw, said);
  default:
    return part_fieller(draw, said->scaled, said->changed);
  }
}
