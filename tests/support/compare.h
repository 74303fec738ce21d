/* Compares profiles, for unit tests and fuzz targets. */
#ifndef TESTS_SUPPORT_COMPARE_H
#define TESTS_SUPPORT_COMPARE_H

#include "pprofc/profile.h"

/* Result of a comparison. `what` is NULL if everything was equal. Otherwise `what` names the first
 * difference, at element `index`. */
struct difference {
  const char *what;
  size_t index;
};

/* Compares a profile with protobuf-c's result for the same uncompressed bytes. Returns false if
 * protobuf-c rejects the bytes, which can happen if they violate the rules of protobuf. */
bool compare_with_protobuf_c(const void *bytes, size_t size, const pprofc_profile *profile,
                             struct difference *difference);

/* Compares two profiles through the public views, text by text. The order of labels may differ.
 * Labels that cannot be written (no text, or 0 without unit) may be missing. */
void compare_profiles(const pprofc_profile *a, const pprofc_profile *b,
                      struct difference *difference);

#endif
