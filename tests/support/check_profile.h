/* Rules of a valid profile, for unit tests. */
#ifndef TESTS_SUPPORT_CHECK_PROFILE_H
#define TESTS_SUPPORT_CHECK_PROFILE_H

#include "pprofc/profile.h"

/* Checks the rules of a valid profile in a fixed order. Sets the message of the first rule that
 * fails ("sample has nil location"). */
pprofc_status profile_check(const pprofc_profile *profile, pprofc_error *error);

#endif
