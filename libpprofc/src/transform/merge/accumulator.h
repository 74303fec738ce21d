/* Adds up a sequence of profiles. Adding each profile to one sum would write the sum again for each
 * profile. Instead the accumulator collects 16 profiles, and then merges them into one sum. */
#ifndef PPROFC_TRANSFORM_MERGE_ACCUMULATOR_H
#define PPROFC_TRANSFORM_MERGE_ACCUMULATOR_H

#include "profile/profile.h"

#define ACCUMULATOR_WIDTH 16u

struct accumulator {
  pprofc_profile *items[ACCUMULATOR_WIDTH]; /* sum of the first profiles, then the next profiles */
  size_t count;
  unsigned threads; /* number of threads of each merge; 0: one per processor */
  bool chain; /* true if the order of additions matters, so that each profile is added at once */
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
