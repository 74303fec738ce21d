/* Adds up a sequence of profiles. Adding each profile to one sum would write the sum again for each
 * profile. Instead the accumulator merges eight profiles at a time, then eight of the results, and
 * so on. So each sample is written about log8(number of profiles) times. */
#ifndef PPROFC_TRANSFORM_MERGE_ACCUMULATOR_H
#define PPROFC_TRANSFORM_MERGE_ACCUMULATOR_H

#include "profile/profile.h"

#define ACCUMULATOR_WIDTH  8u
#define ACCUMULATOR_LEVELS 22u /* number of levels, enough for 2^64 profiles */

struct accumulator {
  /* Partial sums, each of consecutive profiles, in the order of the profiles. The level of a sum is
   * the number of merges that each of its profiles went through. A later sum never has a higher
   * level. */
  pprofc_profile *items[ACCUMULATOR_WIDTH * ACCUMULATOR_LEVELS];
  unsigned char levels[ACCUMULATOR_WIDTH * ACCUMULATOR_LEVELS];
  size_t count;
  unsigned threads; /* number of threads of each merge; 0: one per processor */
  /* True if the order of additions matters. `items` then has one item, the sum of all profiles so
   * far. */
  bool chain;
};

/* Appends the profile and takes ownership of it. The final sum has the same bytes as if each
 * profile had been added to the sum of the profiles before it. */
pprofc_status accumulator_add(struct accumulator *accumulator, pprofc_profile *profile,
                              pprofc_error *error);

/* Stores the sum of all profiles in *sum, or NULL if there are no profiles. The accumulator is
 * empty afterwards, also after an error. */
pprofc_status accumulator_end(struct accumulator *accumulator, pprofc_profile **sum,
                              pprofc_error *error);

void accumulator_free(struct accumulator *accumulator);

#endif
