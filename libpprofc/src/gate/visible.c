/* Computes the smallest change that each row could have shown, and the samples that would show the
 * threshold. */
#include "gate/compare.h"
#include "gate/judge.h"
#include "gate/power.h"

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
static bool find_rounds(const struct gate *gate, struct gate_power *power, struct gate_row *row) {
  struct gate_design design = design_of(gate, row);
  if (!gate_power_samples(power, &design, least_change(row), &row->needed)) return false;
  row->needed = fmax(row->needed, (double)gate->settings.min_samples);
  return true;
}

static bool see_row(const struct gate *gate, struct gate_power *power, struct gate_row *row) {
  struct gate_design design;
  bool known = isfinite(row->base_noise) && isfinite(row->head_noise);
  row->level = level_of(gate, row);
  design = design_of(gate, row);
  if (gate->settings.test == GATE_NONE || row->constant) return true;
  if (!known)
    see_table(row);
  else if (!gate_power_visible(power, &design, &row->visible))
    return false;
  if (row->verdict == GATE_TOO_FEW) row->visible = (double)INFINITY;
  bool open = !visible_is_decided(row) && row->threshold > 0;
  row->blind = open && row->visible > least_change(row) * (1 + 1e-9);
  return !row->blind || !known || find_rounds(gate, power, row);
}

static int visible_by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Counts a row that was tested. */
static void visible_count_row(struct gate *gate, const struct gate_row *row, size_t index,
                              double *seen) {
  gate->tested++;
  gate->blind += row->blind;
  if (isnan(row->visible)) return;
  if (!gate->visible_count || row->visible > gate->visible_worst) {
    gate->visible_worst = row->visible;
    gate->visible_row = index;
  }
  seen[gate->visible_count++] = row->visible;
  if (row->blind && !isnan(row->needed) && !(row->needed <= gate->needed_worst))
    gate->needed_worst = row->needed;
}

pprofc_status gate_find_visible(struct gate *gate, pprofc_error *error) {
  size_t count;
  struct gate_row *rows = gate_rows(gate, &count);
  double *seen = mem_array(gate->mem, count, sizeof *seen);
  struct gate_power power;
  gate_power_init(&power, gate->mem);
  bool good = seen != NULL;
  for (size_t i = 0; i < count && good; i++) {
    if (!gate_was_judged(&rows[i])) continue;
    good = see_row(gate, &power, &rows[i]);
    bool tested = rows[i].tested || rows[i].verdict == GATE_TOO_FEW;
    if (good && tested && !rows[i].constant) visible_count_row(gate, &rows[i], i, seen);
  }
  if (good && gate->visible_count) {
    qsort(seen, gate->visible_count, sizeof *seen, visible_by_value);
    gate->visible_middle = seen[gate->visible_count / 2];
  }
  gate_power_free(&power);
  mem_free(gate->mem, seen, count, sizeof *seen);
  return good ? PPROFC_OK : error_nomem(error);
}
