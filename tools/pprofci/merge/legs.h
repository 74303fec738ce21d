/* The runs that a merge joins, a folder with a manifest each: the legs of a matrix. */
#ifndef PPROFCI_MERGE_LEGS_H
#define PPROFCI_MERGE_LEGS_H

#include "core/json_tree.h"
#include "run/run.h"

struct leg {
  const char *folder;      /* as it was named */
  const char *name;        /* its last part that tells it from the others */
  const char *link;        /* from the page to it, with a '/' at its end */
  const struct node *root; /* of the manifest; NULL: it cannot be read, `problem` says why */
  const char *problem;
};

struct legs {
  struct ci_run *run;
  struct leg *items;
  size_t count;
};

/* Reads the manifests. A folder without one is no error: the gate has a problem then. `out` is
 * where the page goes. */
pprofc_status legs_read(struct legs *legs, struct ci_run *run, const char *const *folders,
                        size_t count, const char *out, pprofc_error *error);

/* Adds the measurements of all legs to the gate, so that their p-values are one family. A
 * read_rows_fn whose context is the legs. */
pprofc_status legs_add_rows(struct ci_run *run, struct inputs *inputs, void *context,
                            pprofc_error *error);

/* Adds the pairs of profiles of all legs, with the functions that grew and the pictures. */
pprofc_status legs_add_pairs(struct legs *legs, pprofc_error *error);

/* Whether any leg has measurements. */
bool legs_have_results(const struct legs *legs);

/* Doubts the result when a leg has compared nothing. */
pprofc_status legs_check_compared(struct legs *legs, pprofc_error *error);

/* Joins the instruction counts of the legs; sets the verdict when one of them regressed. */
pprofc_status legs_join_fired(struct legs *legs, pprofc_error *error);
pprofc_status legs_join_instructions(struct legs *legs, pprofc_error *error);

#endif
