/* Adding up any number of profiles that come one after the other, each once. A sum to which every
 * profile is added is written anew for each: here eight are merged at a time, and then eight of
 * those, so that a sample is written again as often as the number of profiles has octal digits. */
#ifndef PPROFC_TRANSFORM_MERGE_PILE_H
#define PPROFC_TRANSFORM_MERGE_PILE_H

#include "core/error.h"
#include "profile/profile.h"

#define PILE_WIDTH  8u
#define PILE_LEVELS 22u /* of 64-bit counts */

struct pile {
  pprofc_profile *items[PILE_WIDTH * PILE_LEVELS]; /* in their order; their levels go down */
  unsigned char levels[PILE_WIDTH * PILE_LEVELS];
  size_t count;
  unsigned threads; /* of merges; 0: as many as there are processors */
  bool chain;       /* the order of additions counts: the first item is the sum of all */
};

/* Adds the profile, which it takes over, behind all others. The result of all is, to the byte, that
 * of adding them to a sum one after the other. */
pprofc_status pile_add(struct pile *pile, pprofc_profile *profile, pprofc_error *error);

/* Adds all up into *sum, NULL when there are none. The pile is empty after that, and after an
 * error. */
pprofc_status pile_end(struct pile *pile, pprofc_profile **sum, pprofc_error *error);

/* Releases what is left. */
void pile_free(struct pile *pile);

#endif
