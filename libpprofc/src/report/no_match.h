/* Makes the error, with advice, for a report whose expression matches nothing. */
#ifndef PPROFC_REPORT_NO_MATCH_H
#define PPROFC_REPORT_NO_MATCH_H

#include "report/report.h"

/* Sets the error for the report's expression; `what` is pprof's word for it: "regexp:". If
 * functions of the profile match, the error is that they have no instructions, and why (`present`),
 * or (NULL) that they have no samples. If no function matches, adds up to three similar names. */
pprofc_status report_no_match(const struct report *report, const char *what, const char *present,
                              pprofc_error *error);

#endif
