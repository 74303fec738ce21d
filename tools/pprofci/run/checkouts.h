/* The two checkouts of a recording: the base in a git worktree, the head in the current
 * folder. Also their test programs. */
#ifndef PPROFCI_RUN_CHECKOUTS_H
#define PPROFCI_RUN_CHECKOUTS_H

#include "run/run.h"

/* A Go package that has benchmarks in at least one of the checkouts. */
struct go_package {
  const char *path, *name;     /* name is the path within the module, used in names of files */
  const char *programs[SIDES]; /* its test program; NULL: no benchmarks on this side */
  const char *folders[SIDES];  /* working directory of the program */
};

struct packages {
  struct go_package *items;
  size_t count, capacity;
};

/* Checks out the base into a folder of the run. */
pprofc_status checkouts_make(struct ci_run *run, const char **base, pprofc_error *error);

/* Removes the worktree. */
void checkouts_remove(struct ci_run *run);

/* Builds the test programs of one side with -trimpath; otherwise names of files would contain
 * the folder of the checkout. */
pprofc_status checkouts_build(struct ci_run *run, int side, const char *checkout,
                              struct packages *packages, pprofc_error *error);

#endif
