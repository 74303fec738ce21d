/* Creates pairs of profiles with several runs per side from the profiles of two folders. */
#ifndef PPROFCI_RUN_SEVERAL_H
#define PPROFCI_RUN_SEVERAL_H

#include "run/run.h"

/* Sets *is to true if the file at `path` is a profile. Reports and skips other files. Adds an
 * unreadable file to run->unread if its name or first bytes look like a profile, or if the file of
 * the same name in the folder `other` is a profile. `other` is "" if there is no such folder. */
pprofc_status check_profile(struct ci_run *run, const char *path, const char *other, bool *is,
                            pprofc_error *error);

/* Creates a pair of profiles from two paths. If a path is a folder, each of its profiles is a run,
 * sorted by name. */
pprofc_status several_add(struct ci_run *run, const char *base, const char *head,
                          pprofc_error *error);

/* Copies the profiles of a pair with several runs into the artifacts, and the benchmark output of
 * the runs. */
pprofc_status several_keep(struct ci_run *run, struct run_pair *pair, const char *name,
                           pprofc_error *error);

#endif
