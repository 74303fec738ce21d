/* Makes profiles comparable before they are merged: keeps the sample types that all profiles have,
 * in one order and one unit. */
#ifndef PPROFC_TRANSFORM_COMPATIBLE_H
#define PPROFC_TRANSFORM_COMPATIBLE_H

#include "core/error.h"
#include "profile/profile.h"

/* Stores the profiles in out[count], each edited if necessary; the caller releases each profile. On
 * failure there is nothing to release (docs/spec/pprof.md, 6.1 and 6.2). */
pprofc_status compatible_profiles(const pprofc_profile *const *profiles, size_t count,
                                  pprofc_profile **out, pprofc_error *error);

/* Fails if the two profiles differ in the period type or a sample type. */
pprofc_status compatible_check(const pprofc_profile *a, const pprofc_profile *b,
                               pprofc_error *error);

#endif
