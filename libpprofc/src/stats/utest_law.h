/* A law that makes a given rank sum of one sample likely, from which its real probability follows.
 *
 * Give each of a value's t occurrences to x, independently, with the probability p = 1 / (1 +
 * e^-(a + s r)), where r is the value's rank. Given how many x got, all assignments with the same
 * rank sum w are equally likely, and P(w) is e^(-s w) times what this law gives, up to a factor. a
 * and s are chosen so that x gets nx values and the rank sum asked for on average: then the law is
 * concentrated where the tail is, however unlikely that tail is by itself (Daniels 1954). */
#ifndef PPROFC_STATS_UTEST_LAW_H
#define PPROFC_STATS_UTEST_LAW_H

#include "core/mem.h"

struct law {
  const pprofc_allocator *mem;
  size_t groups;
  double total;     /* values of both samples */
  double *block;    /* the arrays below */
  double *t, *r;    /* [groups] occurrences; rank as an integer from 0, in units of their gcd */
  double *p, *q;    /* [groups] probability; 1 - p with all its digits */
  double *pq;       /* [groups] t p q */
  double n, w;      /* values of x; the largest rank sum of the tail */
  double a, s;      /* the tilt; s <= 0 */
  double log_scale; /* P(w) is exp(log_scale + s (w - this w)) times the law's probability */
  double spread_n, spread_w; /* the sum of pq; of pq (r - mean)^2 */
  double mean_r;             /* weighted by pq */
};

/* The law for `nx` of the values with the multiplicities ties[0 .. distinct - 1] and a doubled U of
 * twice_u. False when out of memory. */
bool law_open(struct law *law, const size_t *ties, size_t distinct, size_t nx, double twice_u,
              const pprofc_allocator *mem);
void law_close(struct law *law);

/* The least rank sum there is. */
double law_least(const struct law *law);

/* -log of the probability that a tail may drop. */
double law_doubt(const struct law *law);

/* Chernoff's bound, with sum the sum of c over the values of x: how far it may be above (sign 1) or
 * below (sign -1) its target, except with probability exp(-doubt). c is 1 for the number of values,
 * and r - mean_r for the rank sum, which then does not depend on the number. */
double law_reach(const struct law *law, bool ranks, double sign, double doubt);

#endif
