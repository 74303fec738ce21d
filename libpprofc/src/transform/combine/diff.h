/* Differences for those who only add up: reports that need no sample looked up twice. */
#ifndef PPROFC_TRANSFORM_COMBINE_DIFF_H
#define PPROFC_TRANSFORM_COMBINE_DIFF_H

#include "pprofc/transform.h"

/* As pprofc_diff with PPROFC_COMPARE, but equal samples stay beside each other: those of head that
 * are not all zero, then those of base. Locations may be numbered in another order, and some may be
 * there that no sample uses. Takes both profiles over, so that their memory can be used. */
pprofc_status transform_diff_unmerged(pprofc_profile *head, pprofc_profile *base, bool normalize,
                                      pprofc_profile **difference, pprofc_error *error);

/* Whether both kinds of difference give the same flat and cumulative sums and the same total: equal
 * samples must have the same sign. */
bool transform_diff_unmerged_is_exact(const pprofc_profile *head, const pprofc_profile *base,
                                      pprofc_diff_kind kind);

#endif
