/* The comparison of two samples: centers, effect, interval, p-value, drift. */
#ifndef PPROFC_GATE_COMPARE_H
#define PPROFC_GATE_COMPARE_H

#include "gate/gate.h"
#include "gate/interval.h"
#include "stats/utest_known.h"

/* A sample in the order in which it was measured, and sorted. */
struct gate_sample {
  const double *values, *sorted;
  size_t count;
};

/* What tests of samples of the same sizes have in common: tails of U, the cut of U, quantiles of t.
 */
struct gate_known {
  struct u_known u;
  struct interval_known interval;
  size_t n, m, cut;
  double alpha;
};

/* Fills centers, delta, interval and p of the row, by the test. False when out of memory. */
bool gate_compare(const struct gate *gate, struct gate_row *row, struct gate_sample base,
                  struct gate_sample head, enum gate_test test);

/* The relative change along a sample by its regression line; *drifts when that is no noise. */
double gate_trend(struct gate_sample sample, bool *drifts);

/* The smallest p-value that the exact U test can give. */
double gate_smallest_p(size_t base_count, size_t head_count);

/* The values of one side in the order in which they were measured. `rounds` has one number a value,
 * or is NULL. */
struct gate_side {
  const double *values;
  const uint32_t *rounds;
  size_t count;
};

/* Fills the row from both sides by the settings of the gate. With at least 4 rounds a side, the
 * medians of rounds are compared. False when out of memory. */
bool gate_compare_sides(const struct gate *gate, struct gate_row *row, struct gate_side base,
                        struct gate_side head);

/* How many values of U at each end are significant at alpha, two-sided; 0 when none is. False when
 * out of memory. */
bool gate_u_cut(size_t n, size_t m, double alpha, size_t *cut, const pprofc_allocator *mem);

/* Hodges-Lehmann interval of the ratios head / base minus 1; NaN where there is none. False when
 * out of memory. */
bool gate_ratio_interval(const struct gate *gate, struct gate_sample base, struct gate_sample head,
                         double alpha, double *low, double *high);

#endif
