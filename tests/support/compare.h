/* Compares profiles, for unit tests and fuzz targets. */
#ifndef TESTS_SUPPORT_COMPARE_H
#define TESTS_SUPPORT_COMPARE_H

#include "pprofc/profile.h"

/* Result of a comparison. `what` is NULL if everything was equal, else it names the first
 * difference, at element `index`. */
struct difference {
  const char *what;
  size_t index;
};

/* Compares a profile with the result of protobuf-c for the same inflated bytes. False if protobuf-c
 * rejects the bytes, which may break the rules of protobuf. */
bool compare_with_protobuf_c(const void *bytes, size_t size, const pprofc_profile *profile,
                             struct difference *difference);

/* Compares two profiles through the public views, text by text. Labels may have another order.
 * Labels that a written profile cannot have (no text, or 0 without unit) may be missing. */
void compare_profiles(const pprofc_profile *a, const pprofc_profile *b,
                      struct difference *difference);

#endif
