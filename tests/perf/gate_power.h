/* What the simulations of the gate share. */
#ifndef PPROFC_GATE_POWER_TEST_H
#define PPROFC_GATE_POWER_TEST_H

#include "gate/gate.h"

#define BENCHMARKS 100
#define CHANGED    5 /* benchmarks of a suite that regressed */
#define SAMPLES    10

struct random {
  uint64_t state;
};

double uniform(struct random *r);
double normal(struct random *r);

/* Shapes of noise: all but OUTLIERS have mean 0 and standard deviation 1. */
enum shape { NORMAL, SKEWED, BIMODAL, OUTLIERS, DRIFTING, SHAPES };

/* One sample of a benchmark that takes 1. */
double sample_once(struct random *r, enum shape shape, double noise);

/* Ends the program if memory is short. */
void must(bool good);

/* Compares two samples of SAMPLES values and adds a row named "changed" or "same". */
void add_row(struct gate *gate, bool changed, const double *base, const double *head);

/* Prints that a target was missed; returns false. */
bool complain(enum shape shape, double noise, const char *what, double value);

/* The largest share of unchanged suites with an alarm that `count` suites may show. */
double most_alarms(size_t count);

/* Simulates suites with noise of rounds. False if a target was missed. */
bool print_rounds(size_t count);

#endif
