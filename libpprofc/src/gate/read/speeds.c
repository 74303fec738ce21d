/* Removes changes of the machine's speed between rounds from times and rates. Tests the geometric
 * mean of all benchmarks. A pass is a round of base or of head. For each benchmark in a pass, take
 * log(value) minus the mean of log(value) over all passes. The median of these differences is the
 * speed of the pass. The gate divides values by exp(speed). docs/method/gates_rounds.md has the
 * rules and their error rates. */
#include "gate/read/read.h"

#define ROWS_LEAST   8  /* minimum number of benchmarks for computing the machine's speed */
#define PASSES_LEAST 5  /* minimum number of rounds in base and in head */
#define GROUPS_MOST  16 /* maximum number of groups of benchmarks with equal unit and rounds */
/* The gate divides by the machine's speeds only if at most this share of the variance remains. */
#define LOWERED 0.7
/* The gate pairs each round of base with the same round of head if pairing reduces the variance of
 * the change to at most this share. */
#define PAIRED 0.25
/* Factor for the p-value of the geometric mean. The gate also tests each benchmark, so without this
 * factor it would report too many unchanged suites as worse. */
#define WHOLE_FACTOR 2

/* A group: benchmarks that have the same unit, and values from the same rounds of base and of head.
 * A pass is one half of a round: all results of base, or all results of head. */
struct speed_group {
  pprofc_str unit;
  size_t *members; /* indices of the group's pairs (a pair is a benchmark in one unit) */
  size_t size, capacity;
  uint32_t *rounds; /* for each pass, its round number; passes of base come first */
  size_t count[PAIR_SIDES], passes;
  double *logs; /* logarithm of each benchmark's median in each pass */
  double *speeds;
  double shift, error, degrees; /* change of the geometric mean, as a logarithm; its standard error
                                   and degrees of freedom */
  double p; /* p-value of the geometric mean's change, multiplied by WHOLE_FACTOR */
};

struct speed_work {
  struct gate *gate;
  struct pairs *pairs;
  struct arena arena;
  struct speed_group groups[GROUPS_MOST];
  size_t count;
  bool failed;
};

/* ---- passes ------------------------------------------ */

/* Returns the index after the last value of the pass (round of base or of head) that begins at
 * `first`. */
static size_t pass_end(const struct pairs *pairs, const struct pair_side *side, size_t first) {
  size_t end = first + 1;
  while (end < side->count &&
         pairs->rounds[side->first + end] == pairs->rounds[side->first + first])
    end++;
  return end;
}

/* Stores the rounds of base or of head, and returns their number. Returns 0 if a value has no round
 * or no logarithm. */
static size_t pass_list(const struct pairs *pairs, const struct pair_side *side, uint32_t *rounds) {
  size_t count = 0;
  for (size_t i = 0, end; i < side->count; i = end, count++) {
    end = pass_end(pairs, side, i);
    for (size_t k = i; k < end; k++)
      if (!isfinite(log(pairs->values[side->first + k]))) return 0;
    rounds[count] = pairs->rounds[side->first + i];
    if (rounds[count] == 0) return 0;
  }
  return count;
}

/* Stores the logarithm of a benchmark's median in each round of base or of head. Returns the
 * position after the last logarithm. `scratch` has space for the values of one round. */
static double *pass_medians(const struct pairs *pairs, const struct pair_side *side, double *logs,
                            double *scratch) {
  for (size_t i = 0, end; i < side->count; i = end) {
    end = pass_end(pairs, side, i);
    memcpy(scratch, pairs->values + side->first + i, (end - i) * sizeof *scratch);
    *logs++ = log(stats_median(scratch, end - i));
  }
  return logs;
}

/* ---- groups ------------------------------------------ */

static struct speed_group *group_with(struct speed_work *w, const struct speed_group *like) {
  for (size_t i = 0; i < w->count; i++) {
    struct speed_group *g = &w->groups[i];
    if (str_equal(g->unit, like->unit) && g->passes == like->passes &&
        g->count[PAIR_BASE] == like->count[PAIR_BASE] &&
        memcmp(g->rounds, like->rounds, g->passes * sizeof *g->rounds) == 0)
      return g;
  }
  if (w->count == GROUPS_MOST) return NULL;
  struct speed_group *g = &w->groups[w->count++];
  *g = *like;
  g->rounds = arena_array(&w->arena, g->passes, sizeof *g->rounds);
  w->failed |= !g->rounds;
  if (g->rounds) memcpy(g->rounds, like->rounds, g->passes * sizeof *g->rounds);
  return g->rounds ? g : NULL;
}

/* Adds a pair (a benchmark in one unit) to its group if it is a time or a rate and has enough
 * rounds. */
static void group_add(struct speed_work *w, size_t index) {
  const struct pair *pair = &w->pairs->items[index];
  struct speed_group like = {.unit = pairs_text(w->pairs, pair->unit)};
  size_t most = pair->sides[PAIR_BASE].count + pair->sides[PAIR_HEAD].count;
  if (pair->bad || !gate_unit_depends_on_load(like.unit)) return;
  like.rounds = mem_array(w->gate->mem, most, sizeof *like.rounds);
  w->failed |= !like.rounds;
  bool known = like.rounds != NULL;
  for (int side = 0; side < PAIR_SIDES && known; side++) {
    like.count[side] = pass_list(w->pairs, &pair->sides[side], like.rounds + like.passes);
    like.passes += like.count[side];
    known = like.count[side] >= PASSES_LEAST;
  }
  struct speed_group *group = known ? group_with(w, &like) : NULL;
  if (group)
    w->failed |= !ARRAY_PUSH(w->gate->mem, group->members, group->size, group->capacity, index);
  mem_free(w->gate->mem, like.rounds, most, sizeof *like.rounds);
}

/* ---- speeds ------------------------------------------ */

static double mean_of(const double *values, size_t count) {
  return pprofc_moments_of(values, count).mean;
}

/* Returns the average of two means: of base and of head. */
static double center_of(const struct speed_group *g, const double *values) {
  size_t base = g->count[PAIR_BASE];
  return (mean_of(values, base) + mean_of(values + base, g->passes - base)) / 2;
}

/* Returns the largest number of values that a benchmark of the group has in base or in head. */
static size_t group_values_most(const struct speed_work *w, const struct speed_group *g) {
  size_t most = 0;
  for (size_t i = 0; i < g->size; i++)
    for (int side = 0; side < PAIR_SIDES; side++) {
      size_t count = w->pairs->items[g->members[i]].sides[side].count;
      if (count > most) most = count;
    }
  return most;
}

static bool group_take_logs(struct speed_work *w, struct speed_group *g) {
  size_t rows = g->size, cells;
  if (__builtin_mul_overflow(rows, g->passes, &cells)) return false;
  double *scratch = arena_array(&w->arena, group_values_most(w, g), sizeof *scratch);
  g->logs = arena_array(&w->arena, cells, sizeof *g->logs);
  g->speeds = arena_array(&w->arena, g->passes, sizeof *g->speeds);
  if (!g->logs || !g->speeds || !scratch) return false;
  for (size_t i = 0; i < rows; i++) {
    const struct pair *pair = &w->pairs->items[g->members[i]];
    double *logs = g->logs + i * g->passes;
    logs = pass_medians(w->pairs, &pair->sides[PAIR_BASE], logs, scratch);
    (void)pass_medians(w->pairs, &pair->sides[PAIR_HEAD], logs, scratch);
  }
  return true;
}

/* Computes the speed of each pass (round of base or of head). `scratch` has space for 2 values per
 * benchmark. */
static void group_find_speeds(struct speed_group *g, double *scratch) {
  size_t rows = g->size;
  double *centers = scratch + rows;
  for (size_t i = 0; i < rows; i++) centers[i] = center_of(g, g->logs + i * g->passes);
  for (size_t k = 0; k < g->passes; k++) {
    for (size_t i = 0; i < rows; i++) scratch[i] = g->logs[i * g->passes + k] - centers[i];
    g->speeds[k] = stats_median(scratch, rows);
  }
  double center = center_of(g, g->speeds);
  for (size_t k = 0; k < g->passes; k++) g->speeds[k] -= center;
}

/* Returns the sum of the squared deviations from the means of base and head. */
static double squares_of(const struct speed_group *g, const double *values) {
  size_t base = g->count[PAIR_BASE], head = g->count[PAIR_HEAD];
  return pprofc_moments_of(values, base).variance * (double)(base - 1) +
         pprofc_moments_of(values + base, head).variance * (double)(head - 1);
}

/* Returns the share of a benchmark's variance that remains after division by the machine's speeds:
 * the median over all benchmarks. */
static double group_share_left(const struct speed_group *g, double *scratch, double *values) {
  size_t rows = g->size;
  for (size_t i = 0; i < rows; i++) {
    const double *logs = g->logs + i * g->passes;
    for (size_t k = 0; k < g->passes; k++) values[k] = logs[k] - g->speeds[k];
    double before = squares_of(g, logs);
    scratch[i] = before > 0 ? squares_of(g, values) / before : 1;
  }
  return stats_median(scratch, rows);
}

/* ---- the geometric mean ------------------------------ */

/* Replaces Welch's test by a paired t-test if base and head have the same rounds, and pairing
 * reduces the variance enough (PAIRED). `values` has the logarithm of the geometric mean in each
 * pass (round of base or of head). */
static void group_test_pairs(struct speed_group *g, double *values) {
  size_t n = g->count[PAIR_BASE];
  if (n != g->count[PAIR_HEAD] || memcmp(g->rounds, g->rounds + n, n * sizeof *g->rounds) != 0)
    return;
  double apart = squares_of(g, values) / (double)(n - 1);
  for (size_t k = 0; k < n; k++) values[k] = values[n + k] - values[k];
  double variance = pprofc_moments_of(values, n).variance, error = sqrt(variance / (double)n);
  if (!(error > 0) || variance > PAIRED * apart) return;
  g->error = error;
  g->degrees = (double)(n - 1);
}

static void group_test_whole(struct speed_group *g, double *values) {
  size_t base = g->count[PAIR_BASE], head = g->count[PAIR_HEAD], rows = g->size;
  for (size_t k = 0; k < g->passes; k++) {
    values[k] = 0;
    for (size_t i = 0; i < rows; i++) values[k] += g->logs[i * g->passes + k] / (double)rows;
  }
  g->shift = mean_of(values + base, head) - mean_of(values, base);
  pprofc_t_result welch = pprofc_welch_test(values, base, values + base, head);
  g->p = 1;
  if (welch.status != PPROFC_TEST_OK || welch.t == 0) return;
  g->error = fabs(g->shift / welch.t);
  g->degrees = welch.degrees;
  group_test_pairs(g, values);
  g->p = fmin(1, WHOLE_FACTOR * pprofc_t_two_sided(g->shift / g->error, g->degrees));
}

static bool whole_is_significant(const struct gate *gate, const struct speed_group *g) {
  return g->p <= gate->settings.alpha;
}

/* Returns the median change of the benchmarks from base to head, as a logarithm. */
static double middle_shift(const struct speed_group *g, double *scratch) {
  size_t rows = g->size, base = g->count[PAIR_BASE], head = g->count[PAIR_HEAD];
  for (size_t i = 0; i < rows; i++) {
    const double *logs = g->logs + i * g->passes;
    scratch[i] = mean_of(logs + base, head) - mean_of(logs, base);
  }
  return stats_median(scratch, rows);
}

/* Adds one row for all benchmarks together if both their median change and the change of their
 * geometric mean reach the threshold. */
static bool group_add_whole(struct speed_work *w, const struct speed_group *g, double *scratch) {
  struct gate *gate = w->gate;
  struct gate_row row = gate_row_unknown();
  if (gate->settings.screening || !whole_is_significant(gate, g) ||
      !str_ends(g->unit, STR("sec/op")))
    return true;
  if (expm1(fmin(g->shift, middle_shift(g, scratch))) < gate->settings.threshold) return true;
  char *name = arena_alloc(&gate->arena, 64);
  if (!name) return false;
  snprintf(name, 64, "geomean of %zu benchmarks", g->size);
  double middle = mean_of(g->logs, g->size * g->passes);
  row.name = str_of(name);
  row.unit = arena_str(&gate->arena, g->unit);
  row.direction = -1;
  row.whole = row.tested = row.in_base = row.in_head = true;
  row.overloaded = gate->settings.overloaded != NULL;
  row.base_count = g->count[PAIR_BASE];
  row.head_count = g->count[PAIR_HEAD];
  row.base = exp(middle - g->shift / 2);
  row.head = exp(middle + g->shift / 2);
  row.delta = expm1(g->shift);
  double half = g->error * pprofc_t_quantile(1 - gate->settings.alpha / 2, g->degrees);
  row.low = expm1(g->shift - half);
  row.high = expm1(g->shift + half);
  row.p = g->p;
  row.test = "t on geometric means of rounds";
  return row.unit.data && gate_add(gate, &row);
}

/* ---- the common speed -------------------------------- */

/* Warns that the machine's speed changed. If the geometric mean did not change significantly, also
 * prints the smallest change of the mean that the test would find. */
static void group_warn(struct gate *gate, const struct speed_group *g) {
  double noise = sqrt(squares_of(g, g->speeds) / (double)(g->passes - 2));
  double level = gate->settings.alpha / WHOLE_FACTOR;
  double limit = pprofc_t_quantile(1 - level / 2, g->degrees);
  double visible = expm1((limit + STATS_POWER_80) * g->error);
  char hidden[80] = "";
  if (!gate->settings.screening && !whole_is_significant(gate, g) && isfinite(visible)) {
    snprintf(hidden, sizeof hidden, "; a change of all of them is visible from %.1f%%",
             100 * visible);
    gate->visible_whole = fmax(gate->visible_whole, visible);
  }
  gate_warning(gate,
               "noise: the machine's speed changed by %.1f%% between rounds; the gate corrected "
               "%zu benchmarks for it (%.*s)%s",
               100 * expm1(noise), g->size, STR_ARG(g->unit), hidden);
}

/* Divides the values of all benchmarks of the group by the speeds of their passes (rounds of base
 * or head). If the geometric mean confirms that head is faster or slower than base, this difference
 * stays in the values. Otherwise it counts as the machine's speed. */
static void group_apply(struct speed_work *w, struct speed_group *g) {
  const struct gate *gate = w->gate;
  if (gate->settings.screening || whole_is_significant(gate, g)) {
    size_t base = g->count[PAIR_BASE];
    double means[PAIR_SIDES] = {mean_of(g->speeds, base),
                                mean_of(g->speeds + base, g->passes - base)};
    for (size_t k = 0; k < g->passes; k++) g->speeds[k] -= means[k >= base];
  }
  for (size_t i = 0; i < g->size; i++) {
    struct pair *pair = &w->pairs->items[g->members[i]];
    const double *speed = g->speeds;
    pair->rescaled = true;
    for (int side = 0; side < PAIR_SIDES; side++) {
      const struct pair_side *from = &pair->sides[side];
      for (size_t first = 0, end; first < from->count; first = end, speed++) {
        end = pass_end(w->pairs, from, first);
        for (size_t k = first; k < end; k++) w->pairs->values[from->first + k] /= exp(*speed);
      }
    }
  }
}

static bool group_judge(struct speed_work *w, struct speed_group *g) {
  size_t rows = g->size, room = 2 * rows + g->passes;
  if (rows < ROWS_LEAST) return true;
  double *scratch = mem_array(w->gate->mem, room, sizeof *scratch);
  bool good = scratch && group_take_logs(w, g);
  if (good) {
    group_find_speeds(g, scratch);
    group_test_whole(g, scratch + 2 * rows);
    good = group_add_whole(w, g, scratch);
  }
  if (good && group_share_left(g, scratch, scratch + 2 * rows) <= LOWERED) {
    group_warn(w->gate, g);
    group_apply(w, g);
  }
  mem_free(w->gate->mem, scratch, room, sizeof *scratch);
  return good;
}

bool gate_take_speeds(struct gate *gate, struct pairs *pairs) {
  struct speed_work w = {.gate = gate, .pairs = pairs};
  if (!pairs->rounds || gate->settings.test == PPROFC_GATE_NONE) return true;
  arena_init(&w.arena, gate->mem);
  for (size_t i = 0; i < pairs->count && !w.failed; i++) group_add(&w, i);
  for (size_t i = 0; i < w.count && !w.failed; i++) w.failed = !group_judge(&w, &w.groups[i]);
  for (size_t i = 0; i < w.count; i++)
    ARRAY_FREE(gate->mem, w.groups[i].members, w.groups[i].capacity);
  arena_free(&w.arena);
  return !w.failed;
}
