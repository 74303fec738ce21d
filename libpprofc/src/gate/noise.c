/* Estimates from earlier runs how much benchmarks vary without a change, and tests changes against
 * this noise. One benchmark has too few runs for an estimate. So the estimate also uses all other
 * benchmarks in the same unit (Smyth 2004): their variances, and how often their noise has large
 * values. */
#include "gate/judge.h"

void gate_noise_key(struct buffer *out, pprofc_str group, pprofc_str name, pprofc_str unit) {
  escape_line(out, group); /* Escape all texts, as gate_add does. */
  buffer_add_char(out, '\0');
  escape_line(out, name);
  buffer_add_char(out, '\0');
  gate_unit_canonical(out, unit);
}

bool gate_keep_earlier(struct gate *gate, pprofc_str key, const double *values, size_t count) {
  struct gate_earlier earlier = {.degrees = 0};
  double mean = 0, squares = 0, third = 0, fourth = 0;
  for (size_t i = 0; i < count; i++) {
    double value = log(values[i]), delta = value - mean;
    mean += delta / (double)(i + 1);
    squares += delta * (value - mean);
  }
  /* With fewer than two positive values, the noise is unknown. */
  if (!isfinite(squares) || count < 2) return true;
  for (size_t i = 0; i < count; i++) {
    third += pow(log(values[i]) - mean, 3);
    fourth += pow(log(values[i]) - mean, 4);
  }
  size_t unit = str_find_last_char(key, '\0') + 1;
  earlier.third = third;
  earlier.fourth = fourth;
  earlier.degrees = (double)(count - 1);
  earlier.variance = squares / earlier.degrees;
  earlier.timed = gate_unit_depends_on_load(str_slice(key, unit, key.size));
  earlier.unit = interner_copy(&gate->noise_units, &gate->arena, str_slice(key, unit, key.size));
  uint32_t id = interner_copy(&gate->noise_keys, &gate->arena, key);
  if (id == MAP_NONE || earlier.unit == MAP_NONE) return false;
  /* A new key gets the next id, noise_count. If two benchmarks have the same key, keep the larger
   * variance. */
  if (id == gate->noise_count)
    return ARRAY_PUSH(gate->mem, gate->noise, gate->noise_count, gate->noise_capacity, earlier);
  if (earlier.variance > gate->noise[id].variance) gate->noise[id] = earlier;
  return true;
}

/* Replaces the values of a benchmark by the median of each run, and returns the number of runs.
 * Each input is a run, whose values are adjacent. */
static size_t take_runs(struct pairs *pairs, const struct pair *pair) {
  const struct pair_side *all = &pair->sides[PAIR_BASE];
  const uint32_t *runs = pairs->inputs + all->first;
  double *values = pairs->values + all->first;
  size_t count = 0;
  if (pair->bad) return 0;
  for (size_t i = 0, end; i < all->count; i = end) {
    for (end = i; end < all->count && runs[end] == runs[i];) end++;
    values[count++] = stats_median(values + i, end - i);
  }
  return count;
}

static bool learn_pairs(struct gate *gate, struct pairs *pairs) {
  struct buffer key = buffer_make(gate->mem, SIZE_MAX / 2);
  bool good = true;
  for (size_t i = 0; i < pairs->count && good; i++) {
    const struct pair *pair = &pairs->items[i];
    buffer_clear(&key);
    gate_noise_key(&key, pairs_text(pairs, pair->package),
                   pprofc_bench_string(pairs->set, pair->name), pairs_text(pairs, pair->unit));
    size_t runs = take_runs(pairs, pair);
    good = !key.failed && gate_keep_earlier(gate, buffer_str(&key),
                                            pairs->values + pair->sides[PAIR_BASE].first, runs);
  }
  buffer_free(&key);
  return good;
}

pprofc_status gate_learn_noise(struct gate *gate, const pprofc_bench *set, pprofc_error *error) {
  struct pairs pairs;
  if (pprofc_bench_inputs(set) < 2)
    gate_problem(gate, "noise needs at least two runs, but there is %s",
                 pprofc_bench_inputs(set) ? "one" : "none");
  bool good = pairs_make(&pairs, set, NULL, gate->mem) && learn_pairs(gate, &pairs) &&
              gate_share_earlier(gate);
  size_t count = pairs.count;
  pairs_free(&pairs);
  if (!good) return error_nomem(error);
  if (!count) gate_problem(gate, "the earlier runs have no benchmark results");
  return PPROFC_OK;
}

/* ---- shared variances -------------------------------- */

/* Minimum number of benchmarks in a unit for combining their variances. */
#define SHARED_MIN 10
/* Maximum of unit_noise.degrees, for benchmarks that vary equally. */
#define DEGREES_MOST 1e4

/* Statistics of the benchmarks in a unit. The tail is the excess kurtosis of the difference of two
 * runs: 0 for normal noise, and above 0 if large differences are more frequent. */
struct unit_noise {
  /* number of benchmarks, and statistics of log(variance), corrected for the bias of small samples:
   * mean, sum of squared deviations, and sum of sampling variances */
  size_t count;
  double mean, squares, sampling;
  /* sums over the benchmarks of the means of d^4, d^2 and d^2 * e^2: d is the difference of two
   * runs of a benchmark, e the difference of two other runs */
  double fourth, second, product;
  size_t products; /* number of benchmarks in `product`: those with at least four runs */
  double skew;     /* sum over the benchmarks of the third cumulant of log(median) */
  /* excess kurtosis of the difference of two runs; sum over benchmarks of 1 / (number of runs) */
  double tail, inverse_runs;
  /* variance that all benchmarks of the unit share, and its weight in degrees of freedom */
  double variance, degrees;
};

/* Adds a benchmark to the sums for the tail (unit_noise.tail). Computes the means over all pairs of
 * runs from the sums of powers in `e`, without a loop over the pairs. */
static void unit_noise_add_tail(struct unit_noise *u, const struct gate_earlier *e) {
  double n = e->degrees + 1, pairs = n * e->degrees, squares = e->variance * e->degrees;
  u->fourth += (2 * n * e->fourth + 6 * squares * squares) / pairs;
  u->second += 2 * e->variance;
  u->inverse_runs += 1 / n;
  if (n > 2) u->skew += n * e->third / (e->degrees * (n - 2));
  if (n < 4) return;
  u->product += 4 * ((n * n - 3 * n + 3) * squares * squares - pairs * e->fourth) /
                (pairs * (n - 2) * (n - 3));
  u->products++;
}

static void unit_noise_add(struct unit_noise *u, const struct gate_earlier *e) {
  double half = e->degrees / 2;
  if (!(e->variance > 0)) return;
  double value = log(e->variance) - stats_digamma(half) + log(half), delta = value - u->mean;
  u->mean += delta / (double)++u->count;
  u->squares += delta * (value - u->mean);
  u->sampling += stats_trigamma(half);
  unit_noise_add_tail(u, e);
}

/* Estimates the tail (unit_noise.tail). With at least four runs of every benchmark, measures the
 * tail within each benchmark. With fewer, assumes that all benchmarks have equal noise. If their
 * noise differs, the tail is too large, and the test finds fewer changes. A few runs seldom contain
 * the largest values of skewed noise. So the tail is at least a multiple of the squared skewness,
 * because few runs suffice to estimate the skewness (docs/method/gates_earlier.md). */
static double unit_noise_tail(const struct unit_noise *u) {
  double count = (double)u->count, square = u->second * u->second / count;
  if (u->products == u->count) square = u->product;
  double tail = u->fourth / square - 3;
  if (!(tail > 0) || !isfinite(tail)) return 0;
  double skewness = (u->skew / count) / pow(u->second / count / 2, 1.5);
  return fmax(tail, (1 + 6 * u->inverse_runs / count) * skewness * skewness);
}

static void unit_noise_finish(struct unit_noise *u) {
  if (u->count < SHARED_MIN) return;
  u->tail = unit_noise_tail(u);
  /* If large differences are frequent (tail > 0), variances of few runs vary more. */
  double sampling = u->sampling + 2 * u->tail * u->inverse_runs;
  double spread = u->squares / (double)(u->count - 1) - sampling / (double)u->count;
  u->degrees = DEGREES_MOST;
  if (spread > 0) u->degrees = fmin(2 * stats_trigamma_inverse(spread), DEGREES_MOST);
  u->variance = exp(u->mean + stats_digamma(u->degrees / 2) - log(u->degrees / 2));
}

/* Lowers the degrees of freedom, so that the t distribution has large values as often as the noise.
 * Fewer degrees of freedom widen the distribution, so also reduces e->variance. */
static void earlier_add_tail(struct gate_earlier *e, double tail) {
  if (!(tail > 0) || !(e->degrees > 4)) return;
  double degrees = 4 + 6 / (tail + 6 / (e->degrees - 4));
  e->variance *= (e->degrees / (e->degrees - 2)) / (degrees / (degrees - 2));
  e->degrees = degrees;
}

bool gate_share_earlier(struct gate *gate) {
  size_t count = gate->noise_count, units = gate->noise_units.count;
  struct gate_earlier *all = gate->noise;
  struct unit_noise *shared = mem_zero_array(gate->mem, units, sizeof *shared);
  if (!shared) return false;
  for (size_t i = 0; i < count; i++) unit_noise_add(&shared[all[i].unit], &all[i]);
  for (size_t i = 0; i < units; i++) unit_noise_finish(&shared[i]);
  for (size_t i = 0; i < count; i++) {
    const struct unit_noise *u = &shared[all[i].unit];
    double degrees = all[i].degrees + u->degrees;
    /* A variance of 0 is right for memory sizes, which have no noise; for times it is chance. */
    if (!(all[i].variance > 0) && !(all[i].timed && u->degrees > 0)) continue;
    all[i].variance = (u->degrees * u->variance + all[i].degrees * all[i].variance) / degrees;
    all[i].degrees = degrees;
    earlier_add_tail(&all[i], u->tail);
  }
  mem_free(gate->mem, shared, units, sizeof *shared);
  return true;
}

/* ---- the test ---------------------------------------- */

/* Returns the two-sided p-value from earlier runs, or 1 if the size of the change is unknown. */
static double earlier_p(const struct gate_row *row, double delta) {
  double change = log1p(delta) / row->between;
  if (isnan(delta)) return 1;
  /* The values of earlier runs are positive, so a change from 0, or to 0 or less, is not noise. */
  if (!isfinite(change)) return 0;
  return pprofc_t_two_sided(change, row->between_degrees);
}

/* Widens the interval of a change until it contains the interval from the noise of earlier runs. */
static void earlier_widen(const struct gate_row *row, double delta, double *low, double *high) {
  double half = row->between * pprofc_t_quantile(1 - row->alpha / 2, row->between_degrees);
  if (!isfinite(delta)) return;
  if (!(half < log(GATE_EARLIER_MOST))) { /* Too few earlier runs: the interval is unbounded. */
    *low = *high = (double)NAN;
    return;
  }
  *low = fmin(*low, (1 + delta) * exp(-half) - 1);
  *high = fmax(*high, (1 + delta) * exp(half) - 1);
}

static const char earlier_name[] = "t on earlier runs";

/* Sets row->p to the p-value from earlier runs if it is above row->p or the only p-value. */
static void earlier_take_p(const struct gate *gate, struct gate_row *row) {
  double p = earlier_p(row, row->delta);
  bool alone = row->constant || gate->settings.test == PPROFC_GATE_NONE;
  if (alone || (row->tested && p > row->p)) row->test = earlier_name;
  row->p = alone ? p : fmax(p, row->p);
  row->tested = row->tested || alone;
  row->constant = false;
}

/* Tests a change against two kinds of noise: within this run, and between runs. Keeps the larger
 * p-value. */
bool gate_test_earlier(const struct gate *gate, struct gate_row *row, pprofc_str key) {
  uint32_t id = interner_find(&gate->noise_keys, key);
  if (id == MAP_NONE) return false;
  const struct gate_earlier *e = &gate->noise[id];
  /* Equal times in all runs are chance, and do not show the noise between runs. */
  if (e->timed && !(e->variance > 0)) return true;
  row->one_process = false; /* Earlier runs show the noise, so one process suffices. */
  if (!(e->variance > 0) || row->base_count < 2 || row->head_count < 2) return true;
  row->between = sqrt(2 * e->variance);
  row->between_degrees = e->degrees;
  earlier_take_p(gate, row);
  earlier_widen(row, row->delta, &row->low, &row->high);
  for (size_t i = 1; i < GATE_TESTS; i++) {
    struct gate_test *further = &row->tests[i];
    double p = earlier_p(row, further->delta);
    if (p > further->p) further->test = earlier_name;
    further->p = fmax(p, further->p);
    earlier_widen(row, further->delta, &further->low, &further->high);
  }
  return true;
}
