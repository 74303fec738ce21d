/* Computes the smallest change that each row's test finds, and the number of samples that find a
 * change as large as the threshold. */
#include "gate/judge.h"

/* Returns the p-value up to which a row would be significant if no other row changed. Both
 * corrections (Holm, Benjamini-Hochberg) compare the smallest of all p-values with this limit. */
static double level_of(const struct gate *gate, const struct gate_row *row) {
  bool corrected = gate->settings.correction != PPROFC_GATE_UNCORRECTED && gate->family > 1;
  return corrected ? row->alpha / (double)gate->family : row->alpha;
}

/* Returns the smallest change that can be a regression. It is at least as large as the threshold
 * and the floor (settings of the gate). */
static double least_change(const struct gate_row *row) {
  double floor = row->floor > 0 && row->base != 0 ? row->floor / fabs(row->base) : 0;
  return fmax(row->threshold, floor);
}

/* Sets the smallest detectable change of a row that comes from a table, without samples: infinity
 * if no p-value can be significant. Otherwise the change stays unknown. */
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
                              .ranks = gate->settings.test == PPROFC_GATE_UTEST};
}

/* Computes the number of rounds that find a change as large as the threshold, with the same noise.
 * The number is at least -min-samples. */
static bool find_rounds(const struct gate *gate, struct gate_power *power,
                        const struct gate_row *row, double *needed) {
  struct gate_design design = design_of(gate, row);
  if (!gate_power_samples(power, &design, least_change(row), needed)) return false;
  *needed = fmax(*needed, (double)gate->settings.min_samples);
  return true;
}

/* Raises the smallest detectable change to the smallest change that exceeds the noise between runs.
 * More rounds in this run do not reduce this noise. */
static void see_between_runs(struct gate_row *row) {
  double t = pprofc_t_quantile(1 - row->level / 2, row->between_degrees) +
             pprofc_t_quantile(GATE_POWER, row->between_degrees);
  double visible = expm1(row->between * t);
  if (!(visible < GATE_EARLIER_MOST)) visible = (double)INFINITY;
  if (visible > row->visible || isnan(row->visible)) row->visible = visible;
}

/* ---- one row ----------------------------------------- */

struct visible_search {
  struct gate *gate;
  struct gate_power power;
  double *seen; /* smallest detectable changes of the tested rows */
  size_t count;
};

/* Sets row->visible, the smallest change that the gate would find in four of five cases. For a row
 * that was measured only in the first rounds (row->screened), this is the smallest change that
 * counts as a regression. The first rounds find such a change in four of five cases. */
static bool see_change(struct visible_search *v, struct gate_row *row, bool known) {
  struct gate_design design = design_of(v->gate, row);
  if (row->screened) {
    row->visible = least_change(row);
    return true;
  }
  if (row->verdict == PPROFC_GATE_TOO_FEW) {
    row->visible = (double)INFINITY;
    return true;
  }
  if (known) return gate_power_visible(&v->power, &design, &row->visible);
  see_table(row);
  return true;
}

static bool see_row(struct visible_search *v, struct gate_row *row) {
  bool known = isfinite(row->base_noise) && isfinite(row->head_noise);
  bool open = !verdict_is_decided(row->verdict) && row->threshold > 0;
  row->level = level_of(v->gate, row);
  if (v->gate->settings.test == PPROFC_GATE_NONE || row->constant) return true;
  if (!see_change(v, row, known)) return false;
  double within = row->visible;
  if (row->between > 0) see_between_runs(row);
  row->blind = open && row->visible > least_change(row) * (1 + 1e-9);
  if (!row->blind || !known || row->visible > within) return true;
  return find_rounds(v->gate, &v->power, row, &row->needed);
}

/* ---- all rows ---------------------------------------- */

/* Adds a tested row to the totals. visible_row is the first row with the largest `visible`. */
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
  struct gate *gate = v->gate;
  for (size_t i = 0; i < gate->row_count; i++) {
    struct gate_row *row = &gate->rows[i];
    if (!gate_was_judged(row)) continue;
    if (!see_row(v, row)) return false;
    bool too_few = row->verdict == PPROFC_GATE_TOO_FEW;
    row->unjudged = row->blind || too_few || row->verdict == PPROFC_GATE_INCONCLUSIVE;
    if ((row->tested || too_few) && !row->constant) visible_count_row(v, row, i);
  }
  gate->visible_count = v->count;
  if (v->count) gate->visible_middle = gate_power_select(v->seen, v->count, v->count / 2);
  return true;
}

/* ---- benchmarks -------------------------------------- */

/* Counts the benchmarks that have a compared row, and how many of them have an unjudged row
 * (gate_row.unjudged). Returns false when out of memory. */
static bool see_benchmarks(struct gate *gate) {
  struct interner keys;
  bool *unjudged = mem_array(gate->mem, gate->row_count, sizeof *unjudged), good = unjudged;
  interner_init(&keys, gate->mem);
  struct buffer key = buffer_make(gate->mem, SIZE_MAX / 2);
  for (size_t i = 0; i < gate->row_count && good; i++) {
    const struct gate_row *row = &gate->rows[i];
    if (!gate_was_judged(row) || row->whole) continue;
    buffer_clear(&key);
    gate_noise_key(&key, row->group, row->name, STR(""));
    uint32_t id = key.failed ? MAP_NONE : interner_copy(&keys, &gate->arena, buffer_str(&key));
    good = id != MAP_NONE;
    if (!good) break;
    if (id == gate->benchmarks) unjudged[gate->benchmarks++] = false;
    gate->unjudged += row->unjudged && !unjudged[id];
    unjudged[id] |= row->unjudged;
  }
  buffer_free(&key);
  interner_free(&keys);
  mem_free(gate->mem, unjudged, gate->row_count, sizeof *unjudged);
  return good;
}

bool gate_find_visible(struct gate *gate) {
  struct visible_search v = {.gate = gate};
  v.seen = mem_array(gate->mem, gate->row_count, sizeof *v.seen);
  gate_power_init(&v.power, gate->mem);
  bool good = v.seen && see_all(&v) && see_benchmarks(gate);
  gate_power_free(&v.power);
  mem_free(gate->mem, v.seen, gate->row_count, sizeof *v.seen);
  return good;
}
