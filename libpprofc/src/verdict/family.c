/* Finds the verdicts. A family is a set of tests whose p-values are adjusted together: the tests of
 * flat, of cum or of stacks. After the adjustment, family_word chooses the verdict of each row. */
#include "verdict/compare.h"

/* Growth, in standard errors, that is significant even after the correction for many functions.
 * family_has compares the growth of a doubled value with this number. */
#define DOUBLING_ERRORS 4.5

/* True if the family tests a row. If the option min_samples is 0, the family skips rows with too
 * few samples to show a doubling of the value. Then it has fewer tests, so each p-value needs a
 * smaller correction. It skips no rows for this reason if values are exact, or with one run each of
 * base and head. With one run each, it must also test new functions, which have few samples. */
static bool family_has(const struct comparison *c, const struct fit *fit, size_t row) {
  double least = DOUBLING_ERRORS * DOUBLING_ERRORS * (1 / c->side_runs[0] + 1 / c->side_runs[1]);
  bool pair = c->side_runs[0] + c->side_runs[1] == 2;
  if (c->options.min_samples > 0 || c->summary.exact || pair) least = 0;
  return fit->of[row].tested && fit->of[row].samples >= least;
}

/* Stores the adjusted p-values of the family in q, or NaN for rows that are not tested. */
static bool family_adjust(const struct comparison *c, const struct fit *fit, size_t rows,
                          double *q) {
  for (size_t i = 0; i < rows; i++) q[i] = family_has(c, fit, i) ? fit->of[i].p : (double)NAN;
  return corrections_apply(c->options.dependent ? corrections_benjamini_yekutieli
                                                : corrections_benjamini_hochberg,
                           q, rows, c->mem);
}

static bool family_seen(const struct matrix *m, size_t row, size_t from, size_t end) {
  for (size_t r = from; r < end; r++)
    if (m->values[row * m->runs + r] > 0) return true;
  return false;
}

bool family_is_blind(const struct comparison *c) {
  bool unsure = c->quantum.sampling == SAMPLING_EVENTS || c->quantum.sampling == SAMPLING_UNKNOWN;
  return unsure && (c->side_runs[0] < 2 || c->side_runs[1] < 2);
}

/* ---- exact counts ------------------------------------ */

/* True if the exact counts differ more between base and head than between the runs of base, and
 * than between the runs of head. */
static bool family_differs(const struct comparison *c, const struct matrix *m,
                           const struct fit *fit, size_t row) {
  return fabs(fit->of[row].delta) > comparison_range(c, m->values + row * m->runs, c->exposures);
}

/* ---- words ------------------------------------------- */

static pprofc_verdict family_change(const struct comparison *c, const struct matrix *m,
                                    const struct fit *fit, size_t row) {
  if (!family_seen(m, row, 0, m->bases)) return PPROFC_VERDICT_NEW;
  if (!family_seen(m, row, m->bases, m->runs)) return PPROFC_VERDICT_GONE;
  if (c->summary.lone) return PPROFC_VERDICT_DIFFERS;
  return fit->of[row].delta > 0 ? PPROFC_VERDICT_GREW : PPROFC_VERDICT_SHRANK;
}

/* Returns the verdict on a row with the adjusted p-value `q`. `fit` has the changes without the
 * factor by which all functions of a run are faster or slower. */
static pprofc_verdict family_word(const struct comparison *c, const struct matrix *m,
                                  const struct fit *fit, size_t row, double q) {
  const struct estimate *e = &fit->of[row];
  if (m->aside[row]) return PPROFC_VERDICT_ENVIRONMENT;
  if (!family_has(c, fit, row)) return PPROFC_VERDICT_RARE;
  if (family_is_blind(c)) return PPROFC_VERDICT_UNKNOWN;
  bool exact = m->quantum[row] <= 0;
  if (exact && fabs(e->delta) < EXACT_FLOOR * c->mean_total) return PPROFC_VERDICT_UNCHANGED;
  bool changed = c->summary.lone ? family_differs(c, m, fit, row) : q < c->options.alpha;
  return changed ? family_change(c, m, fit, row) : PPROFC_VERDICT_UNCHANGED;
}

bool family_words(const struct comparison *c, const struct matrix *m, const struct fit *fit,
                  pprofc_verdict_estimate *out) {
  double *q = mem_array(c->mem, m->rows, sizeof *q);
  struct recorded_rows recorded;
  bool done = q && family_adjust(c, fit, m->rows, q);
  recorded_begin(&recorded, c, m, fit);
  for (size_t i = 0; done && i < m->rows; i++) {
    const struct estimate *e = &fit->of[i];
    out[i] = (pprofc_verdict_estimate){
        .own = family_word(c, m, fit, i, q[i]), .p = e->p, .q = q[i], .samples = e->samples};
    recorded_fill(&recorded, i, MODEL_TAIL, &out[i]);
  }
  mem_free(c->mem, q, m->rows, sizeof *q);
  return done;
}

/* Returns the mean total of all runs divided by their mean exposure (the divisor of judged values).
 */
static double family_mean_total(const struct comparison *c) {
  double totals = 0, exposures = 0;
  for (size_t r = 0; r < c->count; r++) {
    totals += c->totals[r];
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
  c->mean_total = family_mean_total(c);
  bool done = words && c->row && family_words(c, &c->flat_matrix, &c->flat, words);
  if (done) family_name_rows(c);
  for (size_t i = 0; done && i < c->rows; i++) c->row[i].flat = words[i];
  done = done && family_words(c, &c->cum_matrix, &c->cum, words);
  for (size_t i = 0; done && i < c->rows; i++) c->row[i].cum = words[i];
  mem_free(c->mem, words, c->rows, sizeof *words);
  return done ? PPROFC_OK : error_nomem(error);
}

/* ---- intervals of changed rows ----------------------- */

double family_level(const struct comparison *c, size_t changed, size_t tested) {
  return changed ? 1 - c->options.alpha * (double)changed / (double)tested : (double)NAN;
}

void family_widen(const struct comparison *c, const struct matrix *m, const struct fit *fit,
                  size_t row, double level, pprofc_verdict_estimate *e) {
  struct recorded_rows recorded;
  if (!pprofc_verdict_is_change(e->verdict)) return;
  recorded_begin(&recorded, c, m, fit);
  recorded_fill(&recorded, row, (1 + level) / 2, e);
}

void family_widen_rows(struct comparison *c) {
  if (!c->options.fcr) return;
  double flat = family_level(c, c->summary.changed, c->summary.tested);
  double cum = family_level(c, c->summary.cum_changed, c->cum.tested);
  for (size_t i = 0; i < c->rows; i++) {
    pprofc_verdict_row *row = &c->row[c->row_of[c->order[i]]];
    family_widen(c, &c->flat_matrix, &c->flat, i, flat, &row->flat);
    family_widen(c, &c->cum_matrix, &c->cum, i, cum, &row->cum);
  }
  c->summary.interval_level = flat;
}
