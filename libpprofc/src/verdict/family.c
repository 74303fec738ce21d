/* From estimates to words: p-values are adjusted within a family, flat, cum or stacks, and each row
 * gets the first verdict that fits. */
#include "stats/corrections.h"
#include "verdict/compare.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
  double p;
  size_t row;
};

static int ranked_order(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  if (x->p != y->p) return x->p < y->p ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

/* Adjusted p-values of the tested rows into q, NaN for the others. */
static bool family_adjust(const struct comparison *c, const struct fit *fit, size_t rows,
                          double *q) {
  struct ranked *ranked = mem_array(c->mem, fit->tested, sizeof *ranked);
  double *p = mem_array(c->mem, fit->tested, sizeof *p);
  size_t count = 0;
  for (size_t i = 0; i < rows; i++) {
    q[i] = (double)NAN;
    if (ranked && p && fit->of[i].tested) ranked[count++] = (struct ranked){fit->of[i].p, i};
  }
  if (ranked && p) {
    qsort(ranked, count, sizeof *ranked, ranked_order);
    for (size_t i = 0; i < count; i++) p[i] = ranked[i].p;
    if (c->options.dependent)
      corrections_benjamini_yekutieli(p, count, p);
    else
      corrections_benjamini_hochberg(p, count, p);
    for (size_t i = 0; i < count; i++) q[ranked[i].row] = p[i];
  }
  bool done = ranked && p;
  mem_free(c->mem, ranked, fit->tested, sizeof *ranked);
  mem_free(c->mem, p, fit->tested, sizeof *p);
  return done;
}

static bool family_seen(const struct matrix *m, size_t row, size_t from, size_t end) {
  for (size_t r = from; r < end; r++)
    if (m->values[row * m->runs + r] > 0) return true;
  return false;
}

bool family_is_blind(const struct comparison *c) {
  bool unsure = c->quantum.sampling == SAMPLING_EVENTS || c->quantum.sampling == SAMPLING_UNKNOWN;
  return unsure && (c->bases < 2 || c->count - c->bases < 2);
}

static pprofc_verdict family_word(const struct comparison *c, const struct matrix *m,
                                  const struct fit *fit, size_t row, double q) {
  const struct estimate *e = &fit->of[row];
  if (m->aside[row]) return PPROFC_VERDICT_ENVIRONMENT;
  if (!e->tested) return PPROFC_VERDICT_RARE;
  if (family_is_blind(c)) return PPROFC_VERDICT_UNKNOWN;
  if (m->quantum[row] <= 0 && fabs(e->delta) < EXACT_FLOOR * c->mean_total)
    return PPROFC_VERDICT_NOISE;
  if (!(q < c->options.alpha)) return PPROFC_VERDICT_NOISE;
  if (!family_seen(m, row, 0, m->bases)) return PPROFC_VERDICT_NEW;
  if (!family_seen(m, row, m->bases, m->runs)) return PPROFC_VERDICT_GONE;
  return e->delta > 0 ? PPROFC_VERDICT_GREW : PPROFC_VERDICT_SHRANK;
}

static double family_samples(const struct matrix *m, size_t row) {
  double sum = 0;
  for (size_t r = 0; r < m->runs; r++) sum += model_samples(m, row, m->values[row * m->runs + r]);
  return sum / (double)m->runs;
}

bool family_words(const struct comparison *c, const struct matrix *m, const struct fit *fit,
                  pprofc_verdict_estimate *out) {
  double *q = mem_array(c->mem, m->rows, sizeof *q);
  bool done = q && family_adjust(c, fit, m->rows, q);
  for (size_t i = 0; done && i < m->rows; i++) {
    const struct estimate *e = &fit->of[i];
    out[i] = (pprofc_verdict_estimate){.verdict = family_word(c, m, fit, i, q[i]),
                                       .base = e->base,
                                       .head = e->head,
                                       .delta = e->delta,
                                       .low = e->low,
                                       .high = e->high,
                                       .p = e->p,
                                       .q = q[i],
                                       .samples = family_samples(m, i)};
  }
  mem_free(c->mem, q, m->rows, sizeof *q);
  return done;
}

/* The mean total over the mean exposure: what the floor of exact differences is a share of. */
static double family_mean_total(const struct comparison *c) {
  double totals = 0, exposures = 0;
  for (size_t r = 0; r < c->count; r++) {
    totals += c->runs[r].total;
    exposures += c->exposures[r];
  }
  return totals / exposures;
}

static void family_name_rows(struct comparison *c) {
  for (size_t i = 0; i < c->rows; i++) {
    c->row[i].name = c->names.texts.items[c->order[i]];
    c->row[i].partner = PPROFC_VERDICT_NO_ROW;
  }
}

pprofc_status family_judge(struct comparison *c, pprofc_error *error) {
  pprofc_verdict_estimate *words = mem_array(c->mem, c->rows, sizeof *words);
  c->row = arena_zero_array(&c->arena, c->rows, sizeof *c->row);
  if (c->runs) c->mean_total = family_mean_total(c);
  bool done = words && c->row && family_words(c, &c->flat_matrix, &c->flat, words);
  if (done) family_name_rows(c);
  for (size_t i = 0; done && i < c->rows; i++) c->row[i].flat = words[i];
  done = done && family_words(c, &c->cum_matrix, &c->cum, words);
  for (size_t i = 0; done && i < c->rows; i++) c->row[i].cum = words[i];
  mem_free(c->mem, words, c->rows, sizeof *words);
  return done ? PPROFC_OK : error_nomem(error);
}

/* ---- intervals of what was found --------------------- */

double family_level(const struct comparison *c, size_t changed, size_t tested) {
  return changed ? 1 - c->options.alpha * (double)changed / (double)tested : (double)NAN;
}

void family_widen(const struct comparison *c, const struct matrix *m, const struct fit *fit,
                  size_t row, double level, pprofc_verdict_estimate *e) {
  if (!pprofc_verdict_is_change(e->verdict)) return;
  model_interval(m, c->options.noise_cv, fit, row, (1 + level) / 2, &e->low, &e->high);
}

void family_widen_rows(struct comparison *c) {
  size_t cum_changed = 0;
  if (!c->options.fcr) return;
  for (size_t i = 0; i < c->rows; i++)
    cum_changed += pprofc_verdict_is_change(c->row[i].cum.verdict);
  double flat = family_level(c, c->summary.changed, c->flat.tested);
  double cum = family_level(c, cum_changed, c->cum.tested);
  for (size_t i = 0; i < c->rows; i++) {
    pprofc_verdict_row *row = &c->row[c->row_of[c->order[i]]];
    family_widen(c, &c->flat_matrix, &c->flat, i, flat, &row->flat);
    family_widen(c, &c->cum_matrix, &c->cum, i, cum, &row->cum);
  }
  c->summary.interval_level = flat;
}
