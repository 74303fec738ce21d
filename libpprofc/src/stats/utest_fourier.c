/* The distribution of U by a Fourier sum at the saddle point, for thousands of samples with ties.
 * The probabilities of the law (utest_law.h) are sums over a few points of its characteristic
 * function. The sums are finite and drop only what is below 1e-12 of the result. There are as many
 * points as the law has values within Chernoff's bounds, so that nothing wraps around. The sum
 * skips a point only where the product over all samples must be small: with |q + p e^iv|^2 = 1 -
 * 2pq (1 - cos v) and Jensen's inequality, it is at most (1 - 2b / N)^(N / 2), where b is the sum
 * of pq (1 - cos v). */
#include "stats/utest_fourier.h"

#include "stats/utest_few.h"
#include "stats/utest_law.h"

#include <math.h>
#include <string.h>

#define COARSE_LEAST 16384 /* points at which the skipping bound is evaluated, at least: */
#define COARSE_EACH  16    /* for each sample */
#define SAMPLES_MAX  10000 /* with more samples the normal approximation is used */
#define ANGLES_MAX   4096
#define TURNS_MOST   64
#define WORK_MAX     6e7 /* complex products, about 40 ms */
#define PI           3.14159265358979323846

/* ---- characteristic functions ------------------------ */

/* In place, `size` a power of two: sums of v[j] e^(2 pi i j k / size). c and s have the cosines and
 * sines of the upper half circle, size / 2 of them. */
static void transform(double *re, double *im, const double *c, const double *s, size_t size) {
  for (size_t i = 1, j = 0; i < size; i++) {
    size_t bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    double x = re[i], y = im[i];
    re[i] = re[j];
    im[i] = im[j];
    re[j] = x;
    im[j] = y;
  }
  for (size_t half = 1; half < size; half *= 2)
    for (size_t from = 0; from < size; from += 2 * half)
      for (size_t i = from, k = 0; i < from + half; i++, k += size / (2 * half)) {
        double x = re[i + half] * c[k] - im[i + half] * s[k];
        double y = re[i + half] * s[k] + im[i + half] * c[k];
        re[i + half] = re[i] - x;
        im[i + half] = im[i] - y;
        re[i] += x;
        im[i] += y;
      }
}

struct sum {
  struct law *l;
  size_t points;                 /* of the rank sum's characteristic function, a power of two */
  size_t coarse;                 /* every (points / coarse)-th of them is a coarse point */
  size_t angles;                 /* points for the number of values */
  double most;                   /* b of a product that is negligible */
  double slack;                  /* the most that the bound changes between coarse points */
  double *re, *im;               /* [coarse] sums of pq e^(i r phi) */
  double *circle;                /* [coarse] for the transform */
  double *zre, *zim;             /* [groups] e^(i r phi) */
  double *wre, *wim;             /* [groups] the same for the first point */
  size_t next;                   /* point after the one that zre and zim are for */
  double *cosine, *sine;         /* [angles] of theta */
  double *are, *aim, *pre, *pim; /* [angles] those looked at: e^(i theta), products */
  double *fre, *fim;             /* [angles] scratch: factors */
  double work;
  double total; /* so far */
};

/* Fills the coarse sums. A rank beyond the number of coarse points wraps around to the right place.
 */
static void fill_coarse(struct sum *s) {
  memset(s->re, 0, s->coarse * sizeof *s->re);
  memset(s->im, 0, s->coarse * sizeof *s->im);
  for (size_t k = 0; k < s->l->groups; k++)
    s->re[(size_t)fmod(s->l->r[k], (double)s->coarse)] += s->l->pq[k];
  double *c = s->circle, *d = c + s->coarse / 2;
  for (size_t k = 0; k < s->coarse / 2; k++) {
    c[k] = cos(2 * PI * (double)k / (double)s->coarse);
    d[k] = sin(2 * PI * (double)k / (double)s->coarse);
  }
  transform(s->re, s->im, c, d, s->coarse);
}

static double angle_of(const struct sum *s, size_t m) {
  return 2 * PI * (double)(m % s->points) / (double)s->points;
}

/* z[i] *= w[i] */
static void times(size_t count, double *restrict zre, double *restrict zim,
                  const double *restrict wre, const double *restrict wim) {
  for (size_t j = 0; j < count; j++) {
    double re = zre[j] * wre[j] - zim[j] * wim[j];
    zim[j] = zre[j] * wim[j] + zim[j] * wre[j];
    zre[j] = re;
  }
}

/* e^(i r phi) of each group at phi = 2 pi m / points. */
static void set_turns(const struct sum *s, size_t m, double *re, double *im) {
  for (size_t k = 0; k < s->l->groups; k++) {
    double angle = angle_of(s, (size_t)s->l->r[k] % s->points * m);
    re[k] = cos(angle);
    im[k] = sin(angle);
  }
}

/* Sets zre and zim to point m and computes the sum of its bound. Mostly m follows the last point:
 * then one more turn is a product. Every TURNS_MOST points the turns are computed anew, before
 * errors add up. */
static void sum_turn(struct sum *s, size_t m, double *re, double *im) {
  size_t groups = s->l->groups;
  if (m == s->next && m % TURNS_MOST)
    times(groups, s->zre, s->zim, s->wre, s->wim);
  else
    set_turns(s, m, s->zre, s->zim);
  s->next = m + 1;
  *re = *im = 0;
  for (size_t k = 0; k < groups; k++) {
    *re += s->l->pq[k] * s->zre[k];
    *im += s->l->pq[k] * s->zim[k];
  }
}

/* Multiplies the products of the chosen angles by (q + p z e^(i theta))^t. */
static void multiply(struct sum *s, size_t k, size_t count) {
  double p = s->l->p[k], q = s->l->q[k], zre = p * s->zre[k], zim = p * s->zim[k];
  for (size_t j = 0; j < count; j++) {
    s->fre[j] = q + zre * s->are[j] - zim * s->aim[j];
    s->fim[j] = zre * s->aim[j] + zim * s->are[j];
  }
  for (size_t power = (size_t)s->l->t[k];;) {
    if (power & 1) times(count, s->pre, s->pim, s->fre, s->fim);
    if (!(power >>= 1)) return;
    for (size_t j = 0; j < count; j++) {
      double re = s->fre[j] * s->fre[j] - s->fim[j] * s->fim[j];
      s->fim[j] *= 2 * s->fre[j];
      s->fre[j] = re;
    }
  }
}

/* The law's characteristic function at phi, for exactly n values: the mean over theta of the
 * product times e^(-i n theta). Angles at which the product is negligible are dropped. */
static void coefficient(struct sum *s, double sre, double sim, double *re, double *im) {
  size_t count = 0, n = (size_t)s->l->n % s->angles;
  for (size_t j = 0; j < s->angles; j++) {
    double real = s->cosine[j] * sre - s->sine[j] * sim;
    if (s->l->spread_n - real > s->most) continue;
    size_t place = n * j % s->angles;
    s->are[count] = s->cosine[j];
    s->aim[count] = s->sine[j];
    s->pre[count] = s->cosine[place];
    s->pim[count++] = -s->sine[place];
  }
  *re = *im = 0;
  if (!count) return;
  for (size_t k = 0; k < s->l->groups; k++) {
    multiply(s, k, count);
    s->work += (double)count * (1 + 2 * log2(s->l->t[k]));
  }
  for (size_t j = 0; j < count; j++) {
    *re += s->pre[j];
    *im += s->pim[j];
  }
  *re /= (double)s->angles;
  *im /= (double)s->angles;
}

/* What the point adds to the tail: the real part of f(phi) times e^(-i phi w) times the sum over d
 * from 0 below `terms` of e^((s + i phi) d). */
static double share_of_tail(const struct sum *s, size_t m, size_t terms, double re, double im) {
  double phi = angle_of(s, m), tilt = s->l->s;
  double kre = (double)terms, kim = 0;
  if (m || tilt < 0) {
    double all = exp(tilt * (double)terms), end = angle_of(s, terms * m);
    double ere = 1 - all * cos(end), eim = -all * sin(end);
    /* 1 - e^(tilt + i phi), without cancellation */
    double half = sin(phi / 2), dre = -expm1(tilt) * cos(phi) + 2 * half * half;
    double dim = -exp(tilt) * sin(phi), norm = dre * dre + dim * dim;
    kre = (ere * dre + eim * dim) / norm;
    kim = (eim * dre - ere * dim) / norm;
  }
  double turned = angle_of(s, (size_t)s->l->w % s->points * m);
  double c = cos(turned), d = sin(turned); /* e^(-i w phi) is c - i d */
  double fre = re * c + im * d, fim = im * c - re * d;
  return fre * kre - fim * kim;
}

static void add_point(struct sum *s, size_t m, size_t terms) {
  double sre, sim, re, im;
  sum_turn(s, m, &sre, &sim);
  s->work += 4 * (double)s->l->groups;
  if (s->l->spread_n - hypot(sre, sim) > s->most) return;
  coefficient(s, sre, sim, &re, &im);
  double twice =
      m == 0 || 2 * m == s->points ? 1 : 2; /* the other half of the circle is its conjugate */
  s->total += twice * share_of_tail(s, m, terms, re, im);
}

/* Adds all points of the upper half circle, except stretches around coarse points where the bound
 * shows that they are negligible. */
static void add_points(struct sum *s, size_t terms) {
  size_t step = s->points / s->coarse;
  for (size_t c = 0; c <= s->coarse / 2 && s->work < WORK_MAX; c++) {
    if (s->l->spread_n - hypot(s->re[c], s->im[c]) - s->slack > s->most) continue;
    size_t from = c * step > step / 2 ? c * step - step / 2 : 0, to = c * step + (step + 1) / 2;
    for (size_t m = from; m < to && 2 * m <= s->points && s->work < WORK_MAX; m++)
      add_point(s, m, terms);
  }
}

/* ---- putting it together ----------------------------- */

static size_t power_of_two(double least) {
  size_t size = 1;
  while ((double)size < least) size *= 2;
  return size;
}

static void open_sum(struct sum *s, double *block) {
  size_t groups = s->l->groups;
  s->re = block;
  s->im = s->re + s->coarse;
  s->circle = s->im + s->coarse;
  s->zre = s->circle + s->coarse;
  s->zim = s->zre + groups;
  s->wre = s->zim + groups;
  s->wim = s->wre + groups;
  s->cosine = s->wim + groups;
  s->sine = s->cosine + s->angles;
  s->are = s->sine + s->angles;
  s->aim = s->are + s->angles;
  s->pre = s->aim + s->angles;
  s->pim = s->pre + s->angles;
  s->fre = s->pim + s->angles;
  s->fim = s->fre + s->angles;
  for (size_t j = 0; j < s->angles; j++) {
    s->cosine[j] = cos(2 * PI * (double)j / (double)s->angles);
    s->sine[j] = sin(2 * PI * (double)j / (double)s->angles);
  }
  fill_coarse(s);
  set_turns(s, 1, s->wre, s->wim);
}

static double sum_law(struct law *l) {
  struct sum s = {.l = l};
  double doubt = law_doubt(l), most_w = l->n * l->r[l->groups - 1];
  double below = fmin(ceil(law_reach(l, true, -1, doubt)), l->w);
  double above = fmin(ceil(law_reach(l, true, 1, doubt)), most_w - l->w);
  double around = ceil(fmax(law_reach(l, false, 1, doubt), law_reach(l, false, -1, doubt)));
  around = fmin(around, fmax(l->n, l->total - l->n));
  if (!(below + above < 0x1p28) || !(around < ANGLES_MAX)) return (double)NAN;
  s.points = power_of_two(below + above + 1);
  s.angles = (size_t)around + 1;
  s.coarse = COARSE_LEAST;
  while ((double)s.coarse < COARSE_EACH * l->total) s.coarse *= 2;
  if (s.coarse > s.points) s.coarse = s.points;
  /* the points' weights, 1 / (1 - e^(s + i phi)), are log(points) on average */
  s.most = l->total / 2 * -expm1(-2 / l->total * (doubt + log(log((double)s.points + 2))));
  for (size_t k = 0; k < l->groups; k++) s.slack += l->pq[k] * fabs(l->r[k] - l->mean_r);
  s.slack *= s.coarse < s.points ? PI / (double)s.coarse : 0;
  size_t doubles = 3 * s.coarse + 4 * l->groups + 8 * s.angles;
  double *block = mem_array(l->mem, doubles, sizeof *block);
  if (!block) return -1;
  open_sum(&s, block);
  add_points(&s, (size_t)below + 1);
  mem_free(l->mem, block, doubles, sizeof *block);
  return s.work >= WORK_MAX ? (double)NAN : s.total / (double)s.points * exp(l->log_scale);
}

double u_fourier_cdf(const size_t *ties, size_t distinct, size_t nx, double twice_u,
                     const pprofc_allocator *mem) {
  struct law l;
  double total = 0, result = (double)NAN;
  for (size_t k = 0; k < distinct; k++) total += (double)ties[k];
  if (total > SAMPLES_MAX) return (double)NAN;
  if (!law_open(&l, ties, distinct, nx, twice_u, mem)) return -1;
  if (l.w < law_least(&l)) {
    result = 0;
  } else {
    result = few_values_tail(&l);
    if (isnan(result) && l.spread_n > 0 && l.spread_w > 0) result = sum_law(&l);
  }
  law_close(&l);
  return result > 1 ? 1 : result;
}
