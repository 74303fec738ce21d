/* The runs that a merge joins: the legs of a matrix, each a folder with a manifest. */
#ifndef PPROFCI_MERGE_LEGS_H
#define PPROFCI_MERGE_LEGS_H

#include "core/json_tree.h"
#include "run/run.h"

struct leg {
  const char *folder;      /* path on the command line */
  const char *name;        /* last part of the path that differs between the legs */
  const char *link;        /* path from the page to the folder, with a '/' at its end */
  const struct node *root; /* the manifest, or NULL if it cannot be read; `problem` has the
                              reason */
  const char *problem;
};

struct legs {
  struct ci_run *run;
  bool incomplete; /* true if an expected leg is missing */
  struct leg *items;
  size_t count;
};

/* Reads the manifests. A folder without a manifest is a problem of the gate, not an error.
 * `out` is the folder of the page. */
pprofc_status legs_read(struct legs *legs, struct ci_run *run, const char *const *folders,
                        size_t count, const char *out, pprofc_error *error);

/* True if the text is a number of legs, or names of legs separated by commas. */
bool legs_expectation_is_valid(const char *text);

/* Adds a problem for each expected leg that is missing. */
pprofc_status legs_expect(struct legs *legs, const char *expected, pprofc_error *error);

/* Adds the measurements of all legs to the gate, so that their p-values are one family. Has
 * the type read_rows_fn; its context is the legs. */
pprofc_status legs_add_rows(struct ci_run *run, struct inputs *inputs, void *context,
                            pprofc_error *error);

/* Adds the pairs of profiles of all legs, with their regressed functions and pictures. */
pprofc_status legs_add_pairs(struct legs *legs, pprofc_error *error);

/* True if a leg has measurements. */
bool legs_have_results(const struct legs *legs);

/* Takes the commits and machines of the legs. Sets a doubt when a leg compared nothing, or
 * when the legs have different commits. */
pprofc_status legs_check(struct legs *legs, pprofc_error *error);

/* Joins the instruction counts of the legs and the functions that -fail-on found in them. Sets
 * the verdict when one of them regressed. */
pprofc_status legs_join_verdicts(struct legs *legs, pprofc_error *error);

#endif
