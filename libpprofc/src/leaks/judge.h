/* What a series of values in time is: a leak, a cache that stopped, a sawtooth, or nothing. Knows
 * no profile. docs/LEAKS.md explains the rules and what they were measured to find. */
#ifndef PPROFC_LEAKS_JUDGE_H
#define PPROFC_LEAKS_JUDGE_H

#include "core/mem.h"

/* The first that fits, from the top; `leak` and `grows` also need a small p-value. */
enum leak_verdict {
  LEAK_IGNORED,  /* of the ignore list */
  LEAK_BELOW,    /* never as large as the floor, or what it grew by is not */
  LEAK_SAWTOOTH, /* falls as far as it rises */
  LEAK_STOPPED,  /* grew, and does not grow any more */
  LEAK_STEADY,   /* no trend */
  LEAK_GROWS,    /* grows, though most of what is allocated there is freed */
  LEAK_LEAK,
  LEAK_VERDICTS
};

struct leak_rules {
  double alpha; /* of all series of a kind together */
  double floor; /* the least growth that is one */
  double kept;  /* the least share of what was allocated that is still there: 0.8 */
};

/* One series. Values are at `t`, which ascends. */
struct leak_series {
  const double *t, *x;
  size_t count;
  double sampling[2]; /* variance of the first and last value by sampling */
  double loudest;     /* the largest such variance of all values */
  double chance[2];   /* variance of them as counts of objects that come and go */
  double allocated;   /* between the first and the last value; NaN: not known */
  bool ignored;
};

struct leak_fit {
  enum leak_verdict verdict;
  bool of_troughs; /* the lowest points of a sawtooth rise */
  double slope;    /* Theil and Sen's, per unit of t */
  double growth;   /* last value less the first */
  double kept;     /* share of what was allocated; NaN: not known */
  double p_trend;  /* Mann and Kendall's; NaN below LEAK_FEW values */
  double p;        /* of trend and growth */
  double adjusted; /* p for the number of series that could have been one */
  bool counted;    /* the series is one of these */
};

/* With fewer values Mann and Kendall's test cannot reach 5 %: they must ascend instead. */
#define LEAK_FEW   5
#define LEAK_LEAST 3

/* Judges series that belong together: p-values are adjusted by Holm's method. False when out of
 * memory. */
bool leak_judge(const struct leak_series *series, size_t count, const struct leak_rules *rules,
                const pprofc_allocator *mem, struct leak_fit *fits);

#endif
