/* Computes Yuen's t-test of trimmed means, with permutations for small samples. */
#include "stats/trimmed.h"

#include "core/mem.h"
#include "stats/random.h"

#include <math.h>

#define TRIM 0.2
/* Maximum number of values of both samples together for a permutation test. */
#define PERMUTED_MOST 100
/* Largest p-value of the t distribution for which the permutation test is made. */
#define UNLIKELY 0.2
/* Number of permutations with an equal or larger t after which the test ends. */
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

/* Returns the absolute value of t. It is infinite if the means differ and the error is 0. */
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
    /* Store the value in both samples and advance one index. This is faster than a branch, which
     * the processor could not predict. */
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
