/* Warns about three problems of a whole run: most benchmarks drift, most benchmarks change in one
 * direction, or there are too few samples for the number of rows. */
#include "gate/judge.h"

#define SIGN_ALPHA 0.001
#define SIGN_MIN   8 /* minimum number of rows for a sign test */

/* Returns a two-sided sign test's p: the chance that fair coins split at least as unevenly. */
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

static bool is_time_row(const struct gate_row *row) {
  return row->is_cpu || str_equal(row->unit, STR("sec/op")) || str_equal(row->unit, STR("time/op"));
}

/* True if a trend uses the row. If `times` is true, a trend uses only rows of times, so that a
 * benchmark with several units counts once. */
static bool stands_for_benchmark(const struct gate_row *row, bool times) {
  if (!row->in_base || !row->in_head || row->constant || row->direction == 0) return false;
  if (row->verdict == PPROFC_GATE_ASIDE || row->aside) return false;
  return !times || is_time_row(row);
}

static double base_trend(const struct gate_row *row) {
  return row->base_trend;
}
static double head_trend(const struct gate_row *row) {
  return row->head_trend;
}
static double change(const struct gate_row *row) {
  return isfinite(row->delta) ? row->delta : 0;
}

/* A change that most benchmarks share: number of benchmarks that got worse, number that changed,
 * and median change (positive for worse). */
struct trend {
  size_t worse, all;
  double middle;
};

/* Returns the number of benchmarks that changed in the direction of the median change. */
static size_t trend_size(const struct trend *trend) {
  return trend->middle > 0 ? trend->worse : trend->all - trend->worse;
}

static const char *trend_name(const struct trend *trend) {
  return trend->middle > 0 ? "worse" : "better";
}

/* Counts the benchmarks that got worse and the benchmarks that got better. `number` returns the
 * change of a row. Returns true if chance is unlikely to make both counts so unequal. */
static bool is_one_sided(const struct gate *gate, double (*number)(const struct gate_row *),
                         bool times, double *values, struct trend *trend) {
  size_t n = 0;
  trend->worse = 0;
  for (size_t i = 0; i < gate->row_count; i++) {
    double value = number(&gate->rows[i]) * -gate->rows[i].direction;
    if (!stands_for_benchmark(&gate->rows[i], times) || value == 0) continue;
    values[n++] = value;
    trend->worse += value > 0;
  }
  trend->all = n;
  if (n < SIGN_MIN || sign_p(trend->worse, n - trend->worse) > SIGN_ALPHA) return false;
  sort_doubles(values, n);
  trend->middle = values[n / 2];
  return true;
}

static bool has_times(const struct gate *gate) {
  for (size_t i = 0; i < gate->row_count; i++)
    if (stands_for_benchmark(&gate->rows[i], true)) return true;
  return false;
}

static void find_drift(struct gate *gate, bool times, double *values) {
  static const struct {
    const char *side;
    double (*trend)(const struct gate_row *row);
  } sides[] = {{"base", base_trend}, {"head", head_trend}};
  for (size_t i = 0; i < 2; i++) {
    struct trend trend;
    if (!is_one_sided(gate, sides[i].trend, times, values, &trend)) continue;
    gate->drifting = true;
    gate_warning(gate,
                 "drift: from the first sample of %s to the last, %zu of %zu benchmarks got %s "
                 "(median %.1f%% of its mean); run base and head in turns (scripts/bench_ab.sh)",
                 sides[i].side, trend_size(&trend), trend.all, trend_name(&trend),
                 100 * fabs(trend.middle));
  }
}

static void find_shift(struct gate *gate, bool times, double *values) {
  struct trend trend;
  if (!is_one_sided(gate, change, times, values, &trend)) return;
  gate->shifted = true;
  gate_warning(gate,
               "shift: %zu of %zu benchmarks got %s (median %.1f%%); if the change does "
               "not explain that, suspect the machine",
               trend_size(&trend), trend.all, trend_name(&trend), 100 * fabs(trend.middle));
}

/* True if the p-value of the row is from a rank test. This includes p-values in printed tables,
 * because benchstat uses the U test by default. */
static bool has_ranks(const struct gate_row *row) {
  bool ranks = str_starts(str_of(row->test), STR("U")) || strcmp(row->test, "table") == 0;
  return ranks && row->tested && !row->constant && row->base_count && row->head_count &&
         gate_was_judged(row);
}

/* True if the row has so few samples that even its smallest possible p-value is not significant
 * after the correction for all rows. */
static bool is_powerless(const struct gate *gate, const struct gate_row *row) {
  if (!has_ranks(row)) return false;
  double least = gate_smallest_p(row->base_count, row->head_count);
  return least * (double)gate->family > row->alpha;
}

static void check_power(struct gate *gate) {
  size_t weak = 0, fewest = SIZE_MAX;
  if (gate->settings.correction == PPROFC_GATE_UNCORRECTED || gate->family == 0) return;
  for (size_t i = 0; i < gate->row_count; i++) {
    const struct gate_row *row = &gate->rows[i];
    if (!is_powerless(gate, row)) continue;
    size_t n = row->base_count < row->head_count ? row->base_count : row->head_count;
    if (n < fewest) fewest = n;
    weak++;
  }
  if (weak)
    gate_warning(gate,
                 "with %zu samples of each version and %zu comparisons, a regression cannot be "
                 "significant in %zu of them; measure more often",
                 fewest, gate->family, weak);
}

bool gate_find_trends(struct gate *gate) {
  double *values = mem_array(gate->mem, gate->row_count, sizeof *values);
  if (!values) return false;
  bool times = has_times(gate);
  find_drift(gate, times, values);
  find_shift(gate, times, values);
  check_power(gate);
  mem_free(gate->mem, values, gate->row_count, sizeof *values);
  return true;
}
