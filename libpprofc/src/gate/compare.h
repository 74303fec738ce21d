/* Compares the samples of base and head: means or medians, change, interval, p-value and drift. */
#ifndef PPROFC_GATE_COMPARE_H
#define PPROFC_GATE_COMPARE_H

#include "gate/gate.h"

/* A sample: its values in the order of measurement, and the same values sorted. */
struct gate_sample {
  const double *values, *sorted;
  size_t count;
};

/* Runs the test `test`. Fills in the centers (means or medians), delta, interval and p of the row.
 * Returns false when out of memory. */
bool gate_compare(const struct gate *gate, struct gate_row *row, struct gate_sample base,
                  struct gate_sample head, pprofc_gate_test test);

/* Returns the smallest p-value that the exact U test can give. */
double gate_smallest_p(size_t base_count, size_t head_count);

/* Values of base or of head, in the order of measurement. `rounds` has the round of each value, or
 * is NULL. */
struct gate_side {
  const double *values;
  const uint32_t *rounds;
  size_t count;
};

/* Compares base and head by the settings of the gate, and fills in the row. Compares medians of
 * rounds if base and head each have at least 4 rounds. An exact row (a count of events) needs no
 * test; its noise is three times the larger relative range of base and head. Returns false when out
 * of memory. */
bool gate_compare_sides(const struct gate *gate, struct gate_row *row, struct gate_side base,
                        struct gate_side head);

/* Sets *cut to the number of values of U at each end of its range that are significant at alpha in
 * a two-sided test. Returns false when out of memory. */
bool gate_u_cut(size_t n, size_t m, double alpha, size_t *cut, const pprofc_allocator *mem);

/* Computes the Hodges-Lehmann interval of the relative change, which is the ratio head / base
 * minus 1. The bounds are NaN if there is no interval. Returns false when out of memory. */
bool gate_ratio_interval(const struct gate *gate, struct gate_sample base, struct gate_sample head,
                         double alpha, double *low, double *high);

/* ---- power ------------------------------------------ */

/* Computes the smallest change that a comparison finds, and the number of samples that finds a
 * given change. A test finds a change if its two-sided p-value is at most `level` in a share
 * GATE_POWER of runs. Noise is normal and proportional to the value. Welch's test uses the
 * noncentral t distribution with the degrees of freedom of Welch and Satterthwaite. Up to 50
 * samples each of base and head, U is simulated with a fixed seed. For more samples, U finds
 * sqrt(pi / 3) times the change of Welch's test. */

#define GATE_POWER 0.8

struct gate_design {
  double base_noise, head_noise; /* standard deviation divided by the mean, for base and for head */
  double base_count, head_count; /* number of samples of base and of head */
  int direction; /* 1 if higher is better, so that a decrease is worse; otherwise an increase is
                    worse */
  double level;  /* p-value up to which a change is significant */
  bool ranks;    /* true for the U test, false for Welch's test */
};

/* Shift of the head that the U test finds, for two sample sizes and a significance level
 * (simulated). */
struct gate_power_known {
  size_t n, m;
  double level, shift;
};

struct gate_power {
  struct buffer known;
};

void gate_power_init(struct gate_power *power, const pprofc_allocator *mem);
void gate_power_free(struct gate_power *power);

/* Returns the share of runs in which Welch's test finds `change`, a relative change for the
 * worse. */
double gate_power_welch(const struct gate_design *design, double change);

/* Returns the value at index `k` in ascending order. Reorders the values. */
double gate_power_select(double *values, size_t count, size_t k);

/* Computes the smallest relative change for the worse that the test finds; infinite if an increase
 * of 1000 % or a decrease of 100 % is not enough. Returns false when out of memory. */
bool gate_power_visible(struct gate_power *power, const struct gate_design *design, double *change);

/* Computes the smallest number of samples in base and in head that finds the change. The result is
 * infinite if 10,000 samples are not enough. Returns false when out of memory. */
bool gate_power_samples(struct gate_power *power, const struct gate_design *design, double change,
                        double *samples);

#endif
