/* The two checkouts of a recording: the base in a git worktree, the head where the run is; and the
 * test programs that are built from them. */
#ifndef PPROFCI_RUN_CHECKOUTS_H
#define PPROFCI_RUN_CHECKOUTS_H

#include "run/run.h"

/* A Go package that has benchmarks in at least one of both checkouts. */
struct go_package {
  const char *path, *name;     /* the name is its path in the module, as part of names of files */
  const char *programs[SIDES]; /* its test program; NULL: this side has no benchmarks of it */
  const char *folders[SIDES];  /* where the program runs */
};

struct packages {
  struct go_package *items;
  size_t count, capacity;
};

/* Checks the base out into a folder of the run. */
pprofc_status checkouts_make(struct ci_run *run, const char **base, pprofc_error *error);

/* Takes the worktree away again. */
void checkouts_remove(struct ci_run *run);

/* Builds the test programs of one side. Without -trimpath the folder of the checkout would be part
 * of every file's name. */
pprofc_status checkouts_build(struct ci_run *run, int side, const char *checkout,
                              struct packages *packages, pprofc_error *error);

#endif
