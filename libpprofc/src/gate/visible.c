/* Computes the smallest change that each row could have shown, and the samples that would show the
 * threshold. */
#include "gate/compare.h"
#include "gate/judge.h"
#include "gate/power.h"

#include <math.h>
#include <stdlib.h>

/* Returns the p-value up to which a single changed row is significant: the first step of
 * Benjamini and Hochberg, and of Holm. */
static double level_of(const struct gate *gate, const struct gate_row *row) {
  bool corrected = gate->settings.correction != GATE_UNCORRECTED && gate->family > 1;
  return corrected ? row->alpha / (double)gate->family : row->alpha;
}

/* Returns the smallest change that can be a regression: it reaches the threshold and the floor. */
static double least_change(const struct gate_row *row) {
  double floor = row->floor > 0 && row->base != 0 ? row->floor / fabs(row->base) : 0;
  return fmax(row->threshold, floor);
}

static bool visible_is_decided(const struct gate_row *row) {
  return row->verdict == GATE_REGRESSED || row->verdict == GATE_IMPROVED ||
         row->verdict == GATE_SUSPICIOUS || row->verdict == GATE_ACCEPTED;
}

/* Uses the smallest possible p, because a row of a table has no samples. */
static void see_table(struct gate_row *row) {
  if (!row->base_count || !row->head_count) return;
  double least = gate_smallest_p(row->base_count, row->head_count);
  if (fmax(least, row->least_p) > row->level) row->visible = (double)INFINITY;
}

static struct gate_design design_of(const struct gate *gate, const struct gate_row *row) {
  return (struct gate_design){.base_noise = row->base_noise,
                              .head_noise = row->head_noise,
                              .base_count = (double)row->base_count,
                              .head_count = (double)row->head_count,
                              .direction = row->direction,
                              .level = row->level,
                              .ranks = gate->settings.test == GATE_UTEST};
}

/* Finds how many rounds of the same noise show the threshold, at least -min-samples. */
static bool find_rounds(const struct gate *gate, struct gate_power *power,
                        const struct gate_row *row, double *needed) {
  struct gate_design design = design_of(gate, row);
  if (!gate_power_samples(power, &design, least_change(row), needed)) return false;
  *needed = fmax(*needed, (double)gate->settings.min_samples);
  return true;
}

/* ---- one row ----------------------------------------- */

struct visible_search {
  struct gate *gate;
  struct gate_power power;
  double *seen; /* visible changes of the tested rows */
  size_t count;
};

/* Fills the smallest visible change of a row with a test. A change of the threshold would have
 * led to more rounds in four of five cases. */
static bool see_change(struct visible_search *v, struct gate_row *row, bool known) {
  struct gate_design design = design_of(v->gate, row);
  if (row->screened) {
    row->visible = least_change(row);
    return true;
  }
  if (row->verdict == GATE_TOO_FEW) {
    row->visible = (double)INFINITY;
    return true;
  }
  if (known) return gate_power_visible(&v->power, &design, &row->visible);
  see_table(row);
  return true;
}

static bool see_row(struct visible_search *v, struct gate_row *row) {
  bool known = isfinite(row->base_noise) && isfinite(row->head_noise);
  bool open = !visible_is_decided(row) && row->threshold > 0;
  row->level = level_of(v->gate, row);
  if (v->gate->settings.test == GATE_NONE || row->constant) return true;
  if (!see_change(v, row, known)) return false;
  row->blind = open && row->visible > least_change(row) * (1 + 1e-9);
  if (!row->blind || !known) return true;
  return find_rounds(v->gate, &v->power, row, &row->needed);
}

/* ---- all rows ---------------------------------------- */

/* Counts a tested row. Of equal changes the first row is the worst. */
static void visible_count_row(struct visible_search *v, const struct gate_row *row, size_t index) {
  struct gate *gate = v->gate;
  gate->tested++;
  gate->blind += row->blind;
  if (isnan(row->visible)) return;
  if (!v->count || row->visible > gate->visible_worst) {
    gate->visible_worst = row->visible;
    gate->visible_row = index;
  }
  v->seen[v->count++] = row->visible;
  bool needs = row->blind && !isnan(row->needed);
  if (needs && !(row->needed <= gate->needed_worst)) gate->needed_worst = row->needed;
}

static bool see_all(struct visible_search *v) {
  size_t count;
  struct gate_row *rows = gate_rows(v->gate, &count);
  for (size_t i = 0; i < count; i++) {
    if (!gate_was_judged(&rows[i])) continue;
    if (!see_row(v, &rows[i])) return false;
    bool too_few = rows[i].verdict == GATE_TOO_FEW;
    v->gate->unjudged += rows[i].blind || too_few || rows[i].verdict == GATE_INCONCLUSIVE;
    if ((rows[i].tested || too_few) && !rows[i].constant) visible_count_row(v, &rows[i], i);
  }
  v->gate->visible_count = v->count;
  if (v->count) v->gate->visible_middle = gate_power_select(v->seen, v->count, v->count / 2);
  return true;
}

pprofc_status gate_find_visible(struct gate *gate, pprofc_error *error) {
  size_t count;
  (void)gate_rows(gate, &count);
  struct visible_search v = {.gate = gate};
  v.seen = mem_array(gate->mem, count, sizeof *v.seen);
  gate_power_init(&v.power, gate->mem);
  bool good = v.seen && see_all(&v);
  gate_power_free(&v.power);
  mem_free(gate->mem, v.seen, count, sizeof *v.seen);
  return good ? PPROFC_OK : error_nomem(error);
}
