/* Fits the factor that all functions of a run share, and tests every row twice. Rows that changed
 * in the first round of tests do not contribute to this factor in the second round. */
#include "verdict/model.h"

/* Minimum number of samples per run of a function that contributes to the common factor (the factor
 * that all functions of a run share). */
#define COMMON_SAMPLES 5
/* Minimum number of functions with COMMON_SAMPLES samples for estimating this common factor. */
#define COMMON_ROWS  10
#define COMMON_LEAST 1e-6
/* Variance of a median divided by the variance of a mean. */
#define MEDIAN_EXCESS 1.5707963267948966

/* ---- the common factor ------------------------------- */

static bool common_uses(const struct model *model, size_t row) {
  return model->fit->of[row].samples >= COMMON_SAMPLES && !model->suspect[row];
}

static size_t common_rows(const struct model *model) {
  size_t count = 0;
  for (size_t i = 0; i < model->m->rows; i++) count += common_uses(model, i);
  return count;
}

static void common_mean_rates(const struct model *model) {
  const struct matrix *m = model->m;
  for (size_t i = 0; i < m->rows; i++) {
    double sum = 0;
    for (size_t r = 0; r < m->runs; r++) sum += model_size(m, r) * model_rate(m, i, r);
    model->scratch[i] = sum / model->run_count;
  }
}

/* Returns the factor that all functions of a run share. This is the weighted median, over all rows,
 * of the rate in this run divided by the mean rate in all runs. */
static double common_of_run(const struct model *model, size_t run) {
  const struct matrix *m = model->m;
  size_t count = 0;
  for (size_t i = 0; i < m->rows; i++) {
    if (!common_uses(model, i)) continue;
    model->medians[count] = (struct weighted){.value = model_rate(m, i, run) / model->scratch[i],
                                              .weight = sqrt(model->fit->of[i].samples),
                                              .place = count};
    count++;
  }
  return fmax(stats_weighted_median(model->medians, count), COMMON_LEAST);
}

/* Stores the factor that all functions of a run share in fit->common. Fills in model->scaled. */
static void model_common(struct model *model) {
  const struct matrix *m = model->m;
  struct fit *fit = model->fit;
  fit->has_common = model->settings->common && common_rows(model) >= COMMON_ROWS;
  double logs = 0;
  if (fit->has_common) common_mean_rates(model);
  for (size_t r = 0; r < m->runs; r++) {
    fit->common[r] = fit->has_common ? common_of_run(model, r) : 1;
    logs += model_size(m, r) * log(fit->common[r]);
  }
  double mean = exp(logs / model->run_count);
  for (size_t r = 0; r < m->runs; r++) {
    if (fit->has_common) fit->common[r] /= mean;
    model->scaled[r] = m->exposure[r] * fit->common[r];
  }
}

/* Returns the relative variance of the common factor (the factor that all functions of a run
 * share): a weighted median of one ratio per row. */
static double common_error(const struct model *model) {
  const struct fit *fit = model->fit;
  double cv = model->settings->noise_cv, squares = 0, densities = 0;
  double noise = model->run_count == 2 ? cv * cv : fit->cv2;
  if (!fit->has_common) return 0;
  for (size_t i = 0; i < model->m->rows; i++) {
    double samples = fit->of[i].samples;
    if (!common_uses(model, i) || model->m->quantum[i] <= 0) continue;
    squares += samples;
    densities += sqrt(samples / (fit->dispersion * (1 / samples + noise)));
  }
  return densities > 0 ? MEDIAN_EXCESS * squares / (densities * densities) : 0;
}

/* ---- rounds of tests --------------------------------- */

/* Chooses the rows to test by the samples of base and head together, because a choice by the
 * difference would bias the p-values. */
static void model_choose(struct model *model) {
  const struct matrix *m = model->m;
  bool pair = model->run_count == 2;
  model->fit->tested = 0;
  for (size_t i = 0; i < m->rows; i++) {
    double sum = 0;
    for (size_t r = 0; r < m->runs; r++) sum += model_samples(m, i, m->values[i * m->runs + r]);
    model->fit->of[i].samples = sum / model->run_count;
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
  model->scaled = arena_array(arena, m->runs, sizeof(double));
  model->scratch = arena_array(arena, m->rows, sizeof(double));
  model->squares = arena_array(arena, m->rows, sizeof(double));
  model->medians = arena_array(arena, m->rows, sizeof *model->medians);
  model->variances = arena_array(arena, 2 * m->rows, sizeof *model->variances);
  model->suspect = arena_zero_array(arena, m->rows, sizeof *model->suspect);
  return model->fit->common && model->fit->of && model->scaled && model->scratch &&
         model->squares && model->medians && model->variances && model->suspect;
}

double model_sizes(const struct matrix *m, size_t from, size_t end) {
  double sum = 0;
  for (size_t r = from; r < end; r++) sum += model_size(m, r);
  return sum;
}

static void model_test(struct model *model) {
  if (model->run_count == 2)
    model_pair_test(model);
  else
    model_runs_test(model);
}

static void model_pair_intervals(const struct model *model) {
  const struct matrix *m = model->m;
  struct fit *fit = model->fit;
  for (size_t i = 0; model->run_count == 2 && i < m->rows; i++)
    model_interval(m, model->settings->noise_cv, fit, i, MODEL_TAIL, &fit->of[i].low,
                   &fit->of[i].high);
}

bool model_apply(const struct matrix *m, const struct model_settings *settings,
                 const struct fit *known, struct arena *arena, struct fit *fit) {
  struct model model = {.m = m, .settings = settings, .fit = fit, .known = known};
  model.run_count = model_sizes(m, 0, m->runs);
  *fit = *known;
  if (!model_alloc(&model, arena)) return false;
  model_choose(&model);
  for (size_t r = 0; r < m->runs; r++) {
    fit->common[r] = known->common[r];
    model.scaled[r] = m->exposure[r] * known->common[r];
  }
  model_test(&model);
  model_pair_intervals(&model);
  return true;
}

pprofc_status model_fit(const struct matrix *m, const struct model_settings *settings,
                        struct arena *arena, struct fit *fit, pprofc_error *error) {
  struct model model = {.m = m, .settings = settings, .fit = fit};
  model.run_count = model_sizes(m, 0, m->runs);
  *fit = (struct fit){.dispersion = 1};
  if (!model_alloc(&model, arena)) return error_nomem(error);
  model_choose(&model);
  for (int pass = 0; pass < (settings->common ? 2 : 1); pass++) {
    model_common(&model);
    model_test(&model);
    fit->common_error = common_error(&model);
    model_mark_suspects(&model);
  }
  model_pair_intervals(&model);
  return PPROFC_OK;
}

void model_interval(const struct matrix *m, double noise_cv, const struct fit *fit, size_t row,
                    double tail, double *low, double *high) {
  const struct estimate *e = &fit->of[row];
  double scaled[2];
  if (model_sizes(m, 0, m->runs) > 2) {
    double ratio =
        pprofc_t_quantile(tail, fit->degrees) / pprofc_t_quantile(MODEL_TAIL, fit->degrees);
    double half = (e->high - e->low) / 2 * ratio;
    *low = e->delta - half;
    *high = e->delta + half;
  } else if (m->quantum[row] > 0) {
    for (size_t side = 0; side < 2; side++) scaled[side] = m->exposure[side] * fit->common[side];
    model_pair_interval(m, noise_cv, 0, fit, scaled, row, pprofc_normal_quantile(tail), low, high);
  } else {
    *low = *high = e->delta;
  }
}
