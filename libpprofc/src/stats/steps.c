/* Finds change points of a series: finds candidates in windows, drops candidates that a test
 * rejects, joins consecutive steps of a drift, and computes the sizes of the changes. */
#include "stats/steps_inside.h"

void steps_defaults(struct steps_options *o) {
  *o = (struct steps_options){.window = 50,
                              .least = 5,
                              .permutations = 199,
                              .alpha = 0.001,
                              .permuted_alpha = 0.05,
                              .seed = 1,
                              .cut = 4,
                              .autocorrelated = true};
}

/* State of the search. `items` are the change points found so far, ascending by index. */
struct finder {
  const pprofc_allocator *mem;
  const struct steps_options *options;
  const double *values;
  size_t value_count;
  struct step *items;
  size_t count, capacity;
};

/* ---- candidates -------------------------------------- */

/* Finds the best split among all parts of a window. Returns the index of the first value after the
 * split. `cuts` has the ends of the window and the earlier splits. Sets *piece to the index of the
 * part that the best split divides. */
static size_t finder_best(const struct finder *f, const size_t *cuts, size_t cut_count,
                          size_t *piece) {
  double greatest = -HUGE_VAL, distance;
  size_t best = 0;
  for (size_t i = 0; i + 1 < cut_count; i++) {
    size_t place = steps_split(f->values, cuts[i], cuts[i + 1], f->options->least, &distance);
    if (distance <= greatest) continue;
    greatest = distance;
    best = place;
    *piece = i;
  }
  return best;
}

static double finder_student(const struct finder *f, size_t first, size_t middle, size_t end) {
  struct steps_side a = steps_side_of(f->values, first, middle);
  struct steps_side b = steps_side_of(f->values, middle, end);
  return steps_student_p(&a, &b);
}

/* Splits a window repeatedly, as long as the t-test accepts the best split. Stores the ends of the
 * window and the splits in `cuts`. Returns the number of entries in `cuts`. */
static size_t finder_bisect(const struct finder *f, size_t start, size_t end, size_t *cuts) {
  const struct steps_options *o = f->options;
  double alpha = fmin(10 * o->alpha, 0.5);
  size_t count = 2, piece = 0;
  cuts[0] = start;
  cuts[1] = end;
  for (;;) {
    size_t best = finder_best(f, cuts, count, &piece);
    if (!best) return count;
    if (finder_student(f, cuts[piece], best, cuts[piece + 1]) > alpha) return count;
    memmove(cuts + piece + 2, cuts + piece + 1, (count - piece - 1) * sizeof *cuts);
    cuts[piece + 1] = best;
    count++;
  }
}

/* Adds a change point at `index`, unless f->items has it already. Returns false when out of
 * memory. */
static bool finder_add(struct finder *f, size_t index) {
  size_t k = f->count;
  while (k > 0 && f->items[k - 1].index >= index) k--;
  if (k < f->count && f->items[k].index == index) return true;
  if (!ARRAY_RESERVE(f->mem, f->items, f->capacity, f->count + 1)) return false;
  memmove(f->items + k + 1, f->items + k, (f->count - k) * sizeof *f->items);
  f->items[k] = (struct step){.index = index, .last = index, .permuted_p = (double)NAN};
  f->count++;
  return true;
}

static bool finder_look(struct finder *f) {
  size_t cuts[STEPS_WINDOW_MAX + 1], window = f->options->window;
  for (size_t start = 0; start < f->value_count;) {
    size_t end = start + window < f->value_count ? start + window : f->value_count;
    size_t count = finder_bisect(f, start, end, cuts);
    for (size_t i = 1; i + 1 < count; i++)
      if (!finder_add(f, cuts[i])) return false;
    size_t next = start + window / 2;
    start = count > 2 && cuts[count - 2] > next ? cuts[count - 2] : next;
  }
  return true;
}

/* ---- merging ----------------------------------------- */

static size_t finder_begin(const struct finder *f, size_t i) {
  return i ? f->items[i - 1].index : 0;
}

static size_t finder_end(const struct finder *f, size_t i) {
  return i + 1 < f->count ? f->items[i + 1].index : f->value_count;
}

/* True if each side of a change point has at least options.least values. */
static bool finder_has_room(const struct finder *f, size_t i) {
  size_t index = f->items[i].index, least = f->options->least;
  return index - finder_begin(f, i) >= least && finder_end(f, i) - index >= least;
}

/* Replaces values by their ranks. Equal values get their mean rank. */
static void finder_rank(const double *values, size_t count, double *ranks) {
  for (size_t i = 0; i < count; i++) {
    size_t below = 0, equal = 0;
    for (size_t k = 0; k < count; k++) {
      below += values[k] < values[i];
      equal += values[k] == values[i];
    }
    ranks[i] = (double)below + (double)equal / 2;
  }
}

/* True if the change is not due to a few outliers: the best split of the ranks has at least `least`
 * values on each side. Outliers hardly affect ranks. */
static bool finder_has_moved(const struct finder *f, size_t i) {
  double ranks[STEPS_WINDOW_MAX], distance;
  size_t index = f->items[i].index, half = f->options->window / 2, least = f->options->least;
  size_t first = finder_begin(f, i), end = finder_end(f, i);
  bool cut_left = index - first > half, cut_right = end - index > half;
  if (cut_left) first = index - half;
  if (cut_right) end = index + half;
  finder_rank(f->values + first, end - first, ranks);
  size_t place = steps_split(ranks, 0, end - first, 1, &distance);
  return (cut_left || place >= least) && (cut_right || end - first - place >= least);
}

static bool finder_drifts(const struct finder *f, size_t first, size_t middle, size_t end);

static void finder_test(struct finder *f, size_t i) {
  if (i >= f->count) return;
  struct step *step = &f->items[i];
  step->permuted_p = (double)NAN;
  step->p = 1;
  if (!finder_has_room(f, i)) return;
  struct steps_options options = *f->options;
  size_t first = finder_begin(f, i), end = finder_end(f, i);
  /* In a drift, neighbouring values are similar because they rise or fall together. So do not
   * correct the test for their correlation. */
  if (finder_drifts(f, first, step->index, end)) options.autocorrelated = false;
  step->p = steps_p(f->values, first, step->index, end, &options);
  if (step->p < f->options->alpha && !finder_has_moved(f, i)) step->p = 1;
}

/* Runs the permutation test on the values around a change point: half a window on each side. */
static void finder_permute(struct finder *f, size_t i) {
  struct step *step = &f->items[i];
  size_t half = f->options->window / 2, first = finder_begin(f, i), end = finder_end(f, i);
  if (!f->options->permutations || !isnan(step->permuted_p)) return;
  if (step->index - first > half) first = step->index - half;
  if (end - step->index > half) end = step->index + half;
  step->permuted_p =
      steps_permuted_p(f->values + first, end - first, f->options, f->options->seed + step->index);
}

static void finder_drop(struct finder *f, size_t i) {
  memmove(f->items + i, f->items + i + 1, (f->count - i - 1) * sizeof *f->items);
  f->count--;
  if (i) finder_test(f, i - 1);
  finder_test(f, i);
}

/* Drops the change point with the largest p-value again and again until the t-test accepts all that
 * remain. Then does the same with the permutation test. */
static void finder_merge(struct finder *f) {
  for (size_t i = 0; i < f->count; i++) finder_test(f, i);
  for (;;) {
    size_t weakest = 0;
    for (size_t i = 1; i < f->count; i++)
      if (f->items[i].p > f->items[weakest].p) weakest = i;
    if (!f->count) return;
    if (f->items[weakest].p >= f->options->alpha) {
      finder_drop(f, weakest);
      continue;
    }
    weakest = 0;
    for (size_t i = 0; i < f->count; i++) {
      finder_permute(f, i);
      if (f->items[i].permuted_p > f->items[weakest].permuted_p) weakest = i;
    }
    if (!(f->items[weakest].permuted_p > f->options->permuted_alpha)) return;
    finder_drop(f, weakest);
  }
}

/* ---- types and sizes of changes ---------------------- */

/* True if a straight line fits all values better than one mean before `middle` and one after it. */
static bool finder_drifts(const struct finder *f, size_t first, size_t middle, size_t end) {
  struct steps_side a = steps_side_of(f->values, first, middle);
  struct steps_side b = steps_side_of(f->values, middle, end);
  struct steps_side all = steps_side_of(f->values, first, end);
  double center = (all.count - 1) / 2, slope = 0, spread = 0;
  for (size_t i = first; i < end; i++) {
    double x = (double)(i - first) - center;
    slope += x * (f->values[i] - all.mean);
    spread += x * x;
  }
  double line = spread > 0 ? all.squares - slope * slope / spread : all.squares;
  return line < a.squares + b.squares;
}

/* Computes the ratio after / before. Its interval comes from the interval of log(ratio). */
static void step_set_ratio(struct step *step, double a_error, double b_error, double t) {
  double error =
      sqrt(a_error / (step->before * step->before) + b_error / (step->after * step->after));
  bool good = step->before > t * sqrt(a_error) && step->after > 0 && isfinite(error);
  step->ratio = good ? step->after / step->before : (double)NAN;
  step->ratio_low = step->ratio * exp(-t * error);
  step->ratio_high = step->ratio * exp(t * error);
}

static void step_set_size(struct step *step, const struct steps_side *a,
                          const struct steps_side *b) {
  double a_error = a->count > 1 ? a->squares / (a->count - 1) / a->count : 0;
  double b_error = b->count > 1 ? b->squares / (b->count - 1) / b->count : 0;
  double both = a_error + b_error, t = 0;
  if (both > 0)
    t = pprofc_t_quantile(
        0.975,
        both * both / (a_error * a_error / (a->count - 1) + b_error * b_error / (b->count - 1)));
  step->before = a->mean;
  step->after = b->mean;
  step->difference = b->mean - a->mean;
  step->low = step->difference - t * sqrt(both);
  step->high = step->difference + t * sqrt(both);
  step_set_ratio(step, a_error, b_error, t);
}

/* Joins consecutive steps of a drift, and computes the sizes of all changes. */
static void finder_finish(struct finder *f) {
  for (size_t i = 0; i < f->count; i++)
    f->items[i].drift = finder_drifts(f, finder_begin(f, i), f->items[i].index, finder_end(f, i));
  size_t kept = 0, begin = 0, total = f->count;
  for (size_t i = 0, next; i < total; i = next) {
    struct step step = f->items[i];
    for (next = i + 1; step.drift && next < total && f->items[next].drift; next++)
      step.last = f->items[next].index;
    size_t end = next < total ? f->items[next].index : f->value_count;
    struct steps_side a = steps_side_of(f->values, begin, step.index);
    struct steps_side b = steps_side_of(f->values, step.last, end);
    step_set_size(&step, &a, &b);
    begin = step.last;
    f->items[kept++] = step;
  }
  f->count = kept;
}

/* ---- recent changes with few values ------------------ */

/* True if all values at and after `middle` are above all earlier values, or all are below the
 * earlier values. */
static bool suspect_is_apart(const double *values, size_t first, size_t middle, size_t end) {
  double low = HUGE_VAL, high = -HUGE_VAL, lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (size_t i = first; i < middle; i++) {
    low = fmin(low, values[i]);
    high = fmax(high, values[i]);
  }
  for (size_t i = middle; i < end; i++) {
    lowest = fmin(lowest, values[i]);
    highest = fmax(highest, values[i]);
  }
  return lowest > high || highest < low;
}

bool steps_suspect(const double *values, size_t first, size_t end,
                   const struct steps_options *options, struct step *step) {
  double least_p = options->alpha;
  bool found = false;
  for (size_t k = 2; k < options->least; k++) {
    if (end < first + 2 * options->least + k) continue;
    if (!suspect_is_apart(values, first, end - k, end)) continue;
    double p = steps_p(values, first, end - k, end, options);
    if (p > least_p) continue;
    struct steps_side a = steps_side_of(values, first, end - k);
    struct steps_side b = steps_side_of(values, end - k, end);
    *step = (struct step){.index = end - k, .last = end - k, .p = p, .permuted_p = (double)NAN};
    step_set_size(step, &a, &b);
    least_p = p;
    found = true;
  }
  return found;
}

/* ---- the search -------------------------------------- */

bool steps_find(const double *given, size_t value_count, const struct steps_options *options,
                const pprofc_allocator *mem, struct step **steps, size_t *count) {
  struct step *copy = NULL;
  double *values = mem_array(mem, value_count, sizeof *values);
  struct finder f = {.mem = mem, .options = options, .values = values, .value_count = value_count};
  *steps = NULL;
  *count = 0;
  if (!values) return false;
  steps_cut(given, value_count, options->cut, values);
  bool good = options->window <= STEPS_WINDOW_MAX && finder_look(&f);
  if (good) {
    finder_merge(&f);
    finder_finish(&f);
    copy = mem_array(mem, f.count, sizeof *copy);
    good = copy != NULL;
  }
  if (good) {
    if (f.count) memcpy(copy, f.items, f.count * sizeof *copy);
    *steps = copy;
    *count = f.count;
  }
  ARRAY_FREE(mem, f.items, f.capacity);
  mem_free(mem, values, value_count, sizeof *values);
  return good;
}
