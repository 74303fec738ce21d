/* Holding profiles against each other, for unit tests and fuzz targets. */
#ifndef TESTS_SUPPORT_COMPARE_H
#define TESTS_SUPPORT_COMPARE_H

#include "pprofc/profile.h"

/* What one comparison found: `what` is NULL as long as everything was equal, else it names the
 * first difference, which was in element `index`. */
struct difference {
  const char *what;
  size_t index;
};

/* Holds a profile against what protobuf-c reads from the (inflated) bytes that it was decoded from.
 * False when protobuf-c does not accept the bytes, which it may where they bend the rules of
 * protobuf. */
bool compare_with_protobuf_c(const void *bytes, size_t size, const pprofc_profile *profile,
                             struct difference *difference);

/* Holds two profiles against each other through the public views, text by text. Labels may come in
 * another order, and labels that a written profile cannot hold (no text, or 0 without unit) may be
 * missing. */
void compare_profiles(const pprofc_profile *a, const pprofc_profile *b,
                      struct difference *difference);

#endif
