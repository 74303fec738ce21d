/* Tails of U for samples of few distinct values: a sum over all combinations of how many
 * occurrences of each value are in x, without the negligible ones. The last value's number follows
 * from the others, and the sum over the last but one is a loop over two tables. */
#include "stats/utest_few.h"

#include <math.h>
#include <stdint.h>

#define GROUPS_MOST   12
#define STEPS_MOST    3e7 /* about 30 ms */
#define EXPONENT_MOST 600.0

/* The numbers of one value's occurrences that may be in x, and the probability of each. */
struct shares {
  int64_t low, high, rank;
  double *weights; /* [high - low + 1] times e^(-s r) for each above the expectation */
};

struct few {
  const struct law *law;
  size_t groups;
  struct shares shares[GROUPS_MOST]; /* the longest range is the last */
  double *block;
  size_t block_size;
};

/* Log of the binomial probability of `count` of group k. */
static double log_share(const struct law *l, size_t k, double count) {
  int sign;
  double t = l->t[k], p = fmax(l->p[k], 1e-300), q = fmax(l->q[k], 1e-300);
  return lgamma_r(t + 1, &sign) - lgamma_r(count + 1, &sign) - lgamma_r(t - count + 1, &sign) +
         count * log(p) + (t - count) * log(q);
}

/* The numbers around the expectation that are not negligible. */
static struct shares range_of(const struct law *l, size_t k, double doubt) {
  double middle = floor(l->t[k] * l->p[k]);
  struct shares s = {(int64_t)middle, (int64_t)middle, (int64_t)l->r[k], NULL};
  while (s.low > 0 && log_share(l, k, (double)s.low - 1) > -doubt) s.low--;
  while ((double)s.high < l->t[k] && log_share(l, k, (double)s.high + 1) > -doubt) s.high++;
  return s;
}

static int64_t shares_length(const struct shares *s) {
  return s->high - s->low + 1;
}

/* Sorts the ranges by length. False when the combinations are too many. */
static bool plan(struct few *f) {
  const struct law *l = f->law;
  double doubt = law_doubt(l), steps = 1, exponent = 0;
  if (l->groups < 2 || l->groups > GROUPS_MOST) return false;
  f->groups = l->groups;
  for (size_t k = 0; k < f->groups; k++) {
    struct shares s = range_of(l, k, doubt);
    size_t place = k;
    double mean = l->t[k] * l->p[k];
    exponent += -l->s * l->r[k] * fmax((double)s.high - mean, mean - (double)s.low);
    for (; place > 0 && shares_length(&f->shares[place - 1]) > shares_length(&s); place--)
      f->shares[place] = f->shares[place - 1];
    f->shares[place] = s;
    f->block_size += (size_t)shares_length(&s);
  }
  for (size_t k = 0; k + 1 < f->groups; k++) steps *= (double)shares_length(&f->shares[k]);
  return steps <= STEPS_MOST && exponent <= EXPONENT_MOST;
}

static size_t group_of_rank(const struct law *l, int64_t rank) {
  size_t k = 0;
  while ((int64_t)l->r[k] != rank) k++;
  return k;
}

/* The tail needs e^(s (w - W)). It is a product over groups, of e^(-s r (count - mean)), since the
 * means add up to w, or nearly so. */
static void fill_weights(struct few *f, double *shift) {
  const struct law *l = f->law;
  double *next = f->block;
  *shift = l->w;
  for (size_t i = 0; i < f->groups; i++) {
    struct shares *s = &f->shares[i];
    size_t k = group_of_rank(l, s->rank);
    double mean = l->t[k] * l->p[k];
    *shift -= l->r[k] * mean;
    s->weights = next;
    for (int64_t c = s->low; c <= s->high; c++)
      *next++ = exp(log_share(l, k, (double)c) - l->s * l->r[k] * ((double)c - mean));
  }
}

/* The ways to share out the last two groups, n values with a rank sum of at most w. */
static double sum_last(const struct few *f, int64_t n, int64_t w) {
  const struct shares *a = &f->shares[f->groups - 2], *b = &f->shares[f->groups - 1];
  int64_t from = n - b->high > a->low ? n - b->high : a->low;
  int64_t to = n - b->low < a->high ? n - b->low : a->high;
  int64_t slope = a->rank - b->rank, room = w - n * b->rank; /* count * slope <= room */
  if (slope > 0) {
    int64_t most = room < 0 ? -((-room + slope - 1) / slope) : room / slope;
    if (most < to) to = most;
  } else {
    int64_t least = room < 0 ? (-room - slope - 1) / -slope : -(room / -slope);
    if (least > from) from = least;
  }
  double sum = 0;
  for (int64_t c = from; c <= to; c++) sum += a->weights[c - a->low] * b->weights[n - c - b->low];
  return sum;
}

/* All combinations of the groups before the last two, like the digits of a number. */
static double sum_all(const struct few *f) {
  int64_t count[GROUPS_MOST], n[GROUPS_MOST + 1] = {(int64_t)f->law->n},
                                              w[GROUPS_MOST + 1] = {(int64_t)f->law->w};
  double weight[GROUPS_MOST + 1] = {1}, sum = 0;
  size_t outer = f->groups - 2, k = 0;
  for (size_t i = 0; i < outer; i++) count[i] = f->shares[i].low;
  for (;;) {
    for (; k < outer; k++) {
      n[k + 1] = n[k] - count[k];
      w[k + 1] = w[k] - count[k] * f->shares[k].rank;
      weight[k + 1] = weight[k] * f->shares[k].weights[count[k] - f->shares[k].low];
    }
    sum += weight[outer] * sum_last(f, n[outer], w[outer]);
    while (k > 0 && count[k - 1] == f->shares[k - 1].high) {
      count[k - 1] = f->shares[k - 1].low;
      k--;
    }
    if (k == 0) return sum;
    count[--k]++;
  }
}

double few_values_tail(const struct law *law) {
  struct few f = {.law = law};
  double shift;
  if (!plan(&f)) return (double)NAN;
  f.block = mem_array(law->mem, f.block_size, sizeof *f.block);
  if (!f.block) return -1;
  fill_weights(&f, &shift);
  double result = sum_all(&f) * exp(law->log_scale + law->s * shift);
  mem_free(law->mem, f.block, f.block_size, sizeof *f.block);
  return result;
}
