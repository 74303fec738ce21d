/* Computes the Mann-Whitney U test: exactly for small samples, else by the normal approximation. */
#include "stats/stats.h"

/* Statistics of the merged samples: how often each distinct value occurs, and U. */
struct ranks {
  size_t *ties; /* for each distinct value in ascending order, how many times it occurs */
  size_t distinct;
  bool tied;
  double u;     /* U: number of pairs with x > y; ties count half */
  double cubes; /* sum of t^3 - t over the numbers t in `ties`, for the variance of U */
};

static void rank(const double *x, size_t nx, const double *y, size_t ny, struct ranks *r) {
  size_t i = 0, j = 0;
  double twice = 0;
  while (i < nx || j < ny) {
    double value = i < nx && (j == ny || x[i] < y[j]) ? x[i] : y[j];
    size_t xs = 0, ys = 0;
    while (i + xs < nx && x[i + xs] == value) xs++;
    while (j + ys < ny && y[j + ys] == value) ys++;
    twice += (double)xs * (2.0 * (double)j + (double)ys);
    size_t t = xs + ys;
    r->ties[r->distinct++] = t;
    r->tied |= t > 1;
    r->cubes += (double)t * (double)t * (double)t - (double)t;
    i += xs;
    j += ys;
  }
  r->u = twice / 2;
}

/* ---- no ties ----------------------------------------- */

/* Replaces p[n][m - 1] by p[n][m], by the recurrence of untied_cdf, for every n up to `small`. A
 * row of the table has p[n] for U = 0 .. u. */
static void untied_step(double *table, size_t small, size_t m, size_t u) {
  size_t width = u + 1;
  table[0] = 1;
  for (size_t n = 1; n <= small && n <= m; n++) {
    const double *fewer_n = table + (n - 1) * width;
    const double *fewer_m = table + (n < m ? n : m - 1) * width;
    double *out = table + n * width, sum = (double)(n + m);
    for (size_t v = n * m < u ? n * m : u; v + 1 > 0; v--) {
      double left = v >= m ? (double)n * fewer_n[v - m] : 0;
      out[v] = (left + (double)m * fewer_m[v]) / sum;
    }
  }
}

/* Returns P(U <= u) by Mann and Whitney's recurrence over the sample sizes: p[n][m](U) = (n
 * p[n-1][m](U - m) + m p[n][m-1](U)) / (n + m). The table has the values for one m at a time.
 * Returns a negative number when out of memory. */
static double untied_cdf(size_t nx, size_t ny, size_t u, const pprofc_allocator *mem) {
  size_t small = nx < ny ? nx : ny, pairs = nx * ny;
  size_t large = nx + ny - small;
  bool flip = u >= (pairs + 1) / 2;
  if (u >= pairs) return 1;
  if (flip) u = pairs - u - 1;
  size_t width = u + 1;
  double *table = mem_zero_array(mem, (small + 1) * width, sizeof *table);
  if (!table) return -1;
  for (size_t m = 0; m <= large; m++) untied_step(table, small, m, u);
  double p = 0;
  for (size_t v = 0; v <= u; v++) p += table[small * width + v];
  mem_free(mem, table, (small + 1) * width, sizeof *table);
  return flip ? 1 - p : p;
}

/* ---- ties -------------------------------------------- */

/* The distinct values in ascending order or, if `reversed`, in descending order. In descending
 * order, U is the number of pairs with x < y. */
struct tied_walk {
  const size_t *ties;
  size_t distinct, nx, total;
  bool reversed;
  const pprofc_allocator *mem;
};

/* Adds a distinct value that occurs t times in x and y together. Any r of the t copies may be in x,
 * in choose(t, r) ways. `seen` earlier values have been added, j of them in x. Each of the r copies
 * adds to 2U: 2 for each of the seen - j earlier values in y, and 1 for each of the t - r copies in
 * y. */
static void spread(const struct tied_walk *w, size_t seen, size_t t, size_t limit,
                   const double *weights, const double *from, double *to) {
  size_t width = limit + 1, most = seen < w->nx ? seen : w->nx;
  for (size_t j = 0; j <= most; j++) {
    for (size_t r = 0; r <= t && j + r <= w->nx; r++) {
      if (seen + t - (j + r) > w->total - w->nx) continue;
      size_t gain = r * (2 * (seen - j) + t - r);
      const double *row = from + j * width;
      double *out = to + (j + r) * width;
      for (size_t v = 0; v + gain <= limit; v++) out[v + gain] += row[v] * weights[r];
    }
  }
}

/* Returns P(2U <= limit) by dynamic programming over the distinct values (Cheung and Klotz 1997,
 * with a table instead of their recursion). Returns a negative number when out of memory. */
static double tied_cdf(const struct tied_walk *w, size_t limit) {
  size_t width = limit + 1, cells = (w->nx + 1) * width, seen = 0;
  double *tables = mem_zero_array(w->mem, 2 * cells, sizeof *tables);
  double *weights = mem_array(w->mem, w->total + 1, sizeof *weights);
  double result = -1;
  if (tables && weights) {
    double *from = tables, *to = tables + cells;
    from[0] = 1;
    for (size_t k = 0; k < w->distinct; k++) {
      size_t t = w->ties[w->reversed ? w->distinct - 1 - k : k];
      for (size_t r = 0; r <= t; r++) weights[r] = choose((int)t, (int)r);
      for (size_t i = 0; i < cells; i++) to[i] = 0;
      spread(w, seen, t, limit, weights, from, to);
      seen += t;
      double *swap = from;
      from = to;
      to = swap;
    }
    result = 0;
    for (size_t v = 0; v <= limit; v++) result += from[w->nx * width + v];
    result /= go_choose((int)w->total, (int)w->nx);
  }
  mem_free(w->mem, tables, 2 * cells, sizeof *tables);
  mem_free(w->mem, weights, w->total + 1, sizeof *weights);
  return result;
}

/* Returns P(2U <= limit) for samples with two distinct values. Like benchstat, truncates `last`,
 * the upper end of the sum, to an integer. */
static double two_values_as_upstream(const struct tied_walk *w, long long limit) {
  long long t0 = (long long)w->ties[0], t1 = (long long)w->ties[1], n = (long long)w->nx;
  long long last = (limit - n * (t0 - n)) / (t0 + t1);
  double sum = 0;
  for (long long r = n > t0 ? n - t0 : 0; r <= last; r++)
    sum += go_choose((int)t0, (int)(n - r)) * go_choose((int)t1, (int)r);
  return sum / go_choose((int)w->total, (int)n);
}

/* ---- choice of the method ---------------------------- */

/* Maximum size of the larger sample for an exact p. EXACT_TIED is benchstat's limit for samples
 * with ties. With PPROFC_U_CORRECT, EXACT_UNTIED also applies to ties, because the exact p takes at
 * most about 20 ms. */
#define EXACT_UNTIED 50
#define EXACT_TIED   25

static double upstream_p(const struct tied_walk *w, const struct ranks *r, double u) {
  if (!r->tied) return 2 * untied_cdf(w->nx, w->total - w->nx, (size_t)u, w->mem);
  if (r->distinct == 2) return 2 * two_values_as_upstream(w, (long long)(2 * u));
  return 2 * tied_cdf(w, (size_t)(2 * u));
}

/* Returns twice the smaller tail probability. With ties, the distribution of U is not symmetric, so
 * this function computes the tail that contains U. */
static double correct_p(struct tied_walk *w, const struct ranks *r, double u) {
  size_t ny = w->total - w->nx;
  double pairs = (double)w->nx * (double)ny, least = 1;
  if (!r->tied) {
    least = untied_cdf(w->nx, ny, (size_t)(u < pairs - u ? u : pairs - u), w->mem);
  } else {
    for (int side = 0; side < 2 && least >= 0; side++) {
      /* The smaller tail is on the same side of the mean as u, so skip the larger tail. */
      double bound = side ? pairs - u : u;
      if (2 * bound > pairs) continue;
      w->reversed = side == 1;
      double tail = tied_cdf(w, (size_t)(2 * bound));
      least = tail < least ? tail : least;
    }
  }
  return 2 * least < 1 ? 2 * least : 1;
}

static double normal_p(double u, double nx, double ny, double cubes, bool *constant) {
  double total = nx + ny;
  double deviation = sqrt(nx * ny * ((total + 1) - cubes / (total * (total - 1))) / 12);
  *constant |= !(deviation > 0);
  if (*constant) return 1;
  double distance = u - nx * ny / 2;
  if (distance != 0) distance -= distance > 0 ? 0.5 : -0.5;
  double below = pprofc_normal_cdf(distance / deviation);
  return 2 * (below < 1 - below ? below : 1 - below);
}

/* Returns the exact p-value. Returns NaN if a sample has more values than the limit, which is
 * EXACT_TIED or EXACT_UNTIED. Returns a negative number when out of memory. */
static double exact_p(struct tied_walk *w, const struct ranks *r, bool correct) {
  size_t y_count = w->total - w->nx, larger = w->nx > y_count ? w->nx : y_count;
  double opposite = (double)w->nx * (double)y_count - r->u;
  if (larger > (r->tied && !correct ? EXACT_TIED : EXACT_UNTIED)) return (double)NAN;
  if (r->u == opposite) return 1;
  return correct ? correct_p(w, r, r->u) : upstream_p(w, r, fmin(r->u, opposite));
}

static pprofc_u_result test_ranks(struct tied_walk *w, const struct ranks *r, bool correct) {
  bool constant = r->distinct == 1;
  pprofc_u_result result = {PPROFC_TEST_OK, r->u, exact_p(w, r, correct), false};
  result.exact = !isnan(result.p);
  if (isnan(result.p))
    result.p = normal_p(r->u, (double)w->nx, (double)(w->total - w->nx), r->cubes, &constant);
  if (constant)
    result.status = PPROFC_TEST_ALL_EQUAL;
  else if (result.p < 0)
    result.status = PPROFC_TEST_NO_MEMORY;
  if (result.status != PPROFC_TEST_OK) result.p = 1;
  return result;
}

pprofc_u_result pprofc_u_test(const double *x, size_t x_count, const double *y, size_t y_count,
                              unsigned flags, const pprofc_allocator *allocator) {
  const pprofc_allocator *mem = mem_or_default(allocator);
  if (!x_count || !y_count) return (pprofc_u_result){PPROFC_TEST_TOO_SMALL, 0, 1, false};
  if (isnan(x[0]) || isnan(y[0])) /* NaN comes first in sorted samples */
    return (pprofc_u_result){PPROFC_TEST_NAN, 0, 1, false};
  size_t total = x_count + y_count;
  struct ranks r = {.ties = mem_array(mem, total, sizeof *r.ties)};
  if (!r.ties) return (pprofc_u_result){PPROFC_TEST_NO_MEMORY, 0, 1, false};
  rank(x, x_count, y, y_count, &r);
  struct tied_walk walk = {r.ties, r.distinct, x_count, total, false, mem};
  pprofc_u_result result = test_ranks(&walk, &r, flags & PPROFC_U_CORRECT);
  mem_free(mem, r.ties, total, sizeof *r.ties);
  return result;
}
