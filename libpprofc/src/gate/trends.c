/* Doubts about a whole run: drift that most benchmarks share, changes that all go one way, samples
 * too few for the number of rows. */
#include "gate/gate.h"

#include <math.h>
#include <stdlib.h>

#define SIGN_ALPHA 0.001
#define SIGN_LEAST 8 /* rows */

/* Two-sided sign test: how likely so lopsided a split of fair coins is. */
static double sign_p(size_t up, size_t down) {
  size_t n = up + down, most = up > down ? up : down;
  double log_ways = -(double)n * log(2), sum = 0;
  for (size_t k = 0; k <= n; k++) {
    if (k >= most) sum += exp(log_ways);
    log_ways += log((double)(n - k)) - log((double)(k + 1));
    if (k == n) break;
  }
  return fmin(1, 2 * sum);
}

/* One row for each benchmark: its time if it has one, for the others move along with it. */
static bool stands_for_benchmark(const struct gate_row *row, bool times) {
  if (!row->in_base || !row->in_head || row->constant || row->direction == 0) return false;
  if (row->verdict == GATE_ASIDE || row->aside) return false;
  return !times || row->is_cpu || str_equal(row->unit, STR("sec/op")) ||
         str_equal(row->unit, STR("time/op"));
}

static double base_trend(const struct gate_row *row) {
  return row->base_trend;
}
static double head_trend(const struct gate_row *row) {
  return row->head_trend;
}
static double change(const struct gate_row *row) {
  return row->delta_kind == GATE_DELTA_NUMBER ? row->delta : 0;
}

static int trends_by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Counts rows whose number goes up or down, in the sense of worse and better. False when that is
 * what chance gives. */
static bool lopsided(const struct gate *gate, double (*number)(const struct gate_row *), bool times,
                     size_t *worse, size_t *all, double *middle) {
  size_t count, n = 0;
  const struct gate_row *rows = gate_rows(gate, &count);
  double *values = mem_array(gate->mem, count, sizeof *values);
  *worse = 0;
  for (size_t i = 0; i < count && values; i++) {
    double value = number(&rows[i]) * -rows[i].direction;
    if (!stands_for_benchmark(&rows[i], times) || value == 0) continue;
    values[n++] = value;
    *worse += value > 0;
  }
  *all = n;
  bool found = values && n >= SIGN_LEAST && sign_p(*worse, n - *worse) <= SIGN_ALPHA;
  if (found) {
    qsort(values, n, sizeof *values, trends_by_value);
    *middle = values[n / 2];
  }
  mem_free(gate->mem, values, count, sizeof *values);
  return found;
}

static bool has_times(const struct gate *gate) {
  size_t count;
  const struct gate_row *rows = gate_rows(gate, &count);
  for (size_t i = 0; i < count; i++)
    if (stands_for_benchmark(&rows[i], true)) return true;
  return false;
}

static void find_drift(struct gate *gate) {
  static const struct {
    const char *side;
    double (*trend)(const struct gate_row *row);
  } sides[] = {{"base", base_trend}, {"head", head_trend}};
  bool times = has_times(gate);
  for (size_t i = 0; i < 2; i++) {
    size_t worse, all;
    double middle = 0;
    if (!lopsided(gate, sides[i].trend, times, &worse, &all, &middle)) continue;
    gate->drifting = true;
    gate_warning(gate,
                 "drift: from the first sample of %s to the last, %zu of %zu benchmarks got %s (by "
                 "%.1f%% in the middle); run base and head in turns (scripts/bench_ab.sh)",
                 sides[i].side, middle > 0 ? worse : all - worse, all,
                 middle > 0 ? "worse" : "better", 100 * fabs(middle));
  }
}

static void find_shift(struct gate *gate) {
  size_t worse, all;
  double middle = 0;
  if (!lopsided(gate, change, has_times(gate), &worse, &all, &middle)) return;
  gate->shifted = true;
  gate_warning(gate,
               "shift: %zu of %zu benchmarks got %s (by %.1f%% in the middle); if the change does "
               "not explain that, suspect the machine",
               middle > 0 ? worse : all - worse, all, middle > 0 ? "worse" : "better",
               100 * fabs(middle));
}

/* Of the rows that a rank test was made on: could one of them alone be significant? */
static void check_power(struct gate *gate) {
  size_t count, weak = 0, fewest = SIZE_MAX;
  const struct gate_row *rows = gate_rows(gate, &count);
  if (gate->settings.correction == GATE_UNCORRECTED || gate->family == 0) return;
  for (size_t i = 0; i < count; i++) {
    const struct gate_row *row = &rows[i];
    bool ranks = str_starts(str_of(row->test), STR("U")) || strcmp(row->test, "table") == 0;
    if (!ranks || !row->tested || row->constant || !row->base_count || !row->head_count) continue;
    if (!gate_was_judged(row)) continue;
    double least = gate_smallest_p(row->base_count, row->head_count);
    if (least * (double)gate->family <= row->alpha) continue;
    size_t n = row->base_count < row->head_count ? row->base_count : row->head_count;
    if (n < fewest) fewest = n;
    weak++;
  }
  if (weak)
    gate_warning(gate,
                 "with %zu samples a side and %zu comparisons, a single regression cannot be "
                 "significant in %zu of them; measure more often",
                 fewest, gate->family, weak);
}

void gate_find_trends(struct gate *gate) {
  find_drift(gate);
  find_shift(gate);
  check_power(gate);
}
