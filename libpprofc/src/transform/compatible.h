/* Making profiles comparable before they are merged: the sample types all have, in one order and
 * one unit. */
#ifndef PPROFC_TRANSFORM_COMPATIBLE_H
#define PPROFC_TRANSFORM_COMPATIBLE_H

#include "core/error.h"
#include "profile/profile.h"

/* Fills out[count] with the profiles, edited where they must be, each to be released. On failure
 * nothing is left to release. Sections 6.1 and 6.2. */
pprofc_status compatible_profiles(const pprofc_profile *const *profiles, size_t count,
                                  pprofc_profile **out, pprofc_error *error);

/* Fails when the period type or a sample type of two profiles is not exactly the same. */
pprofc_status compatible_check(const pprofc_profile *a, const pprofc_profile *b,
                               pprofc_error *error);

#endif
