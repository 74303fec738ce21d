/* Makes the difference of two profiles by appending the samples of one profile to the samples of
 * the other. */
#ifndef PPROFC_TRANSFORM_COMBINE_APPEND_H
#define PPROFC_TRANSFORM_COMBINE_APPEND_H

#include "core/error.h"
#include "profile/profile.h"

/* Makes the difference: the samples of head that are not all zero, then the samples of base,
 * negated and labelled. Locations and functions of both profiles are merged. Takes ownership of
 * both profiles. Frees columns without another reference while the result grows, so no column of
 * samples is in memory twice. Returns PPROFC_E_NO_MATCH if both profiles have stack trees and the
 * result would depend on the order of samples, which trees do not keep. */
pprofc_status append_difference(pprofc_profile *head, pprofc_profile *base,
                                pprofc_profile **difference, pprofc_error *error);

#endif
