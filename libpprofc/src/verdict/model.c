/* The two passes of a comparison, and the common factor of a run. */
#include "verdict/model.h"

#include "pprofc/stats.h"
#include "stats/moderated.h"
#include "stats/robust.h"

#include <math.h>

/* The common factor is fitted to functions with at least so many samples a run, ... */
#define COMMON_SAMPLES 5
/* ... when there are so many of them. */
#define COMMON_ROWS  10
#define COMMON_LEAST 1e-6
/* Variance of a median over that of a mean. */
#define MEDIAN_EXCESS 1.5707963267948966

/* ---- the common factor ------------------------------- */

static bool common_uses(const struct model *model, size_t row) {
  return model->mean_samples[row] >= COMMON_SAMPLES && !model->suspect[row];
}

static size_t common_rows(const struct model *model) {
  size_t count = 0;
  for (size_t i = 0; i < model->m->rows; i++) count += common_uses(model, i);
  return count;
}

/* The mean rate of each row into `scratch`. */
static void common_mean_rates(const struct model *model) {
  const struct matrix *m = model->m;
  for (size_t i = 0; i < m->rows; i++) {
    if (!common_uses(model, i)) continue;
    for (size_t r = 0; r < m->runs; r++)
      model->row[r] = m->values[i * m->runs + r] / m->exposure[r];
    model->scratch[i] = stats_mean(model->row, m->runs);
  }
}

/* The weighted median of a run's rates over their means. */
static double common_of_run(const struct model *model, size_t run) {
  const struct matrix *m = model->m;
  size_t count = 0;
  for (size_t i = 0; i < m->rows; i++) {
    if (!common_uses(model, i)) continue;
    double rate = m->values[i * m->runs + run] / m->exposure[run];
    model->medians[count] = (struct weighted){
        .value = rate / model->scratch[i], .weight = sqrt(model->mean_samples[i]), .place = count};
    count++;
  }
  return fmax(stats_weighted_median(model->medians, count), COMMON_LEAST);
}

void model_common(struct model *model) {
  const struct matrix *m = model->m;
  struct fit *fit = model->fit;
  fit->has_common = model->settings->common && common_rows(model) >= COMMON_ROWS;
  double logs = 0;
  if (fit->has_common) common_mean_rates(model);
  for (size_t r = 0; r < m->runs; r++) {
    fit->common[r] = fit->has_common ? common_of_run(model, r) : 1;
    logs += log(fit->common[r]);
  }
  double mean = exp(logs / (double)m->runs);
  for (size_t r = 0; r < m->runs; r++) {
    if (fit->has_common) fit->common[r] /= mean;
    model->scaled[r] = m->exposure[r] * fit->common[r];
  }
}

/* The weighted median of values that vary by sampling and between runs: each counts by its weight
 * times its density at the middle. */
static double common_error(const struct model *model) {
  const struct fit *fit = model->fit;
  double cv = model->settings->noise_cv, squares = 0, densities = 0;
  double noise = model->m->runs == 2 ? cv * cv : fit->cv2;
  if (!fit->has_common) return 0;
  for (size_t i = 0; i < model->m->rows; i++) {
    double samples = model->mean_samples[i];
    if (!common_uses(model, i) || model->m->quantum[i] <= 0) continue;
    squares += samples;
    densities += sqrt(samples / (fit->dispersion * (1 / samples + noise)));
  }
  return densities > 0 ? MEDIAN_EXCESS * squares / (densities * densities) : 0;
}

/* ---- the passes -------------------------------------- */

/* Both sides are looked at together: a filter that saw the difference would bias the p-values. */
static void model_choose(struct model *model) {
  const struct matrix *m = model->m;
  bool pair = m->runs == 2;
  model->fit->tested = 0;
  for (size_t i = 0; i < m->rows; i++) {
    const double *values = m->values + i * m->runs;
    double sum = 0;
    for (size_t r = 0; r < m->runs; r++) {
      model->row[r] = model_samples(m, i, values[r]);
      sum += model->row[r];
    }
    model->mean_samples[i] = stats_mean(model->row, m->runs);
    bool exact = m->quantum[i] <= 0 && !pair && sum > 0;
    bool tested = (sum >= model->settings->min_samples || exact) && !m->aside[i];
    model->fit->of[i].tested = tested;
    model->fit->tested += tested;
  }
}

static void model_mark_suspects(struct model *model) {
  for (size_t i = 0; i < model->m->rows; i++)
    model->suspect[i] = model->fit->of[i].tested && model->fit->of[i].p < MODEL_SUSPECT;
}

static bool model_alloc(struct model *model, struct arena *arena) {
  const struct matrix *m = model->m;
  model->fit->common = arena_array(arena, m->runs, sizeof(double));
  model->fit->of = arena_zero_array(arena, m->rows, sizeof *model->fit->of);
  model->mean_samples = arena_array(arena, m->rows, sizeof(double));
  model->scaled = arena_array(arena, m->runs, sizeof(double));
  model->row = arena_array(arena, m->runs, sizeof(double));
  model->scratch = arena_array(arena, m->rows, sizeof(double));
  model->squares = arena_array(arena, m->rows, sizeof(double));
  model->medians = arena_array(arena, m->rows, sizeof *model->medians);
  model->variances = arena_array(arena, 2 * m->rows, sizeof *model->variances);
  model->suspect = arena_zero_array(arena, m->rows, sizeof *model->suspect);
  return model->fit->common && model->fit->of && model->mean_samples && model->scaled &&
         model->row && model->scratch && model->squares && model->medians && model->variances &&
         model->suspect;
}

pprofc_status model_fit(const struct matrix *m, const struct model_settings *settings,
                        struct arena *arena, struct fit *fit, pprofc_error *error) {
  struct model model = {.m = m, .settings = settings, .fit = fit};
  bool pair = m->runs == 2;
  *fit = (struct fit){.dispersion = 1};
  if (!model_alloc(&model, arena)) return error_nomem(error);
  model_choose(&model);
  for (int pass = 0; pass < (settings->common ? 2 : 1); pass++) {
    model_common(&model);
    if (pair)
      model_pair_test(&model);
    else
      model_runs_test(&model);
    fit->common_error = common_error(&model);
    model_mark_suspects(&model);
  }
  for (size_t i = 0; pair && i < m->rows; i++)
    model_interval(m, settings->noise_cv, fit, i, MODEL_TAIL, &fit->of[i].low, &fit->of[i].high);
  return PPROFC_OK;
}

void model_interval(const struct matrix *m, double noise_cv, const struct fit *fit, size_t row,
                    double tail, double *low, double *high) {
  const struct estimate *e = &fit->of[row];
  if (m->runs > 2) {
    double ratio =
        pprofc_t_quantile(tail, fit->degrees) / pprofc_t_quantile(MODEL_TAIL, fit->degrees);
    double half = (e->high - e->low) / 2 * ratio;
    *low = e->delta - half;
    *high = e->delta + half;
  } else if (m->quantum[row] > 0) {
    model_pair_interval(m, noise_cv, fit, row, pprofc_normal_quantile(tail), low, high);
  } else {
    *low = *high = e->delta;
  }
}
