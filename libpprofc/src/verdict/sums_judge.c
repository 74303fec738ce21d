/* Judging sums: the tests of model.c for runs of which only sums are known. Each side has one
 * common factor, for the runs of a side cannot be told apart any more. */
#include "verdict/sums_judge.h"
#include "pprofc/stats.h"
#include "stats/moderated.h"
#include "stats/robust.h"

#include <math.h>
#include <stdlib.h>

/* As in model.c. */
#define JUDGE_COMMON_SAMPLES 5
#define JUDGE_COMMON_ROWS    10
#define JUDGE_COMMON_LEAST   1e-6
/* A factor between the sides that no machine makes. */
#define JUDGE_COMMON_BEYOND 50.0

/* One side of a row: sums over runs of the value over the exposure, and of its square. */
struct side {
  double value, noise, rate, squares;
};

struct judge {
  struct comparison *c;
  const struct sums_type *type[2]; /* of base and head */
  double runs[2];
  double exposure[2], inverse[2]; /* sums over runs of the exposure, and of 1 / exposure */
  double scale;                   /* of shares: the mean total */
  struct matrix matrix;           /* two runs: the sums of both sides */
  struct side *sides;             /* [2 * rows] */
  double *samples;                /* [rows] a run */
  bool *suspect;                  /* [rows] */
  struct weighted *medians;       /* [rows] */
  struct variance *variances;     /* [2 * rows] */
  double factor[2];
  struct fit *fit;
};

/* ---- the rows ---------------------------------------- */

static const struct sums_cell *judge_cell(const struct sums *sums, const struct sums_type *type,
                                          pprofc_str name) {
  uint32_t id = interner_find(&sums->names.texts, name);
  return id != MAP_NONE && id < type->cell_capacity ? &type->cells[id] : NULL;
}

static struct side judge_side(const struct judge *j, const struct sums_cell *cell, bool cum) {
  struct side side = {0, 0, 0, 0};
  if (!cell) return side;
  side.value = cum ? cell->cum : cell->flat;
  side.noise = cum ? cell->cum_noise : cell->flat_noise;
  side.rate = (cum ? cell->cum_share : cell->flat_share) * j->scale;
  side.squares = (cum ? cell->cum_squares : cell->flat_squares) * j->scale * j->scale;
  return side;
}

static bool judge_alloc(struct judge *j, struct fit *fit) {
  struct arena *arena = &j->c->arena;
  size_t rows = j->c->rows;
  j->fit = fit;
  *fit = (struct fit){.dispersion = 1};
  fit->common = arena_array(arena, 2, sizeof *fit->common);
  fit->of = arena_zero_array(arena, rows, sizeof *fit->of);
  j->sides = arena_array(arena, 2 * rows, sizeof *j->sides);
  j->samples = arena_array(arena, rows, sizeof *j->samples);
  j->suspect = arena_zero_array(arena, rows, sizeof *j->suspect);
  j->medians = arena_array(arena, rows, sizeof *j->medians);
  j->variances = arena_array(arena, 2 * rows, sizeof *j->variances);
  return fit->common && fit->of && j->sides && j->samples && j->suspect && j->medians &&
         j->variances;
}

/* Fills sides and the matrix, which tells which side has a function at all. */
static bool judge_fill_rows(struct judge *j, const struct sums *const sums[2], bool cum) {
  struct comparison *c = j->c;
  double *values = arena_array(&c->arena, 2 * c->rows, sizeof *values);
  double *quantum = arena_array(&c->arena, c->rows, sizeof *quantum);
  bool *aside = arena_array(&c->arena, c->rows, sizeof *aside);
  if (!values || !quantum || !aside) return false;
  for (size_t i = 0; i < c->rows; i++) {
    pprofc_str name = c->names.texts.items[c->order[i]];
    struct side *side = &j->sides[2 * i];
    for (size_t s = 0; s < 2; s++) {
      side[s] = judge_side(j, judge_cell(sums[s], j->type[s], name), cum);
      values[2 * i + s] = side[s].value;
    }
    double sum = side[0].value + side[1].value;
    quantum[i] = sum > 0 ? (side[0].noise + side[1].noise) / sum : 0;
    aside[i] = c->names.flags[c->order[i]] & NAME_ENVIRONMENT;
    j->samples[i] = quantum[i] > 0 ? sum / quantum[i] : sum;
    j->samples[i] /= j->runs[0] + j->runs[1];
  }
  j->matrix = (struct matrix){c->rows, 2, 1, values, quantum, NULL, aside};
  return true;
}

static void judge_choose(struct judge *j) {
  double runs = j->runs[0] + j->runs[1];
  for (size_t i = 0; i < j->c->rows; i++) {
    double sum = j->samples[i] * runs;
    bool exact = j->matrix.quantum[i] <= 0 && sum > 0;
    bool tested = (sum >= j->c->options.min_samples || exact) && !j->matrix.aside[i];
    j->fit->of[i].tested = tested;
    j->fit->tested += tested;
  }
}

/* ---- the common factor ------------------------------- */

static bool judge_common_uses(const struct judge *j, size_t row) {
  return j->samples[row] >= JUDGE_COMMON_SAMPLES && !j->suspect[row];
}

/* The weighted median of what a side has of each row, over the mean of all runs. */
static double judge_common_of(const struct judge *j, size_t side) {
  size_t count = 0;
  for (size_t i = 0; i < j->c->rows; i++) {
    if (!judge_common_uses(j, i)) continue;
    const struct side *s = &j->sides[2 * i];
    double mean = (s[0].rate + s[1].rate) / (j->runs[0] + j->runs[1]);
    j->medians[count] = (struct weighted){.value = s[side].rate / j->runs[side] / mean,
                                          .weight = sqrt(j->samples[i]),
                                          .place = count};
    count++;
  }
  return count < JUDGE_COMMON_ROWS
             ? (double)NAN
             : fmax(stats_weighted_median(j->medians, count), JUDGE_COMMON_LEAST);
}

static void judge_common(struct judge *j, bool wanted) {
  double base = wanted ? judge_common_of(j, 0) : (double)NAN;
  double head = wanted ? judge_common_of(j, 1) : (double)NAN;
  double middle = (log(base) * j->runs[0] + log(head) * j->runs[1]) / (j->runs[0] + j->runs[1]);
  j->fit->has_common = isfinite(middle) && fabs(log(head / base)) < log(JUDGE_COMMON_BEYOND);
  j->factor[0] = j->fit->has_common ? base / exp(middle) : 1;
  j->factor[1] = j->fit->has_common ? head / exp(middle) : 1;
  memcpy(j->fit->common, j->factor, sizeof j->factor);
}

/* ---- the tests --------------------------------------- */

/* Means of a row, and its variances: that of sampling, and what the runs of a side show. */
static struct variance judge_variance_of(const struct judge *j, size_t row, double degrees) {
  const struct side *side = &j->sides[2 * row];
  double mean[2], seen = 0, scaled = 0, floor = 0;
  for (size_t s = 0; s < 2; s++) {
    double within = side[s].squares - side[s].rate * side[s].rate / j->runs[s];
    mean[s] = side[s].rate / j->runs[s] / j->factor[s];
    seen += fmax(within, 0) / (j->factor[s] * j->factor[s]);
    scaled += j->exposure[s] * j->factor[s];
    floor += j->inverse[s] / (j->runs[s] * j->factor[s]) * (j->runs[s] - 1);
  }
  struct estimate *e = &j->fit->of[row];
  e->base = mean[0];
  e->head = mean[1];
  e->delta = mean[1] - mean[0];
  double pooled = j->matrix.quantum[row] * ((side[0].value + side[1].value) / scaled);
  return (struct variance){seen / degrees, pooled * floor / degrees, j->samples[row]};
}

static struct variance_prior judge_prior(const struct judge *j, const struct variance *all,
                                         double degrees) {
  size_t count = 0;
  for (size_t i = 0; i < j->c->rows; i++)
    if (j->fit->of[i].tested && all[i].floor > 0) j->variances[count++] = all[i];
  return stats_variance_prior(j->variances, count, degrees, j->medians);
}

static double judge_p(const struct estimate *e, double error, double degrees) {
  if (!e->tested) return (double)NAN;
  if (error > 0) return pprofc_t_two_sided(e->delta / error, degrees);
  return e->delta == 0 ? 1 : 0;
}

static void judge_test(struct judge *j) {
  double degrees = j->runs[0] + j->runs[1] - 2;
  struct variance *all = j->variances + j->c->rows;
  for (size_t i = 0; i < j->c->rows; i++) all[i] = judge_variance_of(j, i, degrees);
  struct variance_prior prior = judge_prior(j, all, degrees);
  j->fit->cv2 = prior.cv2;
  j->fit->prior = prior.degrees;
  j->fit->degrees = prior.degrees + degrees;
  double quantile = pprofc_t_quantile(MODEL_TAIL, j->fit->degrees);
  for (size_t i = 0; i < j->c->rows; i++) {
    struct estimate *e = &j->fit->of[i];
    double variance = stats_moderated_variance(&prior, &all[i], degrees);
    double error = sqrt(variance * (1 / j->runs[0] + 1 / j->runs[1]));
    e->low = e->delta - quantile * error;
    e->high = e->delta + quantile * error;
    e->p = judge_p(e, error, j->fit->degrees);
    j->suspect[i] = e->tested && e->p < MODEL_SUSPECT;
  }
}

static bool judge_family(struct judge *j, const struct sums *const sums[2], bool cum,
                         struct fit *fit, struct matrix *matrix) {
  bool common = comparison_settings(j->c).common;
  if (!judge_alloc(j, fit) || !judge_fill_rows(j, sums, cum)) return false;
  judge_choose(j);
  for (int pass = 0; pass < (common ? 2 : 1); pass++) {
    judge_common(j, common);
    judge_test(j);
  }
  *matrix = j->matrix;
  return true;
}

/* ---- names ------------------------------------------- */

struct judge_name {
  pprofc_str name;
  uint32_t id;
};

static int judge_name_order(const void *a, const void *b) {
  return str_compare(((const struct judge_name *)a)->name, ((const struct judge_name *)b)->name);
}

static bool judge_enter_names(struct judge *j, const struct sums *sums,
                              const struct sums_type *type) {
  for (uint32_t id = 0; id < sums->names.texts.count; id++) {
    if (id >= type->cell_capacity || !(type->cells[id].cum > 0)) continue;
    if (names_add(&j->c->names, sums->names.texts.items[id]) == MAP_NONE) return false;
  }
  return true;
}

static bool judge_order(struct judge *j, const struct sums *const sums[2]) {
  struct comparison *c = j->c;
  bool entered =
      judge_enter_names(j, sums[0], j->type[0]) && judge_enter_names(j, sums[1], j->type[1]);
  c->rows = c->names.texts.count;
  struct judge_name *named = mem_array(c->mem, c->rows, sizeof *named);
  c->order = arena_array(&c->arena, c->rows, sizeof *c->order);
  bool done = entered && named && c->order;
  for (uint32_t id = 0; done && id < c->rows; id++)
    named[id] = (struct judge_name){c->names.texts.items[id], id};
  if (done) qsort(named, c->rows, sizeof *named, judge_name_order);
  for (size_t i = 0; done && i < c->rows; i++) c->order[i] = named[i].id;
  mem_free(c->mem, named, c->names.texts.count, sizeof *named);
  return done;
}

/* ---- what was compared ------------------------------- */

static const struct sums_type *judge_type(const struct sums *sums, pprofc_str wanted) {
  for (size_t i = 0; i < sums->type_count; i++) {
    const struct sums_type *type = &sums->types[i];
    if (wanted.size ? str_equal(type->type, wanted) : type->is_default) return type;
  }
  return NULL;
}

static pprofc_status judge_check_alike(const struct sums_type *base, const struct sums_type *head,
                                       pprofc_error *error) {
  if (!str_equal(base->unit, head->unit) || base->sampling != head->sampling)
    return error_set(error, PPROFC_E_INVALID,
                     "base and head have other units or were sampled in another way");
  if (base->mixed || head->mixed || base->period != head->period)
    return error_set(error, PPROFC_E_INVALID, "the period of samples is not the same in all runs");
  if (base->runs < 2 || head->runs < 2)
    return error_set(error, PPROFC_E_INVALID, "sums need 2 runs a side, at least");
  if (base->runs > SUMS_RUNS_MOST || head->runs > SUMS_RUNS_MOST)
    return error_set(error, PPROFC_E_LIMIT, "sums of more than %d runs", SUMS_RUNS_MOST);
  return PPROFC_OK;
}

static pprofc_status judge_pick(struct judge *j, const struct sums *const sums[2],
                                pprofc_error *error) {
  pprofc_str wanted = str_of(j->c->options.sample_index ? j->c->options.sample_index : "");
  j->type[0] = judge_type(sums[0], wanted);
  if (!wanted.size && j->type[0]) wanted = j->type[0]->type;
  j->type[1] = judge_type(sums[1], wanted);
  if (!j->type[0] || !j->type[1])
    return error_set(error, PPROFC_E_INVALID, "the sums of %s have no sample type %.*s",
                     j->type[0] ? "the head" : "the base", STR_ARG(wanted));
  return judge_check_alike(j->type[0], j->type[1], error);
}

static void judge_exposures(struct judge *j) {
  bool shares = j->c->quantum.sampling != SAMPLING_HEAP;
  double total = j->type[0]->total + j->type[1]->total;
  j->scale = shares ? total / (j->type[0]->runs + j->type[1]->runs) : 1;
  for (size_t s = 0; s < 2; s++) {
    j->runs[s] = j->type[s]->runs;
    j->exposure[s] = shares ? j->type[s]->total / j->scale : j->runs[s];
    j->inverse[s] = shares ? j->type[s]->inverse * j->scale : j->runs[s];
  }
}

/* Runs are counted, not held. */
static void judge_describe(struct judge *j) {
  struct comparison *c = j->c;
  pprofc_verdict_summary *s = &c->summary;
  bool shares = c->quantum.sampling != SAMPLING_HEAP;
  double total[2];
  for (size_t i = 0; i < 2; i++) total[i] = shares ? j->scale : j->type[i]->total / j->runs[i];
  c->mean_total = (total[0] + total[1]) / 2;
  s->base_runs = (size_t)j->runs[0];
  s->head_runs = (size_t)j->runs[1];
  s->type = c->type;
  s->unit = c->unit;
  s->exposure = shares ? PPROFC_EXPOSURE_TOTAL : PPROFC_EXPOSURE_NONE;
  s->exact = c->quantum.sampling == SAMPLING_EXACT;
  s->lower_bound = c->quantum.sampling == SAMPLING_EVENTS;
  s->tested = c->flat.tested;
  s->alpha = c->options.alpha;
  s->has_common = c->flat.has_common;
  s->common_change = c->flat.common[1] / c->flat.common[0] - 1;
  s->common_low = s->common_high = (double)NAN;
  s->between_run_cv = sqrt(c->flat.cv2);
  s->prior_degrees = c->flat.prior;
  s->dispersion = s->total_low = s->total_high = s->total_p = (double)NAN;
  s->specific_p = s->part = s->part_low = s->part_high = s->interval_level = (double)NAN;
  s->noise_cv = c->options.noise_cv;
  s->total_base = total[0];
  s->total_head = total[1];
  s->total_delta = total[1] - total[0];
  s->seconds = (j->type[0]->seconds + j->type[1]->seconds) / (j->runs[0] + j->runs[1]);
}

pprofc_status sums_judge(struct comparison *c, const struct sums *base, const struct sums *head,
                         pprofc_error *error) {
  const struct sums *const sums[2] = {base, head};
  struct judge j = {.c = c};
  pprofc_status status = judge_pick(&j, sums, error);
  if (status) return status;
  c->quantum.sampling = j.type[0]->sampling;
  c->type = arena_str(&c->arena, j.type[0]->type);
  c->unit = arena_str(&c->arena, j.type[0]->unit);
  c->bases = (size_t)j.type[0]->runs;
  c->count = c->bases + (size_t)j.type[1]->runs;
  judge_exposures(&j);
  bool done = c->type.data && c->unit.data && judge_order(&j, sums) &&
              judge_family(&j, sums, false, &c->flat, &c->flat_matrix) &&
              judge_family(&j, sums, true, &c->cum, &c->cum_matrix);
  if (!done) return error_nomem(error);
  judge_describe(&j);
  return PPROFC_OK;
}
