/* A difference without the search for equal samples, for reports that only sum values. */
#ifndef PPROFC_TRANSFORM_COMBINE_DIFF_H
#define PPROFC_TRANSFORM_COMBINE_DIFF_H

#include "pprofc/transform.h"

/* As pprofc_diff with PPROFC_COMPARE, but equal samples are not joined: the result has the samples
 * of head that are not all zero, then those of base. Locations may be numbered in another order,
 * and unused locations are kept. Takes both profiles over and reuses their memory. */
pprofc_status transform_diff_unmerged(pprofc_profile *head, pprofc_profile *base, bool normalize,
                                      pprofc_profile **difference, pprofc_error *error);

/* Head scaled so that each of its sums is that of base. */
pprofc_status transform_normalize(const pprofc_profile *head, const pprofc_profile *base,
                                  pprofc_profile **out, pprofc_error *error);

/* Whether both kinds of difference have the same flat and cumulative sums and the same total, which
 * is so when equal samples have the same sign. */
bool transform_diff_unmerged_is_exact(const pprofc_profile *head, const pprofc_profile *base,
                                      pprofc_diff_kind kind);

#endif
