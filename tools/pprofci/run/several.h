/* Pairs of several runs a side: the profiles of two folders. */
#ifndef PPROFCI_RUN_SEVERAL_H
#define PPROFCI_RUN_SEVERAL_H

#include "run/run.h"

/* Whether a file is a profile. One that is by its name, its first bytes or its partner in the
 * folder `other` ("": none), and cannot be read, is an error; others are told and left out. */
pprofc_status check_profile(struct ci_run *run, const char *path, const char *other, bool *is,
                            pprofc_error *error);

/* Makes a pair of two paths. The profiles of a folder are runs, in the order of their names. */
pprofc_status several_add(struct ci_run *run, const char *base, const char *head,
                          pprofc_error *error);

/* Copies the runs of a pair with several into the artifacts, and what benchmarks printed in them.
 */
pprofc_status several_keep(struct ci_run *run, struct run_pair *pair, const char *name,
                           pprofc_error *error);

#endif
