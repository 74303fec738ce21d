/* Makes profiles comparable before they are merged: keeps the sample types that all profiles have,
 * in one order and one unit. */
#ifndef PPROFC_TRANSFORM_COMPATIBLE_H
#define PPROFC_TRANSFORM_COMPATIBLE_H

#include "core/error.h"
#include "profile/profile.h"

/* Makes profiles compatible and stores them in out[0 .. count - 1]. The caller releases each of
 * them; after a failure there is nothing to release (docs/spec/pprof.md, 6.1 and 6.2). */
pprofc_status compatible_profiles(const pprofc_profile *const *profiles, size_t count,
                                  pprofc_profile **out, pprofc_error *error);

/* Returns an error if the period type or a sample type of the two profiles differs. */
pprofc_status compatible_check(const pprofc_profile *a, const pprofc_profile *b,
                               pprofc_error *error);

#endif
