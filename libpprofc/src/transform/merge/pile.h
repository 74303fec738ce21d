/* Adds up a sequence of profiles. Adding each profile to one sum would write the sum once per
 * profile. Instead eight profiles are merged at a time, then eight of the results, and so on:
 * each sample is written about log8(number of profiles) times. */
#ifndef PPROFC_TRANSFORM_MERGE_PILE_H
#define PPROFC_TRANSFORM_MERGE_PILE_H

#include "core/error.h"
#include "profile/profile.h"

#define PILE_WIDTH  8u
#define PILE_LEVELS 22u /* enough for 2^64 profiles */

struct pile {
  pprofc_profile
      *items[PILE_WIDTH * PILE_LEVELS]; /* groups in the order added, with descending levels */
  unsigned char levels[PILE_WIDTH * PILE_LEVELS];
  size_t count;
  unsigned threads; /* threads of each merge; 0: one per processor */
  bool chain;       /* true: the order of additions matters, so the only item is the sum of all */
};

/* Appends the profile and takes it over. The final sum has the same bytes as adding the
 * profiles one after the other. */
pprofc_status pile_add(struct pile *pile, pprofc_profile *profile, pprofc_error *error);

/* Stores the sum of all profiles in *sum, or NULL if there are no profiles. The pile is empty
 * afterwards, also after an error. */
pprofc_status pile_end(struct pile *pile, pprofc_profile **sum, pprofc_error *error);

/* Releases the remaining profiles. */
void pile_free(struct pile *pile);

#endif
