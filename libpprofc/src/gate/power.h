/* Computes the smallest change that a comparison finds, and the number of samples that finds a
 * given change. A test finds a change if its two-sided p-value is at most `level` in a share
 * GATE_POWER of runs. Noise is normal and proportional to the value. Welch's test uses the
 * noncentral t distribution with the degrees of freedom of Welch and Satterthwaite. Up to 50
 * samples a side, U is simulated with a fixed seed. For more samples, U finds sqrt(pi / 3) times
 * the change of Welch's test. */
#ifndef PPROFC_GATE_POWER_H
#define PPROFC_GATE_POWER_H

#include "core/buffer.h"

#define GATE_POWER 0.8

struct gate_design {
  double base_noise, head_noise; /* standard deviation divided by the mean, for base and for head */
  double base_count, head_count; /* number of samples of base and of head */
  int direction; /* 1: higher is better, so a change for the worse is a decrease; otherwise it is an
                    increase */
  double level;  /* p-value up to which a change is significant */
  bool ranks;    /* true for the U test, false for Welch's test */
};

/* Result of a simulation for the two sample sizes and a level. */
struct gate_power_known {
  size_t n, m;
  double level, shift;
};

struct gate_power {
  struct buffer known;
};

void gate_power_init(struct gate_power *power, const pprofc_allocator *mem);
void gate_power_free(struct gate_power *power);

/* Returns the share of runs in which Welch's test finds a change for the worse. */
double gate_power_welch(const struct gate_design *design, double change);

/* Returns the value at index `k` in ascending order. Reorders the values. */
double gate_power_select(double *values, size_t count, size_t k);

/* Computes the smallest relative change for the worse that the test finds. It is infinite for an
 * increase above 1000 % or a decrease above 100 %. Returns false when out of memory. */
bool gate_power_visible(struct gate_power *power, const struct gate_design *design, double *change);

/* Computes the smallest number of samples on each side that finds the change. It is infinite if it
 * exceeds 10,000. Returns false when out of memory. */
bool gate_power_samples(struct gate_power *power, const struct gate_design *design, double change,
                        double *samples);

#endif
