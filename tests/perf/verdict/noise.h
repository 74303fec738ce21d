/* Simulated comparisons: runs of a program with 60 or 80 functions under five kinds of noise. */
#ifndef PERF_VERDICT_NOISE_H
#define PERF_VERDICT_NOISE_H

#include "random.h"

#include <stdbool.h>

#define ROWS_MAX 80
#define RUNS_MAX 20

/* POISSON   sampling noise alone
 * OVER      noise between runs of each function, by a CV around 5 % (lognormal, up to 50 %);
 *           6 % that all functions of a run share
 * BURSTY    samples come in clusters: three times Poisson's variance
 * OUTLIER   8 % of the functions have a CV of 40 %, the others 2 %; 6 % in common
 * DRIFT     the machine gets slower by 15 % during the session, and by 10 % more for 40 % of the
 *           functions; CV 1 %, 3 % in common */
enum noise_model { POISSON, OVER, BURSTY, OUTLIER, DRIFT, NOISE_MODELS };
extern const char *const noise_names[NOISE_MODELS];

struct noise_case {
  enum noise_model model;
  size_t side;       /* runs of base, and of head */
  size_t fewer;      /* not 0: so many runs of the base, spread over the session */
  double samples;    /* of a run */
  bool in_turns;     /* base and head alternate; false: all runs of the base come first */
  size_t rows;       /* functions */
  size_t changed;    /* functions that change */
  double effect;     /* relative; three of four become slower */
  double lone_share; /* not 0: row 0 has this share, and it alone changes */
  double least;      /* the model judges functions with this many samples a run, and 10 in all */
};

/* What was drawn, and the truth about it. */
struct noise_draw {
  size_t rows, runs, bases;
  double samples, least;
  double values[ROWS_MAX * RUNS_MAX];
  double share[ROWS_MAX]; /* of the base */
  double truth[ROWS_MAX]; /* change of the mean, in samples a run */
};

void noise_draw(struct random_source *r, const struct noise_case *what, struct noise_draw *draw);

#endif
