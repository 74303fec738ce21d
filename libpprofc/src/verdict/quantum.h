/* How values of a sample type were sampled: the variance of a value for each of its units. */
#ifndef PPROFC_VERDICT_QUANTUM_H
#define PPROFC_VERDICT_QUANTUM_H

#include "profile/profile.h"

enum sampling_kind {
  SAMPLING_EXACT,  /* every event was counted */
  SAMPLING_PERIOD, /* one sample for each period */
  SAMPLING_COUNTS, /* samples are counted beside the value */
  SAMPLING_HEAP,   /* one sample for each `period` bytes on average */
  SAMPLING_EVENTS, /* mutex and block profiles: a lower bound */
  SAMPLING_UNKNOWN /* the profile does not say */
};

struct quantum {
  enum sampling_kind sampling;
  size_t value;          /* index of the sample type */
  size_t objects, space; /* of heap profiles; objects is SIZE_MAX when there is none */
  double period;
};

/* How column `value` was sampled, by the first of these that fits:
 *
 *   heap profile (the period is space), alloc or inuse   Horvitz-Thompson, from size and rate
 *   the type is the period's, which is above 0           the period
 *   the first type is samples/count                      value over samples
 *   the profile has no period type                       exact: counts of instructions
 *   contentions beside a delay                           value over contentions, a lower bound
 *   the first type is another count                      value over count
 *   a period in the same unit                            the period
 *   anything else                                        not known */
struct quantum quantum_of(const pprofc_profile *profile, size_t value);

/* The variance of a sample's value for each of its units; 0 when it is exact or not known. */
double quantum_of_sample(const struct quantum *quantum, const int64_t *values);

#endif
