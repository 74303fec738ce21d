/* Computes the energy distance of splits, Student's test of a split, and the noise of a series. */
#include "stats/steps_inside.h"

/* Computes within[k]: the sum of the distances between all pairs of the first k values. */
static void split_add_within(const double *x, size_t count, double *within) {
  within[0] = 0;
  for (size_t k = 0; k < count; k++) {
    double sum = 0;
    for (size_t i = 0; i < k; i++) sum += fabs(x[k] - x[i]);
    within[k + 1] = within[k] + sum;
  }
}

/* Returns the largest energy distance between the values [0, left) and [left, end), for any `end`.
 * For ranges of n and m values, the energy distance is n * m / (n + m) * (2 A - B - C). A is the
 * mean distance between values of different ranges, B and C are the mean distances within each
 * range. right[end] is the sum of the distances within [left, end). */
static double split_greatest(size_t left, size_t count, size_t least, const double *within,
                             const double *right) {
  double greatest = -HUGE_VAL, inside = within[left], n = (double)left;
  double own = left > 1 ? 2 * inside / (n - 1) : 0;
  for (size_t end = left + least; end <= count; end++) {
    double m = (double)(end - left), across = within[end] - inside - right[end];
    double other = m > 1 ? 2 * n * right[end] / (m - 1) : 0;
    double distance = (2 * across - m * own - other) / (n + m);
    greatest = distance > greatest ? distance : greatest;
  }
  return greatest;
}

size_t steps_split(const double *values, size_t start, size_t end, size_t least, double *distance) {
  double within[STEPS_WINDOW_MAX + 1], right[STEPS_WINDOW_MAX + 1];
  const double *x = values + start;
  size_t count = end - start, place = 0;
  *distance = -HUGE_VAL;
  if (count > STEPS_WINDOW_MAX || count < 2 * least) return start;
  split_add_within(x, count, within);
  memset(right, 0, sizeof right);
  for (size_t left = count - 1; left >= least; left--) {
    double sum = 0;
    for (size_t k = left + 1; k < count; k++) {
      sum += fabs(x[left] - x[k]);
      right[k + 1] += sum;
    }
    double found = split_greatest(left, count, least, within, right);
    if (found >= *distance) place = left;
    *distance = fmax(*distance, found);
  }
  return start + place;
}

/* ---- permutations ------------------------------------ */

/* Returns the largest energy distance of a split of all values. rows[i] is the sum of the distances
 * of value i to the other values. */
static double split_whole(const double *x, const double *rows, size_t count, size_t least) {
  double left = 0, right = 0, total, greatest = -HUGE_VAL;
  for (size_t i = 0; i < count; i++) right += rows[i] / 2;
  total = right;
  for (size_t k = 0; k < count; k++) {
    double n = (double)(k + 1), m = (double)(count - k - 1), sum = 0;
    for (size_t i = 0; i < k; i++) sum += fabs(x[k] - x[i]);
    left += sum;
    right -= rows[k] - sum;
    if (k + 1 < least || count - k - 1 < least) continue;
    double own = n > 1 ? left * m / (n - 1) : 0;
    double other = m > 1 ? right * n / (m - 1) : 0;
    greatest = fmax(greatest, 2 * (total - left - right - own - other) / (n + m));
  }
  return greatest;
}

static void split_shuffle(double *x, double *rows, size_t count, uint64_t *state) {
  for (size_t i = count - 1; i > 0; i--) {
    size_t k = (size_t)(stats_random(state) % (i + 1));
    double value = x[i], row = rows[i];
    x[i] = x[k];
    rows[i] = rows[k];
    x[k] = value;
    rows[k] = row;
  }
}

double steps_permuted_p(const double *values, size_t count, const struct steps_options *o,
                        uint64_t seed) {
  double x[STEPS_WINDOW_MAX], rows[STEPS_WINDOW_MAX];
  size_t above = 0;
  /* The test fails if this number of permutations has a split at least as good as `values`. */
  size_t most = (size_t)(o->permuted_alpha * (double)(o->permutations + 1));
  uint64_t state = seed;
  for (size_t i = 0; i < count; i++) {
    x[i] = values[i];
    rows[i] = 0;
    for (size_t k = 0; k < count; k++) rows[i] += fabs(values[i] - values[k]);
  }
  double found = split_whole(x, rows, count, o->least);
  /* Use a tolerance, because another order of summation changes the last bits of a distance. */
  double almost = found - 1e-9 * fabs(found);
  for (size_t done = 1; done <= o->permutations; done++) {
    split_shuffle(x, rows, count, &state);
    above += split_whole(x, rows, count, o->least) >= almost;
    if (above >= most) return (double)(above + 1) / (double)(done + 1);
  }
  return (double)(above + 1) / (double)(o->permutations + 1);
}

/* ---- the t-test -------------------------------------- */

struct steps_side steps_side_of(const double *values, size_t first, size_t end) {
  struct steps_side side = {.count = (double)(end - first)};
  for (size_t i = first; i < end; i++) side.mean += values[i];
  side.mean /= side.count;
  for (size_t i = first; i < end; i++)
    side.squares += (values[i] - side.mean) * (values[i] - side.mean);
  return side;
}

/* Divides the sums of squares by n instead of n - 1, like the program Hunter (stats.h). */
double steps_student_p(const struct steps_side *a, const struct steps_side *b) {
  double degrees = a->count + b->count - 2;
  if (degrees < 1) return 1;
  double left = (a->count - 1) * (a->squares / a->count);
  double right = (b->count - 1) * (b->squares / b->count);
  double error = sqrt((left + right) / degrees * (1 / a->count + 1 / b->count));
  double difference = fabs(a->mean - b->mean);
  /* Ignore differences that rounding makes between equal values. */
  if (difference <= 1e-12 * fmax(fabs(a->mean), fabs(b->mean))) return 1;
  return error > 0 ? pprofc_t_two_sided(difference / error, degrees) : 0;
}

#define CUT_HALF 5 /* number of neighbours on each side in the rolling median */
/* For a normal distribution: standard deviation divided by the median absolute deviation. */
#define MAD_TO_SIGMA 1.4826
/* Maximum correlation between neighbouring values. A larger estimate counts as this value. */
#define RESEMBLING_MAX 0.9

/* ---- outliers ---------------------------------------- */

void steps_cut(const double *values, size_t count, double cut, double *out) {
  double near[2 * CUT_HALF + 1];
  if (count) memcpy(out, values, count * sizeof *out);
  for (size_t i = 0; i < count && cut > 0; i++) {
    size_t first = i > CUT_HALF ? i - CUT_HALF : 0, n = 0;
    for (size_t k = first; k < count && k <= i + CUT_HALF; k++) near[n++] = values[k];
    double middle = stats_median(near, n);
    for (size_t k = 0; k < n; k++) near[k] = fabs(near[k] - middle);
    double most = cut * MAD_TO_SIGMA * stats_median(near, n);
    /* If more than half of the values are equal, their median deviation is 0. A deviation of 0 does
     * not show the noise, so out[i] stays unchanged. */
    if (most > 0) out[i] = fmax(middle - most, fmin(middle + most, values[i]));
  }
}

/* ---- correlation ------------------------------------- */

/* Returns the correlation of each value with the previous value on the same side of a split.
 * Returns 0 if the correlation may be chance. */
static double resemblance(const double *values, size_t first, size_t middle, size_t end,
                          const struct steps_side *a, const struct steps_side *b) {
  double squares = a->squares + b->squares, products = 0, n = a->count + b->count;
  for (size_t i = first + 1; i < end; i++) {
    double mean = i < middle ? a->mean : b->mean;
    if (i != middle) products += (values[i] - mean) * (values[i - 1] - mean);
  }
  double r = squares > 0 ? products / squares : 0;
  if (!(r > 1 / sqrt(n))) return 0;
  return fmin(r + (1 + 3 * r) / n, RESEMBLING_MAX); /* in a short series, r is too small */
}

double steps_p(const double *values, size_t first, size_t middle, size_t end,
               const struct steps_options *options) {
  struct steps_side a = steps_side_of(values, first, middle);
  struct steps_side b = steps_side_of(values, middle, end);
  double r = 0;
  if (options->autocorrelated) r = resemblance(values, first, middle, end, &a, &b);
  /* The mean of n correlated values has the variance of the mean of n * share independent
   * values. */
  double share = (1 - r) / (1 + r);
  a.count *= share;
  a.squares *= share;
  b.count *= share;
  b.squares *= share;
  return steps_student_p(&a, &b);
}
