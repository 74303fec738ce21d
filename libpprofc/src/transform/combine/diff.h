/* Makes a difference for reports that only sum values. Equal samples (with equal stacks and labels)
 * stay separate. */
#ifndef PPROFC_TRANSFORM_COMBINE_DIFF_H
#define PPROFC_TRANSFORM_COMBINE_DIFF_H

#include "pprofc/transform.h"

/* Works like pprofc_diff with PPROFC_COMPARE, but does not join equal samples. The result has the
 * samples of head that have a nonzero value, then the samples of base. Locations may have other
 * numbers than after pprofc_diff, and unused locations remain. Takes ownership of both profiles. */
pprofc_status transform_diff_unmerged(pprofc_profile *head, pprofc_profile *base, bool normalize,
                                      pprofc_profile **difference, pprofc_error *error);

/* True if `base` gives the same difference as the file from which it was read. The reader may have
 * added up samples and dropped labels (base->folded). */
bool transform_diff_base_serves(const pprofc_profile *head, const pprofc_profile *base);

/* True if at least one profile stores its stacks as a tree (profile/stack_tree.h). Only
 * transform_diff_sums can subtract profiles with a tree. */
bool transform_diff_is_of_sums(const pprofc_profile *head, const pprofc_profile *base);

/* Works like transform_diff_unmerged if one or both profiles have a stack tree. With
 * PPROFC_SUBTRACT, joins equal samples, as pprofc_diff does. Returns PPROFC_E_NO_MATCH if the
 * difference needs samples or values that a tree does not contain. Takes ownership of both
 * profiles. */
pprofc_status transform_diff_sums(pprofc_profile *head, pprofc_profile *base, pprofc_diff_kind kind,
                                  pprofc_profile **difference, pprofc_error *error);

/* Makes the difference: the samples of head that have a nonzero value, then the samples of
 * base, negated. With PPROFC_COMPARE, the samples of base get the label pprof::base. Locations and
 * functions of both profiles are merged. Takes ownership of both profiles. While the result grows,
 * frees each column that nothing else refers to, so no column of samples is in memory twice.
 * Returns PPROFC_E_NO_MATCH if both profiles have stack trees and the result would depend on the
 * order of samples, which trees do not keep. */
pprofc_status append_difference(pprofc_profile *head, pprofc_profile *base, pprofc_diff_kind kind,
                                pprofc_profile **difference, pprofc_error *error);

/* Scales head so that the sum of each type equals the sum in base. */
pprofc_status transform_normalize(const pprofc_profile *head, const pprofc_profile *base,
                                  pprofc_profile **out, pprofc_error *error);

/* True if transform_diff_unmerged gives the same flat values, cumulative values and total as
 * pprofc_diff. It does not if a value is negative, or if head has base labels. */
bool transform_diff_unmerged_is_exact(const pprofc_profile *head, const pprofc_profile *base,
                                      pprofc_diff_kind kind);

#endif
