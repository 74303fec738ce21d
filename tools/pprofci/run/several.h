/* Makes pairs with several runs per side: the profiles of two folders. */
#ifndef PPROFCI_RUN_SEVERAL_H
#define PPROFCI_RUN_SEVERAL_H

#include "run/run.h"

/* Sets *is to true if a file is a profile. Adds an unreadable file to run->unread if its name or
 * its first bytes belong to a profile. The function does the same if the file of that name in the
 * folder `other` ("" for no folder) is a profile. Reports and skips any other file. */
pprofc_status check_profile(struct ci_run *run, const char *path, const char *other, bool *is,
                            pprofc_error *error);

/* Makes a pair of two paths. The profiles of a folder become runs, sorted by name. */
pprofc_status several_add(struct ci_run *run, const char *base, const char *head,
                          pprofc_error *error);

/* Copies the runs of a pair of profiles with several runs into the artifacts, with their benchmark
 * output. */
pprofc_status several_keep(struct ci_run *run, struct run_pair *pair, const char *name,
                           pprofc_error *error);

#endif
