/* Simulated comparisons: runs of a program with 60 or 80 functions and five types of noise. */
#ifndef PERF_VERDICT_NOISE_H
#define PERF_VERDICT_NOISE_H

#include "random.h"

#include <stdbool.h>

#define ROWS_MAX 80
#define RUNS_MAX 20

/* Models of noise. CV is the coefficient of variation between runs.
 *
 * POISSON   only sampling noise
 * OVER      noise between runs of each function, with a CV of about 5 % (lognormal, up to 50 %);
 *           in addition, noise of 6 % that all functions of a run share
 * BURSTY    samples occur in clusters, with three times Poisson's variance
 * OUTLIER   8 % of the functions have a CV of 40 %, the others 2 %; shared noise of 6 %
 * DRIFT     the machine gets 15 % slower during the session, and another 10 % slower for 40 % of
 *           the functions; CV of 1 %, shared noise of 3 % */
enum noise_model { POISSON, OVER, BURSTY, OUTLIER, DRIFT, NOISE_MODELS };
extern const char *const noise_names[NOISE_MODELS];

struct noise_case {
  enum noise_model model;
  size_t side;       /* number of runs of the head, and usually of the base */
  size_t fewer;      /* number of runs of the base if it has fewer runs, spread over the session; 0:
                        the same number as the head */
  double samples;    /* mean number of samples of a run */
  bool in_turns;     /* true if base and head alternate; false if all runs of the base come first */
  size_t rows;       /* number of functions */
  size_t changed;    /* number of functions that change */
  double effect;     /* relative change; three of four changed functions become slower */
  double lone_share; /* share of row 0 in the total if only this function changes; 0: several
                        functions change */
  double least;      /* minimum number of samples per run for a function that the model judges; the
                        function also needs 10 samples in all runs */
};

/* Simulated runs, with the true shares and changes. */
struct noise_draw {
  size_t rows, runs, bases;
  double samples, least;
  double values[ROWS_MAX * RUNS_MAX];
  double share[ROWS_MAX]; /* share of each function in the total of the base */
  double truth[ROWS_MAX]; /* true change of each function's mean, in samples per run */
};

void noise_draw(struct random_source *r, const struct noise_case *what, struct noise_draw *draw);

#endif
