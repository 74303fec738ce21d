/* Why a benchmark became slower, as far as one pair of profiles tells: the functions whose own
 * samples became more, and the picture of the place. */
#ifndef PPROFCI_RUN_CHANGES_H
#define PPROFCI_RUN_CHANGES_H

#include "pprofc/report.h"
#include "run/run.h"

/* Fills in the changes of a pair (none when `profile` is no difference) and its picture for the
 * page. `options` choose the values. */
pprofc_status changes_find(struct ci_run *run, struct run_pair *pair, const pprofc_profile *profile,
                           const pprofc_report_options *options, pprofc_error *error);

#endif
