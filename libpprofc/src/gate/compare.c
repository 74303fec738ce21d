/* Compares the samples of base and head for the gate: change, interval, p-value and drift. */
#include "gate/judge.h"

#define EXACT_MAX 50 /* largest sample size for which the distribution of U is computed exactly */
#define DRIFT_MIN 6  /* minimum number of samples in base and in head for a test of drift */
/* Significance level of the test for drift (a trend from the first to the last sample). It is
 * small, because a suite of 100 benchmarks makes 200 of these tests. */
#define DRIFT_ALPHA 0.001
/* Minimum number of rounds (repetitions) in base and in head for a test of their medians. If each
 * round is a separate process, the minimum is 2. */
#define ROUNDS_MIN 4
/* Maximum number of rounds of base or of head. With more, the configuration key "round" probably
 * counts samples. */
#define ROUNDS_MAX 1000

static double compare_median(struct gate_sample s) {
  size_t half = s.count / 2;
  return s.count % 2 ? s.sorted[half] : s.sorted[half - 1] / 2 + s.sorted[half] / 2;
}

/* True if a sample has several values and all are equal. */
static bool sample_is_constant(struct gate_sample s) {
  return s.count > 1 && s.sorted[0] == s.sorted[s.count - 1];
}

/* Returns the standard deviation of the normal distribution that has the sample's quartiles,
 * divided by the median of the sample. */
static double spread_of(struct gate_sample s) {
  double middle = compare_median(s);
  double range =
      pprofc_quantile(s.sorted, s.count, 0.75) - pprofc_quantile(s.sorted, s.count, 0.25);
  return middle != 0 ? fabs(range / 1.349 / middle) : 0;
}

static double compare_range(struct gate_sample s) {
  return s.count ? s.sorted[s.count - 1] - s.sorted[0] : 0;
}

/* Returns the inner range of a sample: its range without the lowest and the highest value. If the
 * sample has fewer than five values, returns its whole range. */
static double compare_inner_range(struct gate_sample s) {
  return s.count >= 5 ? s.sorted[s.count - 2] - s.sorted[1] : compare_range(s);
}

/* Returns the larger inner range of base and head if the medians differ by more than this range.
 * Otherwise returns the larger whole range, because outliers may explain the difference. */
static double compare_both_ranges(struct gate_sample base, struct gate_sample head) {
  double inner = fmax(compare_inner_range(base), compare_inner_range(head));
  bool apart = fabs(compare_median(head) - compare_median(base)) > inner;
  return apart ? inner : fmax(compare_range(base), compare_range(head));
}

/* ---- U: interval and smallest p ---------------------- */

double gate_smallest_p(size_t base_count, size_t head_count) {
  size_t n = base_count + head_count;
  if (n > 1000) return 0;
  double ways = choose((int)n, (int)base_count);
  return ways > 0 ? fmin(1, 2 / ways) : 1;
}

/* Counts the ways in which U can be 0, 1, 2 and so on. The counts are coefficients of a polynomial
 * in x. The polynomial is the product of (1 - x^(n+i)) / (1 - x^i) for i from 1 to m. */
static void count_u(double *ways, size_t size, size_t n, size_t m) {
  for (size_t u = 0; u < size; u++) ways[u] = u == 0;
  for (size_t i = 1; i <= m; i++) {
    for (size_t u = size; u-- > n + i;) ways[u] -= ways[u - n - i];
    for (size_t u = i; u < size; u++) ways[u] += ways[u - i];
  }
}

bool gate_u_cut(size_t n, size_t m, double alpha, size_t *cut, const pprofc_allocator *mem) {
  *cut = 0;
  if (n > EXACT_MAX || m > EXACT_MAX) {
    double pairs = (double)n * (double)m;
    double k =
        pairs / 2 - pprofc_normal_quantile(1 - alpha / 2) * sqrt(pairs * (double)(n + m + 1) / 12);
    if (k > 0) *cut = (size_t)k;
    return true;
  }
  size_t size = n * m / 2 + 1;
  double *ways = mem_array(mem, size, sizeof *ways);
  if (!ways) return false;
  count_u(ways, size, n, m);
  double total = choose((int)(n + m), (int)n), sum = 0;
  for (size_t u = 0; u < size; u++) {
    sum += ways[u];
    if (sum / total > alpha / 2) break;
    *cut = u + 1;
  }
  mem_free(mem, ways, size, sizeof *ways);
  return true;
}

static double from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Counts the pairs whose ratio head / base is at most `limit`. `fitting` is the number of such
 * pairs for one base value. Larger base values have at least as many. */
static size_t ratios_up_to(struct gate_sample base, struct gate_sample head, double limit) {
  size_t count = 0, fitting = 0;
  for (size_t i = 0; i < base.count; i++) {
    while (fitting < head.count && head.sorted[fitting] / base.sorted[i] <= limit) fitting++;
    count += fitting;
  }
  return count;
}

/* Returns element `n` of the sorted ratios head / base of all pairs of values. Bisects the bits of
 * doubles instead of storing all ratios: nonnegative doubles have the order of their bits. */
static double nth_ratio(struct gate_sample base, struct gate_sample head, size_t n) {
  /* `high` begins as the bits of infinity. */
  uint64_t low = 0, high = 0x7FF0000000000000u;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (ratios_up_to(base, head, from_bits(middle)) > n)
      high = middle;
    else
      low = middle + 1;
  }
  return from_bits(low);
}

bool gate_ratio_interval(const struct gate *gate, struct gate_sample base, struct gate_sample head,
                         double alpha, double *low, double *high) {
  *low = *high = (double)NAN;
  size_t pairs, cut;
  if (__builtin_mul_overflow(base.count, head.count, &pairs)) return true;
  /* The ratios head / base need positive base values, and head values of at least 0. */
  if (base.sorted[0] <= 0 || head.sorted[0] < 0) return true;
  if (!gate_u_cut(base.count, head.count, alpha, &cut, gate->mem)) return false;
  if (cut == 0) return true;
  *low = nth_ratio(base, head, cut - 1) - 1;
  *high = nth_ratio(base, head, pairs - cut) - 1;
  return true;
}

/* Returns the relative noise of a sample: its standard deviation divided by its mean. */
static double noise_of(struct gate_sample s) {
  pprofc_moments m = pprofc_moments_of(s.values, s.count);
  if (s.count > 1 && m.variance == 0) return 0;
  return s.count > 1 && m.mean != 0 ? sqrt(m.variance) / fabs(m.mean) : (double)NAN;
}

/* ---- one comparison ---------------------------------- */

static void compare_set_delta(struct gate_row *row) {
  if (!isfinite(row->base) || !isfinite(row->head))
    row->delta = (double)NAN; /* A sum overflowed. gate_judge reports this. */
  else if (row->head == row->base)
    row->delta = 0;
  else
    row->delta = (row->head - row->base) / fabs(row->base);
}

/* Computes the interval of the change. It excludes 0 exactly if Welch's test is significant at the
 * level of the interval. If the mean of base may be 0, the interval would have no bounds. The delta
 * method then computes a finite interval. */
static void compare_interval(struct gate_row *row, pprofc_moments x, size_t x_count,
                             pprofc_moments y, size_t y_count, double t) {
  struct ratio_sides sides = {y.mean, x.mean, y.variance / (double)y_count,
                              x.variance / (double)x_count, 0};
  struct ratio_interval ratio = stats_ratio_interval(sides, t);
  if (!ratio.bounded) {
    double r = ratio.ratio;
    double error = sqrt(sides.x_variance + r * r * sides.y_variance) / fabs(x.mean);
    ratio.low = r - t * error;
    ratio.high = r + t * error;
  }
  if (!isfinite(ratio.low) || !isfinite(ratio.high)) return;
  bool negative = x.mean < 0;
  row->low = negative ? 1 - ratio.high : ratio.low - 1;
  row->high = negative ? 1 - ratio.low : ratio.high - 1;
}

/* Runs Welch's test, and computes the interval of the change. */
static void compare_means(const struct gate *gate, struct gate_row *row, struct gate_sample base,
                          struct gate_sample head) {
  pprofc_moments x = pprofc_moments_of(base.values, base.count);
  pprofc_moments y = pprofc_moments_of(head.values, head.count);
  row->base = x.mean;
  row->head = y.mean;
  compare_set_delta(row);
  if (row->constant) return;
  pprofc_t_result t = pprofc_welch_test(base.values, base.count, head.values, head.count);
  row->test = "Welch";
  row->tested = t.status == PPROFC_TEST_OK && t.p >= 0 && t.p <= 1;
  if (row->tested) row->p = t.p;
  if (!row->tested || isnan(row->delta) || row->base == 0) return;
  compare_interval(row, x, base.count, y, head.count,
                   pprofc_t_quantile(1 - gate->settings.alpha / 2, t.degrees));
  /* Values without a sign, such as times, cannot fall by more than 100 %. */
  if (row->low < -1 && base.sorted[0] >= 0 && head.sorted[0] >= 0) row->low = -1;
}

static bool test_medians(const struct gate *gate, struct gate_row *row, struct gate_sample base,
                         struct gate_sample head) {
  row->base = compare_median(base);
  row->head = compare_median(head);
  compare_set_delta(row);
  if (row->constant) return true;
  pprofc_u_result u =
      pprofc_u_test(base.sorted, base.count, head.sorted, head.count, PPROFC_U_CORRECT, gate->mem);
  if (u.status == PPROFC_TEST_NO_MEMORY) return false;
  row->test = "U";
  row->tested = u.status == PPROFC_TEST_OK && u.p >= 0;
  if (row->tested) row->p = u.p;
  return true;
}

static bool compare_medians(const struct gate *gate, struct gate_row *row, struct gate_sample base,
                            struct gate_sample head) {
  if (!test_medians(gate, row, base, head)) return false;
  if (row->constant) return true;
  double alpha = gate->settings.alpha;
  return gate_ratio_interval(gate, base, head, alpha, &row->low, &row->high);
}

/* Runs the U test, because clusters and outliers make means misleading. */
static bool run_second_test(const struct gate *gate, struct gate_row *row, struct gate_sample base,
                            struct gate_sample head) {
  struct gate_row u = gate_row_unknown();
  if (!compare_medians(gate, &u, base, head)) return false;
  row->tests[1] = u.tests[0];
  return true;
}

/* True if an earlier test has a smaller p-value than the third (permutation) test can give. */
static bool is_below_permutations(const struct gate_row *row) {
  return fmin(row->p, row->tests[1].p) < 1.0 / TRIMMED_DRAWS;
}

/* Tests the trimmed means of logarithms. Outliers can hide a change from Welch's test and the U
 * test, but not from this test. */
static bool run_third_test(const struct gate *gate, struct gate_row *row, struct gate_sample base,
                           struct gate_sample head) {
  size_t count = base.count + head.count;
  if (base.sorted[0] <= 0 || head.sorted[0] <= 0) return true;
  double *logs = mem_array(gate->mem, count, sizeof *logs);
  if (!logs) return false;
  for (size_t i = 0; i < base.count; i++) logs[i] = log(base.sorted[i]);
  for (size_t i = 0; i < head.count; i++) logs[base.count + i] = log(head.sorted[i]);
  double *other = logs + base.count;
  struct trimmed_result t = stats_trimmed_test(logs, base.count, other, head.count);
  bool good = true;
  if (t.tested && !is_below_permutations(row))
    good = stats_trimmed_permute(logs, base.count, other, head.count, gate->mem, &t);
  mem_free(gate->mem, logs, count, sizeof *logs);
  if (!t.tested) return good;
  double change = t.y - t.x,
         half = t.error * pprofc_t_quantile(1 - gate->settings.alpha / 2, t.degrees);
  row->tests[2] = (struct gate_test){
      true, exp(t.x), exp(t.y),   expm1(change), expm1(change - half), expm1(change + half),
      t.p,  1,        "trimmed t"};
  return good;
}

bool gate_compare(const struct gate *gate, struct gate_row *row, struct gate_sample base,
                  struct gate_sample head, pprofc_gate_test test) {
  row->in_base = row->in_head = true;
  row->base_count = base.count;
  row->head_count = head.count;
  row->constant = sample_is_constant(base) && sample_is_constant(head);
  row->spread = fmax(spread_of(base), spread_of(head));
  row->range = compare_both_ranges(base, head);
  row->base_noise = noise_of(base);
  row->head_noise = noise_of(head);
  bool good = true;
  if (test == PPROFC_GATE_WELCH || test == PPROFC_GATE_BOTH)
    compare_means(gate, row, base, head);
  else
    good = compare_medians(gate, row, base, head);
  if (test == PPROFC_GATE_BOTH && !row->constant)
    good = run_second_test(gate, row, base, head) && run_third_test(gate, row, base, head);
  if (test == PPROFC_GATE_NONE) row->test = "none";
  if (row->constant) {
    row->test = "constant";
    if (!gate_is_from_zero(row)) row->low = row->high = row->delta;
  }
  return good;
}

/* ---- drift ------------------------------------------- */

static double gate_trend(struct gate_sample sample, bool *drifts) {
  *drifts = false;
  if (sample.count < DRIFT_MIN || sample_is_constant(sample)) return 0;
  double n = (double)sample.count, middle = (n - 1) / 2, xx = 0, xy = 0, yy = 0;
  double mean = pprofc_moments_of(sample.values, sample.count).mean;
  for (size_t i = 0; i < sample.count; i++) {
    double x = (double)i - middle, y = sample.values[i] - mean;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  double rest = yy - xy * xy / xx; /* residual sum of squares */
  if (!(yy > 0) || mean == 0) return 0;
  double p = 0;
  if (rest > 1e-12 * yy) p = pprofc_t_two_sided(xy / sqrt(xx) / sqrt(rest / (n - 2)), n - 2);
  *drifts = p <= DRIFT_ALPHA;
  return xy / xx * (n - 1) / fabs(mean);
}

/* ---- sides ------------------------------------------- */

/* Numbers the rounds of base or of head 0, 1, 2 and so on, in the order of their first values.
 * Returns the number of rounds, or 0 if a value has no round or there are too many rounds. */
static size_t number_rounds(struct gate_side side, uint32_t *number, uint32_t *seen) {
  size_t count = 0;
  for (size_t i = 0; i < side.count; i++) {
    size_t k = count;
    if (side.rounds[i] == 0) return 0;
    while (k > 0 && seen[k - 1] != side.rounds[i]) k--;
    if (k == 0 && count == ROUNDS_MAX) return 0;
    if (k == 0) {
      seen[count] = side.rounds[i];
      k = ++count;
    }
    number[i] = (uint32_t)(k - 1);
  }
  return count;
}

struct block_buffers {
  double *values, *sorted, *block;
  uint32_t *number, *seen;
};

static struct gate_sample sort_sample(const double *values, double *sorted, size_t count) {
  if (count) memcpy(sorted, values, count * sizeof *sorted);
  sort_doubles(sorted, count);
  return (struct gate_sample){values, sorted, count};
}

static struct gate_sample take_medians(struct gate_side side, struct block_buffers *b,
                                       size_t rounds) {
  for (size_t r = 0; r < rounds; r++) {
    size_t k = 0;
    for (size_t i = 0; i < side.count; i++)
      if (b->number[i] == r) b->block[k++] = side.values[i];
    sort_doubles(b->block, k);
    b->values[r] = compare_median((struct gate_sample){b->block, b->block, k});
  }
  return sort_sample(b->values, b->sorted, rounds);
}

static bool take_buffers(struct arena *arena, struct block_buffers *b, size_t count) {
  *b = (struct block_buffers){
      arena_array(arena, count, sizeof(double)), arena_array(arena, count, sizeof(double)),
      arena_array(arena, count, sizeof(double)), arena_array(arena, count, sizeof(uint32_t)),
      arena_array(arena, count, sizeof(uint32_t))};
  return b->values && b->sorted && b->block && b->number && b->seen;
}

static const char *test_on_rounds(const char *test) {
  if (!test) return NULL;
  if (strcmp(test, "Welch") == 0) return "Welch on medians of rounds";
  if (strcmp(test, "trimmed t") == 0) return "trimmed t on medians of rounds";
  return strcmp(test, "U") == 0 ? "U on medians of rounds" : test;
}

/* ---- counts ------------------------------------------ */

/* Factor for the noise of a count. The noise is this factor times the range divided by the median,
 * for base or for head, whichever is larger. */
#define COUNT_SWING 3

/* Returns the range of a sample divided by its median. */
static double range_of(struct gate_sample s) {
  double middle = compare_median(s);
  return middle != 0 ? compare_range(s) / fabs(middle) : 0;
}

static bool compare_counts(const struct gate *gate, struct gate_row *row, struct gate_side base,
                           struct gate_side head) {
  double *sorted[2] = {mem_array(gate->mem, base.count, sizeof(double)),
                       mem_array(gate->mem, head.count, sizeof(double))};
  bool good = sorted[0] && sorted[1];
  if (good) {
    struct gate_sample b = sort_sample(base.values, sorted[0], base.count);
    struct gate_sample h = sort_sample(head.values, sorted[1], head.count);
    row->base = compare_median(b);
    row->head = compare_median(h);
    row->constant = true;
    row->test = "exact";
    row->noise = COUNT_SWING * fmax(range_of(b), range_of(h));
    compare_set_delta(row);
  }
  mem_free(gate->mem, sorted[0], base.count, sizeof(double));
  mem_free(gate->mem, sorted[1], head.count, sizeof(double));
  return good;
}

/* ---- both sides -------------------------------------- */

/* Compares the samples of base and head, or the medians of their rounds if there are enough
 * rounds. */
static bool compare_rounds(const struct gate *gate, struct gate_row *row, struct gate_side base,
                           struct gate_side head) {
  struct block_buffers b, h;
  struct gate_sample samples[2];
  struct arena arena = arena_make(gate->mem);
  bool good = take_buffers(&arena, &b, base.count) && take_buffers(&arena, &h, head.count);
  if (good) {
    size_t base_rounds = base.rounds ? number_rounds(base, b.number, b.seen) : 0;
    size_t head_rounds = head.rounds ? number_rounds(head, h.number, h.seen) : 0;
    size_t least = row->processes ? 2 : ROUNDS_MIN;
    bool rounds = base_rounds >= least && head_rounds >= least;
    samples[0] = rounds ? take_medians(base, &b, base_rounds)
                        : sort_sample(base.values, b.sorted, base.count);
    samples[1] = rounds ? take_medians(head, &h, head_rounds)
                        : sort_sample(head.values, h.sorted, head.count);
    good = gate_compare(gate, row, samples[0], samples[1], gate->settings.test);
    for (size_t i = 0; i < GATE_TESTS && rounds; i++)
      row->tests[i].test = test_on_rounds(row->tests[i].test);
    row->base_trend = gate_trend(samples[0], &row->base_drifts);
    row->head_trend = gate_trend(samples[1], &row->head_drifts);
  }
  arena_free(&arena);
  return good;
}

bool gate_compare_sides(const struct gate *gate, struct gate_row *row, struct gate_side base,
                        struct gate_side head) {
  return (row->exact ? compare_counts : compare_rounds)(gate, row, base, head);
}
