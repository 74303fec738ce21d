/* Makes the two checkouts of a recording: the base in a git worktree, the head in the current
 * folder. Builds their test programs. */
#ifndef PPROFCI_RUN_CHECKOUTS_H
#define PPROFCI_RUN_CHECKOUTS_H

#include "run/run.h"

/* A Go package that has benchmarks in at least one of the checkouts. */
struct go_package {
  /* Import path of the package; `name` is its path within the module, used in names of files. */
  const char *path, *name;
  const char *programs[SIDES]; /* test program of each side; NULL without benchmarks */
  const char *folders[SIDES];  /* working directory of the program on each side */
  bool same;                   /* true if the programs are equal: nothing is measured */
};

struct packages {
  const char *patterns; /* patterns of packages for go list, separated by blanks */
  const char *overlay;  /* flag -overlay=FILE for go test, or NULL */
  struct go_package *items;
  size_t count, capacity;
};

/* Checks out the base into a folder of the run. */
pprofc_status checkouts_make(struct ci_run *run, const char **base, pprofc_error *error);

/* Finds the commit of the base: the commit of -base-ref, or the merge base that it chooses. Sets
 * *wanted to its name. */
pprofc_status checkouts_find_base(struct ci_run *run, const char **wanted, const char **commit,
                                  pprofc_error *error);

/* Clones the repository with shared objects, and checks out a commit. A clone has a folder .git,
 * which the plugins of Node need and a worktree lacks. `wanted` is the commit's name in
 * messages. */
pprofc_status checkouts_clone(struct ci_run *run, const char *wanted, const char *commit,
                              const char *folder, pprofc_error *error);

/* Sets *path to the current folder's counterpart in a checkout. */
pprofc_status checkouts_inside(struct ci_run *run, const char *checkout, const char **path,
                               pprofc_error *error);

/* Removes the worktree. */
void checkouts_remove(struct ci_run *run);

/* Builds the test programs of one side with -trimpath; otherwise names of files would contain
 * the folder of the checkout. */
pprofc_status checkouts_build(struct ci_run *run, int side, const char *checkout,
                              struct packages *packages, pprofc_error *error);

#endif
