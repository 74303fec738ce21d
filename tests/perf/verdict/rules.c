/* Implements four rules: a threshold, a z-test, Welch's test, and the model of the library. */
#include "rules.h"

#include "pprofc/stats.h"
#include "stats/stats.h"
#include "verdict/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_MIN 10

void rule_must(bool good, const char *what) {
  if (good) return;
  fprintf(stderr, "verdict_power: %s\n", what);
  exit(2);
}

/* ---- Benjamini-Hochberg ------------------------------ */

struct rule_ranked {
  double p;
  size_t row;
};

static int rule_ranked_order(const void *a, const void *b) {
  const struct rule_ranked *x = a, *y = b;
  if (x->p != y->p) return x->p < y->p ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

static void rule_adjust(struct rule_answer *answer) {
  struct rule_ranked ranked[ROWS_MAX];
  double p[ROWS_MAX];
  answer->judged = 0;
  for (size_t i = 0; i < answer->rows; i++) {
    answer->q[i] = (double)NAN;
    if (!isnan(answer->p[i])) ranked[answer->judged++] = (struct rule_ranked){answer->p[i], i};
  }
  qsort(ranked, answer->judged, sizeof *ranked, rule_ranked_order);
  for (size_t i = 0; i < answer->judged; i++) p[i] = ranked[i].p;
  corrections_benjamini_hochberg(p, answer->judged, p);
  for (size_t i = 0; i < answer->judged; i++) {
    answer->q[ranked[i].row] = p[i];
    answer->changed[ranked[i].row] = p[i] < RULE_ALPHA;
  }
}

/* ---- rules that judge one function at a time --------- */

struct rule_sides {
  pprofc_moments base, head;
  double sum;
};

static struct rule_sides rule_sides_of(const struct noise_draw *draw, size_t row) {
  const double *values = draw->values + row * draw->runs;
  struct rule_sides s = {pprofc_moments_of(values, draw->bases),
                         pprofc_moments_of(values + draw->bases, draw->runs - draw->bases), 0};
  for (size_t i = 0; i < draw->runs; i++) s.sum += values[i];
  return s;
}

static void rule_say(struct rule_answer *answer, size_t row, double delta, double error,
                     double degrees) {
  double t = fabs(delta) / error;
  answer->delta[row] = delta;
  answer->low[row] = answer->high[row] = (double)NAN;
  answer->p[row] = isinf(degrees) ? 2 * pprofc_normal_cdf(-t) : pprofc_t_two_sided(t, degrees);
  if (!(error > 0)) answer->p[row] = (double)NAN;
}

static void rule_threshold(const struct noise_draw *draw, struct rule_answer *answer) {
  for (size_t i = 0; i < draw->rows; i++) {
    struct rule_sides s = rule_sides_of(draw, i);
    double delta = s.head.mean - s.base.mean;
    answer->p[i] = answer->q[i] = (double)NAN;
    answer->changed[i] = s.sum >= SAMPLES_MIN && fabs(delta) > 0.05 * fmax(s.base.mean, 1);
  }
}

static void rule_sums(const struct noise_draw *draw, struct rule_answer *answer) {
  for (size_t i = 0; i < draw->rows; i++) {
    struct rule_sides s = rule_sides_of(draw, i);
    double error = s.sum >= SAMPLES_MIN ? sqrt(s.sum) / (double)draw->bases : 0;
    rule_say(answer, i, s.head.mean - s.base.mean, error, (double)INFINITY);
  }
  rule_adjust(answer);
}

static void rule_welch(const struct noise_draw *draw, struct rule_answer *answer) {
  double n = (double)draw->bases;
  for (size_t i = 0; i < draw->rows; i++) {
    struct rule_sides s = rule_sides_of(draw, i);
    double b = s.base.variance / n, h = s.head.variance / n, degrees = 1;
    if (b + h > 0) degrees = (b + h) * (b + h) / (b * b + h * h) * (n - 1);
    double error = s.sum >= SAMPLES_MIN ? sqrt(b + h) : 0;
    rule_say(answer, i, s.head.mean - s.base.mean, error, degrees);
  }
  rule_adjust(answer);
}

/* ---- the model --------------------------------------- */

/* Sets the intervals of selected rows. */
static void rule_widen(const struct matrix *m, const struct fit *fit, struct rule_answer *answer) {
  double changed = 0;
  for (size_t i = 0; i < answer->rows; i++) changed += answer->changed[i];
  double level = 1 - RULE_ALPHA * changed / (double)answer->judged;
  for (size_t i = 0; i < answer->rows; i++)
    if (answer->changed[i])
      model_interval(m, 0.05, fit, i, (1 + level) / 2, &answer->fcr_low[i], &answer->fcr_high[i]);
}

static void rule_model(const struct noise_draw *draw, struct rule_answer *answer) {
  static const bool aside[ROWS_MAX];
  static const struct model_settings settings = {
      .noise_cv = 0.05, .min_samples = SAMPLES_MIN, .common = true};
  double ones[ROWS_MAX];
  struct arena arena;
  struct fit fit;
  pprofc_error error;
  for (size_t i = 0; i < ROWS_MAX; i++) ones[i] = 1;
  struct matrix matrix = {.rows = draw->rows,
                          .runs = draw->runs,
                          .bases = draw->bases,
                          .values = draw->values,
                          .quantum = ones,
                          .exposure = ones,
                          .aside = aside};
  arena_init(&arena, &mem_default);
  rule_must(model_fit(&matrix, &settings, &arena, &fit, &error) == PPROFC_OK, "out of memory");
  for (size_t i = 0; i < draw->rows; i++) {
    answer->delta[i] = fit.of[i].delta;
    answer->low[i] = fit.of[i].low;
    answer->high[i] = fit.of[i].high;
    answer->p[i] = fit.of[i].samples >= draw->least ? fit.of[i].p : (double)NAN;
  }
  memcpy(answer->scaled, fit.common, draw->runs * sizeof *fit.common);
  answer->cv2 = fit.cv2;
  answer->prior = fit.prior;
  answer->degrees = fit.degrees;
  answer->dispersion = fit.dispersion;
  answer->common_error = fit.common_error;
  answer->margin = draw->runs > 2 ? pprofc_t_quantile(0.975, fit.degrees) : (double)NAN;
  rule_adjust(answer);
  rule_widen(&matrix, &fit, answer);
  arena_free(&arena);
}

struct advice rule_advice(const struct noise_draw *draw, const struct rule_answer *said,
                          size_t row) {
  double bases = (double)draw->bases, heads = (double)(draw->runs - draw->bases), sum = 0;
  for (size_t i = 0; i < draw->runs; i++) sum += draw->values[row * draw->runs + i];
  struct advice a = {
      .runs = 2 / (1 / bases + 1 / heads),
      .degrees = said->degrees,
      .prior = said->prior,
      .limit = 1 - RULE_ALPHA / (2 * (double)said->judged),
      .sampling = (double)draw->runs / sum,
      .noise = said->cv2,
      .common = said->common_error,
  };
  if (draw->runs > 2) return a;
  a.prior = PRIOR_DEGREES_MOST;
  a.sampling *= said->dispersion;
  a.noise = said->dispersion * 0.05 * 0.05;
  return a;
}

void rule_judge(enum rule_of_runs rule, const struct noise_draw *draw, struct rule_answer *answer) {
  static void (*const judge[RULES])(const struct noise_draw *, struct rule_answer *) = {
      rule_threshold, rule_sums, rule_welch, rule_model};
  memset(answer, 0, sizeof *answer);
  answer->rows = draw->rows;
  judge[rule](draw, answer);
}
