/* The difference of two profiles: the samples of the second follow those of the first. */
#ifndef PPROFC_TRANSFORM_COMBINE_APPEND_H
#define PPROFC_TRANSFORM_COMBINE_APPEND_H

#include "core/error.h"
#include "profile/profile.h"

/* The samples of head that are not all zero, then those of base, negated and labelled; locations
 * and functions of both are merged. Takes both profiles over. Columns without another reference are
 * freed while the result grows, so that no column of samples is in memory twice. Stacks of both may
 * be trees; then PPROFC_E_NO_MATCH says that the order of samples matters, which trees do not have.
 */
pprofc_status append_difference(pprofc_profile *head, pprofc_profile *base,
                                pprofc_profile **difference, pprofc_error *error);

#endif
