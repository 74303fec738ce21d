/* Makes the law under which a rank sum is likely: ranks, and the tilt by Newton's method. */
#include "stats/utest_law.h"

#include <math.h>

#define NEGLIGIBLE 29.0 /* -log of the relative error */
#define ARRAYS     5

static double gcd(double a, double b) {
  while (b > 0) {
    double rest = fmod(a, b);
    a = b;
    b = rest;
  }
  return a;
}

/* Twice the middle rank of a value is twice the number of values before it, plus its own
 * occurrences, plus one. The ranks are then moved to begin with 0 and divided by their greatest
 * common divisor. */
static bool set_ranks(struct law *l, const size_t *ties, size_t distinct, size_t nx,
                      double twice_u) {
  l->block = mem_array(l->mem, distinct, ARRAYS * sizeof *l->block);
  if (!l->block) return false;
  l->groups = distinct;
  l->t = l->block;
  l->r = l->t + distinct;
  l->p = l->r + distinct;
  l->q = l->p + distinct;
  l->pq = l->q + distinct;
  double before = 0, unit = 0, first = (double)ties[0];
  for (size_t k = 0; k < distinct; k++) {
    l->t[k] = (double)ties[k];
    l->r[k] = 2 * before + l->t[k] - first;
    before += l->t[k];
    unit = gcd(unit, l->r[k]);
  }
  for (size_t k = 0; k < distinct; k++) l->r[k] /= unit;
  l->n = (double)nx;
  l->total = before;
  l->w = floor((twice_u + l->n * l->n - l->n * first) / unit);
  return true;
}

double law_least(const struct law *l) {
  double sum = 0, left = l->n;
  for (size_t k = 0; k < l->groups && left > 0; k++) {
    double taken = fmin(left, l->t[k]);
    sum += taken * l->r[k];
    left -= taken;
  }
  return sum;
}

/* Probabilities, and the log of what Newton's method makes least: log Z - a n - s w. */
static double tilt(struct law *l) {
  double objective = -l->a * l->n - l->s * l->w;
  for (size_t k = 0; k < l->groups; k++) {
    double v = l->a + l->s * l->r[k], e = exp(-fabs(v));
    l->p[k] = (v > 0 ? 1 : e) / (1 + e);
    l->q[k] = (v > 0 ? e : 1) / (1 + e);
    l->pq[k] = l->t[k] * l->p[k] * l->q[k];
    objective += l->t[k] * ((v > 0 ? v : 0) + log1p(e));
  }
  return objective;
}

struct moments {
  double n, w, nn, nw, ww; /* expectations less what is asked for; variances */
};

static struct moments moments_of(const struct law *l) {
  struct moments m = {-l->n, -l->w, 0, 0, 0};
  for (size_t k = 0; k < l->groups; k++) {
    m.n += l->t[k] * l->p[k];
    m.w += l->t[k] * l->p[k] * l->r[k];
    m.nn += l->pq[k];
    m.nw += l->pq[k] * l->r[k];
    m.ww += l->pq[k] * l->r[k] * l->r[k];
  }
  return m;
}

/* The objective is convex, and any tilt gives a correct result. Where the rank sum is the least
 * there is, the best tilt is infinite: there the loop ends after a fixed number of steps. */
static void find_saddle(struct law *l, double total) {
  l->s = 0;
  l->a = log(l->n) - log(total - l->n);
  double objective = tilt(l);
  for (int step = 0; step < 40; step++) {
    struct moments m = moments_of(l);
    double determinant = m.nn * m.ww - m.nw * m.nw;
    if (!(determinant > 1e-9 * m.nn * m.ww)) break;
    double da = (m.nw * m.w - m.ww * m.n) / determinant;
    double ds = (m.nw * m.n - m.nn * m.w) / determinant;
    double gain = -(da * m.n + ds * m.w), a = l->a, s = l->s, length = 1, next;
    if (!(gain > 1e-6)) break;
    do {
      l->a = a + length * da;
      l->s = s + length * ds;
      next = tilt(l);
      length /= 2;
    } while (!(next < objective) && length > 1e-6);
    if (!(next < objective)) {
      l->a = a;
      l->s = s;
      tilt(l);
      break;
    }
    objective = next;
  }
  if (l->s > 0) l->s = 0;
}

static void utest_law_settle(struct law *l, double total) {
  int sign;
  find_saddle(l, total);
  l->log_scale = tilt(l) - lgamma_r(total + 1, &sign) + lgamma_r(l->n + 1, &sign) +
                 lgamma_r(total - l->n + 1, &sign);
  struct moments m = moments_of(l);
  l->mean_r = m.nw / m.nn;
  l->spread_n = m.nn;
  l->spread_w = m.ww - m.nw * m.nw / m.nn;
}

bool law_open(struct law *law, const size_t *ties, size_t distinct, size_t nx, double twice_u,
              const pprofc_allocator *mem) {
  *law = (struct law){.mem = mem};
  if (!set_ranks(law, ties, distinct, nx, twice_u)) return false;
  utest_law_settle(law, law->total);
  return true;
}

void law_close(struct law *law) {
  mem_free(law->mem, law->block, law->groups, ARRAYS * sizeof *law->block);
}

double law_doubt(const struct law *law) {
  /* the tail is not far from 1 / (2 pi) over both standard deviations */
  return NEGLIGIBLE + log(2 * 3.14159265358979323846 * (law->spread_n + 1)) / 2 +
         log(law->spread_w + 1) / 2;
}

double law_reach(const struct law *l, bool ranks, double sign, double doubt) {
  double least = (double)INFINITY, spread = sqrt(ranks ? l->spread_w : l->spread_n);
  double asked = ranks ? l->w - l->mean_r * l->n : l->n;
  for (double k = 1; k <= 16; k *= 1.25) {
    double u = sign * k / (spread + 1e-300), log_mean = -u * asked;
    for (size_t i = 0; i < l->groups; i++) {
      double c = ranks ? l->r[i] - l->mean_r : 1;
      /* log(q + p e^uc), without overflow */
      double uc = u * c, p = l->p[i], q = l->q[i];
      log_mean += l->t[i] * (uc > 0 ? uc + log(p + q * exp(-uc)) : log(q + p * exp(uc)));
    }
    double distance = (log_mean + doubt) / fabs(u);
    if (distance < least) least = distance;
  }
  return least;
}
