/* Compares the samples of base and head: centers, effect, interval, p-value and drift. */
#ifndef PPROFC_GATE_COMPARE_H
#define PPROFC_GATE_COMPARE_H

#include "gate/gate.h"

/* A sample: its values in the order of measurement, and the same values sorted. */
struct gate_sample {
  const double *values, *sorted;
  size_t count;
};

/* Fills in centers, delta, interval and p of the row with the result of the given test. Returns
 * false when out of memory. */
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

/* Compares both sides by the settings of the gate, and fills in the row. Compares medians of rounds
 * if each side has at least 4 rounds. An exact row needs no test. Its noise is three times the
 * range of a side, relative to the median. Returns false when out of memory. */
bool gate_compare_sides(const struct gate *gate, struct gate_row *row, struct gate_side base,
                        struct gate_side head);

/* Sets *cut to the number of values at each end of U's range that are significant at alpha in a
 * two-sided test. 0 means that no value is significant. Returns false when out of memory. */
bool gate_u_cut(size_t n, size_t m, double alpha, size_t *cut, const pprofc_allocator *mem);

/* Computes the Hodges-Lehmann interval of the relative change, which is the ratio head / base
 * minus 1. The bounds are NaN if there is no interval. Returns false when out of memory. */
bool gate_ratio_interval(const struct gate *gate, struct gate_sample base, struct gate_sample head,
                         double alpha, double *low, double *high);

#endif
