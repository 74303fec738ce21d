/* Computes the mean and the variance of a sample, Welch's t-test of two samples, Yuen's t-test of
 * trimmed means, Fieller's interval of a ratio, and the score interval of a mean of counts. */
#include "stats/stats.h"

pprofc_moments pprofc_moments_of(const double *values, size_t count) {
  double mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++) {
    double delta = values[i] - mean;
    mean += delta / (double)(i + 1);
    squares += delta * (values[i] - mean);
  }
  return (pprofc_moments){mean, count > 1 ? squares / (double)(count - 1) : 0};
}

static bool all_finite(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(values[i])) return false;
  return true;
}

/* Computes Welch's test (1947) with the degrees of freedom of Satterthwaite (1946). If squares
 * overflow, t is 0 and p is 1. */
pprofc_t_result pprofc_welch_test(const double *x, size_t x_count, const double *y,
                                  size_t y_count) {
  pprofc_t_result result = {PPROFC_TEST_OK, 0, 0, 1};
  if (x_count <= 1 || y_count <= 1) {
    result.status = PPROFC_TEST_TOO_SMALL;
    return result;
  }
  if (!all_finite(x, x_count) || !all_finite(y, y_count)) {
    result.status = PPROFC_TEST_NAN;
    return result;
  }
  pprofc_moments mx = pprofc_moments_of(x, x_count), my = pprofc_moments_of(y, y_count);
  if (mx.variance == 0 && my.variance == 0) {
    result.status = PPROFC_TEST_ZERO_VARIANCE;
    return result;
  }
  double nx = (double)x_count, ny = (double)y_count;
  double ex = mx.variance / nx, ey = my.variance / ny, error = ex + ey;
  double degrees = error * error / (ex * ex / (nx - 1) + ey * ey / (ny - 1));
  double t = (mx.mean - my.mean) / sqrt(error);
  if (!isfinite(degrees) || !isfinite(t) || degrees <= 0) return result;
  result.t = t;
  result.degrees = degrees;
  result.p = pprofc_t_two_sided(t, degrees);
  return result;
}

const char *pprofc_test_message(pprofc_test_status status) {
  static const char *const messages[] = {
      [PPROFC_TEST_TOO_SMALL] = "sample is too small",
      [PPROFC_TEST_ZERO_VARIANCE] = "sample has zero variance",
      [PPROFC_TEST_ALL_EQUAL] = "all samples are equal",
      [PPROFC_TEST_NAN] = "a sample holds NaN",
      [PPROFC_TEST_NO_MEMORY] = "out of memory",
  };
  return messages[status];
}

/* ---- trimmed means ---------------------------------- */

#define TRIM 0.2
/* Maximum number of values of both samples together for a permutation test. */
#define PERMUTED_MOST 100
/* The permutation test runs only if the p-value by the t distribution is at most this number. */
#define UNLIKELY 0.2
/* End the permutation test after this number of permutations whose t is at least the samples' t. */
#define HITS_MOST 40

/* ---- the statistic ----------------------------------- */

/* A trimmed sample: its mean, the squared standard error of the mean, and the number of values that
 * remain. */
struct trimmed_side {
  double mean, error, kept;
};

static struct trimmed_side trimmed_of(const double *sorted, size_t count) {
  size_t cut = (size_t)(TRIM * (double)count), kept = count - 2 * cut;
  double low = sorted[cut], high = sorted[count - cut - 1], sum = 0, squares = 0;
  for (size_t i = 0; i < kept; i++) sum += sorted[cut + i] - low;
  /* The winsorized sample has `low` and `high` in place of the values that were cut. */
  double all = sum + (double)cut * (high - low), middle = low + all / (double)count;
  for (size_t i = 0; i < kept; i++)
    squares += (sorted[cut + i] - middle) * (sorted[cut + i] - middle);
  squares += (double)cut * ((low - middle) * (low - middle) + (high - middle) * (high - middle));
  double left = (double)kept;
  return (struct trimmed_side){low + sum / left, squares / (left * (left - 1)), left};
}

/* Returns the absolute value of t: infinite if the means differ and the error is 0. */
static double trimmed_t(const double *x, size_t n, const double *y, size_t m) {
  struct trimmed_side a = trimmed_of(x, n), b = trimmed_of(y, m);
  double difference = fabs(b.mean - a.mean), error = sqrt(a.error + b.error);
  return difference > 0 ? difference / error : 0;
}

/* ---- permutations ------------------------------------ */

/* Chooses n of `count` values at random for the sample x. The others form the sample y. Both
 * samples stay in ascending order (Knuth's algorithm S). x and y have space for one value more than
 * the sample. */
static void trimmed_deal(const double *all, size_t count, size_t n, double *x, double *y,
                         uint64_t *state) {
  for (size_t i = 0; i < count; i++) {
    bool first = (stats_random(state) >> 32) * (count - i) >> 32 < n;
    /* Store the value in both samples, and advance the index of one sample. This avoids a branch
     * that the processor could not predict. */
    *x = *y = all[i];
    x += first;
    y += !first;
    n -= first;
  }
}

static void trimmed_merge(const double *x, size_t n, const double *y, size_t m, double *all) {
  for (size_t i = 0, j = 0; i + j < n + m;) {
    bool first = j == m || (i < n && x[i] <= y[j]);
    all[i + j] = first ? x[i] : y[j];
    *(first ? &i : &j) += 1;
  }
}

/* Returns the p-value from random permutations. Ends early if p is large (Besag, Clifford 1991).
 * `room` has space for both samples twice, and for 2 more values. */
static double permuted_p(const double *x, size_t n, const double *y, size_t m, double *room) {
  double *all = room, *first = all + n + m, *second = first + n + 1;
  double found = trimmed_t(x, n, y, m), almost = found * (1 - 1e-9);
  uint64_t state = 20261128;
  size_t hits = 0;
  trimmed_merge(x, n, y, m, all);
  for (size_t drawn = 1; drawn <= TRIMMED_DRAWS; drawn++) {
    trimmed_deal(all, n + m, n, first, second, &state);
    hits += trimmed_t(first, n, second, m) >= almost;
    if (hits == HITS_MOST) return (double)hits / (double)drawn;
  }
  return (double)(hits + 1) / (TRIMMED_DRAWS + 1);
}

bool stats_trimmed_permute(const double *x, size_t x_count, const double *y, size_t y_count,
                           const pprofc_allocator *mem, struct trimmed_result *result) {
  size_t count = x_count + y_count, room_count = 2 * count + 2;
  if (result->p > UNLIKELY || count > PERMUTED_MOST) return true;
  double *room = mem_array(mem, room_count, sizeof *room);
  if (!room) return false;
  result->p = permuted_p(x, x_count, y, y_count, room);
  mem_free(mem, room, room_count, sizeof *room);
  double t = pprofc_t_quantile(1 - result->p / 2, result->degrees);
  if (t > 0) result->error = fabs(result->y - result->x) / t;
  return true;
}

/* ---- the test ---------------------------------------- */

struct trimmed_result stats_trimmed_test(const double *x, size_t x_count, const double *y,
                                         size_t y_count) {
  struct trimmed_result result = {.p = 1};
  if (x_count < 2 || y_count < 2) return result;
  struct trimmed_side a = trimmed_of(x, x_count), b = trimmed_of(y, y_count);
  double error = a.error + b.error;
  double rest = a.error * a.error / (a.kept - 1) + b.error * b.error / (b.kept - 1);
  double degrees = error * error / rest;
  if (!(error > 0) || !isfinite(degrees) || !isfinite(b.mean - a.mean)) return result;
  double p = pprofc_t_two_sided((b.mean - a.mean) / sqrt(error), degrees);
  return (struct trimmed_result){true, a.mean, b.mean, sqrt(error), degrees, p};
}

/* ---- intervals -------------------------------------- */

struct two_sides {
  size_t bases, count;
  double base_mean, head_mean;
};

static struct two_sides two_sides_of(const double *values, size_t bases, size_t count) {
  struct two_sides s = {bases, count, 0, 0};
  for (size_t i = 0; i < bases; i++) s.base_mean += values[i];
  for (size_t i = bases; i < count; i++) s.head_mean += values[i];
  s.base_mean /= (double)bases;
  s.head_mean /= (double)(count - bases);
  return s;
}

/* Returns the covariance of two changes (mean of head minus mean of base). Computes it from the
 * deviations within base and within head. */
static double two_sides_covariance(const double *u, const struct two_sides *su, const double *v,
                                   const struct two_sides *sv) {
  double sum = 0, nb = (double)su->bases, nh = (double)(su->count - su->bases);
  for (size_t i = 0; i < su->count; i++) {
    bool base = i < su->bases;
    double du = u[i] - (base ? su->base_mean : su->head_mean);
    double dv = v[i] - (base ? sv->base_mean : sv->head_mean);
    sum += du * dv;
  }
  return sum / (nb + nh - 2) * (1 / nb + 1 / nh);
}

struct ratio_interval stats_ratio_interval(struct ratio_sides sides, double t) {
  struct ratio_interval out = {sides.y != 0, false, (double)NAN, (double)NAN, (double)NAN};
  if (!out.defined) return out;
  double r = sides.x / sides.y, vx = sides.x_variance, vy = sides.y_variance;
  double cov = sides.covariance, g = t * t * vy / (sides.y * sides.y);
  out.ratio = r;
  if (!(g < 1)) return out;
  double middle = r, inside = vx;
  if (vy > 0) {
    middle = (r - g * cov / vy) / (1 - g);
    inside = vx - 2 * r * cov + r * r * vy - g * (vx - cov * cov / vy);
  }
  double half = t * sqrt(fmax(inside, 0)) / fabs(sides.y) / (1 - g);
  out.bounded = isfinite(middle) && isfinite(half);
  out.low = middle - half;
  out.high = middle + half;
  return out;
}

struct ratio_interval stats_fieller(const double *part, const double *whole, size_t bases,
                                    size_t count) {
  struct two_sides a = two_sides_of(part, bases, count), t = two_sides_of(whole, bases, count);
  struct ratio_sides sides = {.x = a.head_mean - a.base_mean, .y = t.head_mean - t.base_mean};
  /* With a single run of base and of head, the variance is unknown and the interval infinite. */
  if (count < 3) return stats_ratio_interval(sides, (double)INFINITY);
  sides.x_variance = two_sides_covariance(part, &a, part, &a);
  sides.y_variance = two_sides_covariance(whole, &t, whole, &t);
  sides.covariance = two_sides_covariance(part, &a, whole, &t);
  return stats_ratio_interval(sides, pprofc_t_quantile(0.975, (double)count - 2));
}

void stats_score_interval(double samples, double dispersion, double z, double *low, double *high) {
  double h = dispersion * z * z / 2;
  double r = z * sqrt(dispersion * samples + h * h);
  *low = fmax(0, samples + h - r);
  *high = samples + h + r;
}
