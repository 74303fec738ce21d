/* Which sample value a report shows, the total its percentages refer to, and number conversions as
 * Go makes them. */
#ifndef PPROFC_REPORT_VALUE_H
#define PPROFC_REPORT_VALUE_H

#include "report/report.h"

/* The column that `sample_index` names: a number, a type, a type without "inuse_", or "" for the
 * default. */
pprofc_status value_select(const pprofc_profile *profile, pprofc_str sample_index, size_t *index,
                           pprofc_error *error);

/* The denominator of percentages (11): sum of magnitudes, of the base samples when there are any.
 */
int64_t value_total(const pprofc_profile *profile, size_t value_index, bool mean);

/* v with divide_by applied. */
int64_t value_ratio(const struct report *report, int64_t v);

#endif
