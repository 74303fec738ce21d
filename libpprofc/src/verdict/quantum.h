/* Describes how a sample type was sampled. The quantum is the sampling variance of a value per unit
 * of value. If all samples have the same value, the quantum is that value. */
#ifndef PPROFC_VERDICT_QUANTUM_H
#define PPROFC_VERDICT_QUANTUM_H

#include "profile/profile.h"

enum sampling_kind {
  SAMPLING_EXACT,  /* every event was counted */
  SAMPLING_PERIOD, /* the profile has one sample per period */
  SAMPLING_COUNTS, /* a second column has the number of samples */
  SAMPLING_HEAP,   /* the profile has one sample per `period` bytes on average */
  SAMPLING_EVENTS, /* mutex and block profiles: the noise is a lower bound */
  SAMPLING_MOMENT, /* the profile counts states at a moment: goroutines, threads */
  SAMPLING_UNKNOWN /* the profile does not show how values were sampled */
};

struct quantum {
  enum sampling_kind sampling;
  size_t value; /* column of the sample type */
  /* for heap profiles: columns with the number of objects and with the bytes; `objects` may be
   * SIZE_MAX (missing) */
  size_t objects, space;
  double period;
};

/* True if values grow with the duration of a run and depend on the speed of the machine. */
static inline bool quantum_has_speed(enum sampling_kind kind) {
  return kind != SAMPLING_EXACT && kind != SAMPLING_HEAP && kind != SAMPLING_MOMENT;
}

/* Returns how the column `value` was sampled. The first matching row applies:
 *
 *   heap profile (the period is space), alloc or inuse   Horvitz-Thompson, from size and rate
 *   the first type is contentions                        value over contentions, a lower bound
 *   the period type, a count, with a period of 1         1: the state at one moment
 *   the period type, with a period above 0               the period
 *   the first type is samples/count                      value over samples
 *   no period type, not a time                           exact: counts of instructions
 *   the first type is another count                      value over count
 *   a period type in the same unit                       the period
 *   multiples of one value, no period                    that value
 *   anything else                                        not known */
struct quantum quantum_of(const pprofc_profile *profile, size_t value);

/* Returns the sampling variance of a sample's value per unit of value. Returns 0 if the value is
 * exact or the sampling is unknown. */
double quantum_of_sample(const struct quantum *quantum, const int64_t *values);

#endif
