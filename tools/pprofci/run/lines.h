/* Finds the changed lines of the sources, and the cost of each line in a pair of profiles. */
#ifndef PPROFCI_RUN_LINES_H
#define PPROFCI_RUN_LINES_H

#include "run/judging.h"

/* Finds the hunks of the diff that have a cost in a difference of profiles. Sorts them by growth,
 * largest first. `type` is the sample type of the values. Does nothing if the sources are
 * unknown. */
pprofc_status lines_find(struct ci_run *run, struct run_pair *pair,
                         const pprofc_profile *difference, size_t type, const struct judged *judged,
                         pprofc_error *error);

/* Returns the index of the first line to show. The caller shows at most `most` lines, around the
 * line that grew most. */
size_t lines_window(const struct run_hunk *hunk, size_t most);

#endif
