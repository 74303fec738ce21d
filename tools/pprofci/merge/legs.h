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
  bool incomplete; /* a leg that is expected is not there */
  struct leg *items;
  size_t count;
};

/* Reads the manifests. A folder without one is no error: the gate has a problem then. `out` is
 * where the page goes. */
pprofc_status legs_read(struct legs *legs, struct ci_run *run, const char *const *folders,
                        size_t count, const char *out, pprofc_error *error);

/* Whether a text is a number of legs, or names of them with commas. */
bool legs_expectation_is_valid(const char *text);

/* Notes as problems the legs that are expected and not there. */
pprofc_status legs_expect(struct legs *legs, const char *expected, pprofc_error *error);

/* Adds the measurements of all legs to the gate, so that their p-values are one family. A
 * read_rows_fn whose context is the legs. */
pprofc_status legs_add_rows(struct ci_run *run, struct inputs *inputs, void *context,
                            pprofc_error *error);

/* Adds the pairs of profiles of all legs, with the functions that grew and the pictures. */
pprofc_status legs_add_pairs(struct legs *legs, pprofc_error *error);

/* Whether any leg has measurements. */
bool legs_have_results(const struct legs *legs);

/* Takes the commits and machines of the legs; doubts the result when one has compared nothing, or
 * when they are not all of one commit. */
pprofc_status legs_check(struct legs *legs, pprofc_error *error);

/* Joins the instruction counts of the legs, and the functions that -fail_on named in them; sets the
 * verdict when one of them regressed. */
pprofc_status legs_join_verdicts(struct legs *legs, pprofc_error *error);

#endif
