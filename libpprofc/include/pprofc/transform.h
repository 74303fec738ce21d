/* Making one profile from others: merge, difference, scaling. Filters and granularity are report
 * options (report.h); the "proto" report hands their result over as a profile. */
#ifndef PPROFC_TRANSFORM_H
#define PPROFC_TRANSFORM_H

#include "pprofc/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds up `count` profiles (at least one) as `pprof` does: equal stacks with equal labels become
 * one sample, sample types that all have stay, units are converted to the finest. One profile comes
 * back as it is. PPROFC_E_INVALID when they have nothing in common. */
PPROFC_API pprofc_status pprofc_merge(const pprofc_profile *const *profiles, size_t count,
                                      pprofc_profile **merged, pprofc_error *error);

typedef enum pprofc_diff_kind {
  PPROFC_SUBTRACT, /* -base: equal stacks cancel; percentages of what is left */
  PPROFC_COMPARE /* -diff_base: base samples get the label pprof::base=true; percentages of the base
                  */
} pprofc_diff_kind;

/* head - base. With `normalize`, head is first scaled so that each of its sums equals that of the
 * base. */
PPROFC_API pprofc_status pprofc_diff(const pprofc_profile *head, const pprofc_profile *base,
                                     pprofc_diff_kind kind, bool normalize,
                                     pprofc_profile **difference, pprofc_error *error);

/* Multiplies every value of sample type i by ratios[i], rounding half away from zero; samples whose
 * scaled values all become 0 are dropped. `ratios` has one entry per sample type. */
PPROFC_API pprofc_status pprofc_scale(const pprofc_profile *profile, const double *ratios,
                                      pprofc_profile **scaled, pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
