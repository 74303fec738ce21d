/* Builds test programs of base (in a git worktree) and head (in the current folder). */
#ifndef PPROFCI_RUN_CHECKOUTS_H
#define PPROFCI_RUN_CHECKOUTS_H

#include "run/run.h"

/* A Go package that has benchmarks in at least one of the checkouts. */
struct go_package {
  /* import path of the package; and `name`, its path within the module, for file names */
  const char *path, *name;
  const char *programs[SIDES]; /* test programs of base and head; NULL: no benchmarks */
  const char *folders[SIDES];  /* working directories of the programs of base and head */
  bool same; /* true if both programs and their files are equal, so the run skips them */
};

struct packages {
  const char *patterns; /* package patterns for go list, separated by blanks */
  const char *overlay;  /* flag -overlay=FILE for go test, or NULL */
  struct go_package *items;
  size_t count, capacity;
};

/* Checks out the base into a subfolder of the run's temporary folder. Returns the folder in the
 * checkout that corresponds to the user's current folder. */
const char *checkouts_make(struct ci_run *run);

/* Returns the id of the base commit, which is the commit of -base-ref if this flag is set.
 * Otherwise it is the first parent of HEAD if HEAD is the merge commit of a pull request, or else
 * the merge base. Sets *wanted to the name of the commit in messages. */
const char *checkouts_find_base(struct ci_run *run, const char **wanted);

/* Clones the repository without copying its git objects, and checks out a commit. Unlike a
 * worktree, a clone has a folder .git, which Node plugins need. `wanted` is the commit's name in
 * messages. */
void checkouts_clone(struct ci_run *run, const char *wanted, const char *commit,
                     const char *folder);

/* Returns the folder in the checkout that corresponds to the user's current folder. */
const char *checkouts_inside(struct ci_run *run, const char *checkout);
void checkouts_remove(struct ci_run *run);

/* Builds the test programs of base or head. Uses -trimpath, because file names would otherwise
 * contain the folder of the checkout. */
void checkouts_build(struct ci_run *run, int side, const char *checkout, struct packages *packages);

#endif
