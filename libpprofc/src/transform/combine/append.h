/* The difference of two profiles as their samples behind each other. */
#ifndef PPROFC_TRANSFORM_COMBINE_APPEND_H
#define PPROFC_TRANSFORM_COMBINE_APPEND_H

#include "core/error.h"
#include "profile/profile.h"

/* The samples of head that are not all zero, then those of base, negated and labelled; locations
 * and functions of both are merged. Takes both profiles over. What nobody else holds is given back
 * while the result grows: at no time are there two of the columns of samples. */
pprofc_status append_difference(pprofc_profile *head, pprofc_profile *base,
                                pprofc_profile **difference, pprofc_error *error);

#endif
