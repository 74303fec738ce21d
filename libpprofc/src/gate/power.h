/* The smallest change that a comparison can find, and the samples that a change needs.
 *
 * A change is found when its p-value, two-sided, is at most `level`, in GATE_POWER of runs. Noise
 * is normal, and grows with the value. Welch's test: the noncentral t distribution with the degrees
 * of freedom of Welch and Satterthwaite. U: simulated with a fixed seed up to 50 samples a side,
 * beyond that sqrt(pi / 3) times the change that Welch's test finds. */
#ifndef PPROFC_GATE_POWER_H
#define PPROFC_GATE_POWER_H

#include "core/buffer.h"

#define GATE_POWER 0.8

struct gate_design {
  double base_noise, head_noise; /* standard deviation by mean */
  double base_count, head_count; /* samples */
  int direction;                 /* 1: higher is better, so that a value falls; else it rises */
  double level;                  /* p at which a change counts */
  bool ranks;                    /* U, not Welch */
};

/* Results of simulation, by size and level. */
struct gate_power_known {
  size_t n, m;
  double level, shift;
};

struct gate_power {
  struct buffer known;
};

void gate_power_init(struct gate_power *power, const pprofc_allocator *mem);
void gate_power_free(struct gate_power *power);

/* The share of runs in which Welch's test finds the change for the worse. */
double gate_power_welch(const struct gate_design *design, double change);

/* The same for noise that does not grow with the change. */
double gate_power_shift(const struct gate_design *design, double change);

/* The t at which the two-sided test reaches the level; `near` is near it. */
double gate_power_critical(double level, double degrees, double near);

/* The value with index `k` in ascending order; reorders the values. */
double gate_power_select(double *values, size_t count, size_t k);

/* The smallest relative change for the worse that is found; infinite when there is none up to
 * 1000 %, or to zero. False when out of memory. */
bool gate_power_visible(struct gate_power *power, const struct gate_design *design, double *change);

/* Samples a side that find the change; infinite when that is more than 10,000. False when out of
 * memory. */
bool gate_power_samples(struct gate_power *power, const struct gate_design *design, double change,
                        double *samples);

#endif
