/* Computes the smallest change that each row could have shown, and the samples that would show the
 * threshold. */
#include "gate/compare.h"
#include "gate/judge.h"
#include "gate/rough.h"

#include <math.h>
#include <stdlib.h>

/* The p at which a row that alone has changed is significant: the first step of Benjamini and
 * Hochberg, and of Holm. */
static double level_of(const struct gate *gate, const struct gate_row *row) {
  bool corrected = gate->settings.correction != GATE_UNCORRECTED && gate->family > 1;
  return corrected ? row->alpha / (double)gate->family : row->alpha;
}

/* The smallest change that could be a regression: it reaches the threshold and the floor. */
static double least_change(const struct gate_row *row) {
  double floor = row->floor > 0 && row->base != 0 ? row->floor / fabs(row->base) : 0;
  return fmax(row->threshold, floor);
}

static bool visible_is_decided(const struct gate_row *row) {
  return row->verdict == GATE_REGRESSED || row->verdict == GATE_IMPROVED ||
         row->verdict == GATE_SUSPICIOUS || row->verdict == GATE_ACCEPTED;
}

/* Of a row of a table only the smallest possible p is known. */
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

/* Rounds of as much noise that show the threshold, and at least -min-samples. */
static bool find_rounds(const struct gate *gate, struct gate_power *power,
                        const struct gate_row *row, double *needed) {
  struct gate_design design = design_of(gate, row);
  if (!gate_power_samples(power, &design, least_change(row), needed)) return false;
  *needed = fmax(*needed, (double)gate->settings.min_samples);
  return true;
}

/* Only Welch's test is known roughly, and its power takes no memory. */
struct gate_sight gate_sight_of(const struct gate *gate, const struct gate_row *row) {
  struct gate_sight sight = {row->visible, row->needed};
  if (!row->rough) return sight;
  struct gate_design design = design_of(gate, row);
  struct gate_power power;
  gate_power_init(&power, gate->mem);
  (void)gate_power_visible(&power, &design, &sight.visible);
  if (row->blind) (void)find_rounds(gate, &power, row, &sight.needed);
  gate_power_free(&power);
  return sight;
}

/* ---- one row ----------------------------------------- */

struct visible_search {
  struct gate *gate;
  struct gate_power power;
  struct gate_rough *rough;
  double *seen; /* changes of the rows that were tested */
  size_t *rows; /* and their indices */
  size_t count;
};

/* The change from the noise of both sides: roughly where that decides as much. */
static bool see_noise(struct visible_search *v, struct gate_row *row, bool open) {
  struct gate_design design = design_of(v->gate, row);
  row->visible = gate_rough_visible(v->rough, &design);
  double distance = fabs(row->visible - least_change(row));
  row->rough = !isnan(row->visible) && !(open && distance <= ROUGH_ERROR * row->visible);
  return row->rough || gate_power_visible(&v->power, &design, &row->visible);
}

/* Fills the smallest visible change of a row with a test. */
static bool see_change(struct visible_search *v, struct gate_row *row, bool known, bool open) {
  if (!known)
    see_table(row);
  else if (row->verdict != GATE_TOO_FEW && !see_noise(v, row, open))
    return false;
  if (row->verdict == GATE_TOO_FEW) row->visible = (double)INFINITY;
  return true;
}

static bool see_row(struct visible_search *v, struct gate_row *row) {
  bool known = isfinite(row->base_noise) && isfinite(row->head_noise);
  bool open = !visible_is_decided(row) && row->threshold > 0;
  row->level = level_of(v->gate, row);
  if (v->gate->settings.test == GATE_NONE || row->constant) return true;
  if (!see_change(v, row, known, open)) return false;
  row->blind = open && row->visible > least_change(row) * (1 + 1e-9);
  if (!row->blind || !known || row->rough) return true;
  return find_rounds(v->gate, &v->power, row, &row->needed);
}

/* ---- all rows ---------------------------------------- */

static void visible_need(struct gate *gate, double needed) {
  if (!isnan(needed) && !(needed <= gate->needed_worst)) gate->needed_worst = needed;
}

/* Counts a row that was tested. */
static void visible_count_row(struct visible_search *v, const struct gate_row *row, size_t index) {
  v->gate->tested++;
  v->gate->blind += row->blind;
  if (isnan(row->visible)) return;
  v->seen[v->count] = row->visible;
  v->rows[v->count++] = index;
  if (row->blind) visible_need(v->gate, row->needed);
}

/* The largest change; the first row of several. A rough value is not far from the exact one. */
static void visible_find_worst(struct visible_search *v, const struct gate_row *rows) {
  double worst = 0;
  for (size_t i = 0; i < v->count; i++) worst = fmax(worst, v->seen[i]);
  for (size_t i = 0, found = 0; i < v->count; i++) {
    if (v->seen[i] < worst * (1 - ROUGH_ERROR)) continue;
    double visible = gate_sight_of(v->gate, &rows[v->rows[i]]).visible;
    if (found++ && !(visible > v->gate->visible_worst)) continue;
    v->gate->visible_worst = visible;
    v->gate->visible_row = v->rows[i];
  }
}

/* The median is one of the values that are roughly as large as the rough median. */
static void visible_find_middle(struct visible_search *v, const struct gate_row *rows,
                                double *scratch) {
  size_t half = v->count / 2, below = 0, near = 0;
  memcpy(scratch, v->seen, v->count * sizeof *scratch);
  double middle = gate_power_select(scratch, v->count, half);
  for (size_t i = 0; i < v->count; i++) {
    if (v->seen[i] < middle * (1 - ROUGH_ERROR))
      below++;
    else if (v->seen[i] <= middle * (1 + ROUGH_ERROR))
      scratch[near++] = gate_sight_of(v->gate, &rows[v->rows[i]]).visible;
  }
  v->gate->visible_middle = gate_power_select(scratch, near, half - below);
}

/* The most rounds: of rows whose number is not known, only of those that may need as many. */
static void visible_find_needed(struct visible_search *v, const struct gate_row *rows,
                                double *scratch) {
  size_t most = SIZE_MAX;
  for (size_t i = 0; i < v->count; i++) {
    const struct gate_row *row = &rows[v->rows[i]];
    struct gate_design design = design_of(v->gate, row);
    scratch[i] = 0;
    if (!row->rough || !row->blind) continue;
    scratch[i] = gate_rough_samples(v->rough, &design, least_change(row));
    if (most == SIZE_MAX || scratch[i] > scratch[most]) most = i;
  }
  if (most == SIZE_MAX) return;
  visible_need(v->gate, gate_sight_of(v->gate, &rows[v->rows[most]]).needed);
  for (size_t i = 0; i < v->count; i++)
    if (scratch[i] > 0 && scratch[i] * ROUGH_SAMPLES + 2 > v->gate->needed_worst)
      visible_need(v->gate, gate_sight_of(v->gate, &rows[v->rows[i]]).needed);
}

static bool see_all(struct visible_search *v, double *scratch) {
  size_t count;
  struct gate_row *rows = gate_rows(v->gate, &count);
  for (size_t i = 0; i < count; i++) {
    if (!gate_was_judged(&rows[i])) continue;
    if (!see_row(v, &rows[i])) return false;
    bool tested = rows[i].tested || rows[i].verdict == GATE_TOO_FEW;
    if (tested && !rows[i].constant) visible_count_row(v, &rows[i], i);
  }
  v->gate->visible_count = v->count;
  if (!v->count) return true;
  visible_find_worst(v, rows);
  visible_find_middle(v, rows, scratch);
  visible_find_needed(v, rows, scratch);
  return true;
}

pprofc_status gate_find_visible(struct gate *gate, pprofc_error *error) {
  size_t count;
  (void)gate_rows(gate, &count);
  struct visible_search v = {.gate = gate};
  v.rough = mem_zero_array(gate->mem, 1, sizeof *v.rough);
  v.seen = mem_array(gate->mem, count, sizeof *v.seen);
  v.rows = mem_array(gate->mem, count, sizeof *v.rows);
  double *scratch = mem_array(gate->mem, count, sizeof *scratch);
  gate_power_init(&v.power, gate->mem);
  bool good = v.rough && v.seen && v.rows && scratch && see_all(&v, scratch);
  gate_power_free(&v.power);
  mem_free(gate->mem, v.rough, 1, sizeof *v.rough);
  mem_free(gate->mem, v.seen, count, sizeof *v.seen);
  mem_free(gate->mem, v.rows, count, sizeof *v.rows);
  mem_free(gate->mem, scratch, count, sizeof *scratch);
  return good ? PPROFC_OK : error_nomem(error);
}
