/* Declares functions shared by the simulations of the gate. */
#ifndef PPROFC_GATE_POWER_TEST_H
#define PPROFC_GATE_POWER_TEST_H

#include "gate/gate.h"

#define BENCHMARKS 100
#define CHANGED    5 /* number of benchmarks in a suite that regressed */
#define SAMPLES    10

struct random {
  uint64_t state;
};

double uniform(struct random *r);
double normal(struct random *r);

/* Types of noise. All except OUTLIERS have mean 0 and standard deviation 1. */
enum shape { NORMAL, SKEWED, BIMODAL, OUTLIERS, DRIFTING, SHAPES };

extern const char *const shape_names[SHAPES];

/* Returns one sample of a benchmark whose mean time is 1. */
double sample_once(struct random *r, enum shape shape, double noise);

/* Ends the program with an error if `good` is false, which means out of memory. */
void must(bool good);

/* Compares two samples of SAMPLES values and adds a row named "changed" or "same". */
void add_row(struct gate *gate, bool changed, const double *base, const double *head);

/* Prints that a target was missed. Returns false. */
bool complain(enum shape shape, double noise, const char *what, double value);

/* Returns the maximum permitted share of unchanged suites with an alarm, for `count` suites. */
double most_alarms(size_t count);

/* Simulates suites that are measured in two stages. Returns false if a target was missed. */
bool print_stages(size_t count);

/* Simulates suites with noise between rounds. Returns false if a target was missed. */
bool print_rounds(size_t count);

#endif
