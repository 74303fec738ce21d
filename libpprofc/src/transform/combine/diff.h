/* A difference without the search for equal samples, for reports that only sum values. */
#ifndef PPROFC_TRANSFORM_COMBINE_DIFF_H
#define PPROFC_TRANSFORM_COMBINE_DIFF_H

#include "pprofc/transform.h"

/* As pprofc_diff with PPROFC_COMPARE, but equal samples are not joined: the result has the samples
 * of head that are not all zero, then those of base. Locations may be numbered in another order,
 * and unused locations are kept. Takes both profiles over and reuses their memory. */
pprofc_status transform_diff_unmerged(pprofc_profile *head, pprofc_profile *base, bool normalize,
                                      pprofc_profile **difference, pprofc_error *error);

/* Whether the base may be one whose samples were added up without labels while it was read. Not
 * where a value is so large that pprof rounds it when it is subtracted, since a sum is rounded in
 * another way; nor where samples of the head may be equal to those of a base. */
bool transform_diff_base_serves(const pprofc_profile *head, const pprofc_profile *base);

/* Whether one of the two was read for sums only (PPROFC_FOLD_SUMS), so that no other difference can
 * be made of it. */
bool transform_diff_is_of_sums(const pprofc_profile *head, const pprofc_profile *base);

/* The difference of two such profiles, or of one and another that was read in any other way, as
 * transform_diff_unmerged makes it. PPROFC_E_NO_MATCH: it cannot be told from what was read; both
 * are to be read with the samples in order and all their values (PPROFC_FOLD_STACKS). Takes both
 * profiles over. */
pprofc_status transform_diff_sums(pprofc_profile *head, pprofc_profile *base,
                                  pprofc_profile **difference, pprofc_error *error);

/* Head scaled so that each of its sums is that of base. */
pprofc_status transform_normalize(const pprofc_profile *head, const pprofc_profile *base,
                                  pprofc_profile **out, pprofc_error *error);

/* Whether both kinds of difference have the same flat and cumulative sums and the same total, which
 * is so when equal samples have the same sign. */
bool transform_diff_unmerged_is_exact(const pprofc_profile *head, const pprofc_profile *base,
                                      pprofc_diff_kind kind);

#endif
