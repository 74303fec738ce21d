/* Classifies a time series: a leak, a cache that stopped, a sawtooth, or no trend.
 * docs/LEAKS.md explains the rules and their error rates. */
#ifndef PPROFC_LEAKS_JUDGE_H
#define PPROFC_LEAKS_JUDGE_H

#include "core/mem.h"

/* Verdicts on a series in order of precedence: the first verdict that applies counts. `leak` and
 * `grows` also need a small p-value. */
enum leak_verdict {
  LEAK_IGNORED,  /* the stack is on the ignore list */
  LEAK_BELOW,    /* the values or their growth are smaller than the smallest growth to report */
  LEAK_SAWTOOTH, /* the values rise and fall by similar amounts */
  LEAK_STOPPED,  /* the values grew and then stopped */
  LEAK_STEADY,   /* the values show no trend */
  LEAK_GROWS,    /* the values grow, but most allocations are freed */
  LEAK_LEAK,
  LEAK_VERDICTS
};

struct leak_rules {
  double alpha; /* largest probability of a false leak among all series of one kind of profile */
  double floor; /* smallest growth of a series that is reported */
  double kept;  /* smallest growth of a leak, as a share of the amount allocated, default 0.8 */
};

/* One series of values at ascending times `t`. */
struct leak_series {
  const double *t, *x;
  size_t count;
  double sampling[2];      /* sampling variances of the first and of the last value */
  double largest_variance; /* largest sampling variance of a value */
  double chance[2]; /* variances of the first and last value if objects come and go at random */
  double allocated; /* amount allocated between the first and last value; NaN if not known */
  /* Amount allocated in the last third of the series (leak_late); 0 if not known. */
  double late;
  bool ignored;
};

struct leak_fit {
  enum leak_verdict verdict;
  bool of_troughs; /* true if the growth is the rise of a sawtooth's lowest points */
  double slope;    /* Theil-Sen slope, per unit of t */
  double growth;   /* last value minus first value */
  double kept;     /* growth as a share of the amount allocated; NaN if not known */
  double p_trend;  /* p-value of the Mann-Kendall test; NaN below LEAK_FEW values */
  double p;        /* p-value of trend and growth together */
  double adjusted; /* p after the correction for the number of candidate series */
  bool counted;    /* true for a candidate series, which counts in the correction */
};

/* LEAK_FEW: with fewer values, the Mann-Kendall test cannot reach a p-value of 5 %, so each value
 * must be above the value before. LEAK_MIN: minimum number of values. */
#define LEAK_FEW 5
#define LEAK_MIN 3

/* Returns the index of the first value in the last third of a series. */
size_t leak_late(size_t count);

/* Returns the smallest growth that would be significant among `tested` series. The variance of a
 * value v is v times `variance`. */
double leak_visible(const struct leak_rules *rules, size_t tested, double variance);

/* Judges the series of one kind of profile, and adjusts their p-values together by Holm's method.
 * Returns false when out of memory. */
bool leak_judge(const struct leak_series *series, size_t count, const struct leak_rules *rules,
                const pprofc_allocator *mem, struct leak_fit *fits);

#endif
