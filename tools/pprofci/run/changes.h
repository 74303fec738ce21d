/* Finds the place in the checkout that explains why a pair changed, and draws it. */
#ifndef PPROFCI_RUN_CHANGES_H
#define PPROFCI_RUN_CHANGES_H

#include "pprofc/report.h"
#include "run/judging.h"

/* Sets the function of the checkout that explains a difference, from its verdicts (`judged`
 * NULL: already known), and the picture for the page. `options` select the values. */
pprofc_status changes_find(struct ci_run *run, struct run_pair *pair, const pprofc_profile *profile,
                           const pprofc_report_options *options, const struct judged *judged,
                           pprofc_error *error);

#endif
