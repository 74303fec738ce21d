/* Reads the runs that `pprofci merge` joins: jobs of a build matrix, each with a manifest. */
#ifndef PPROFCI_MERGE_JOBS_H
#define PPROFCI_MERGE_JOBS_H

#include "core/json_tree.h"
#include "run/run.h"

struct job {
  const char *folder;      /* path of the folder on the command line */
  const char *name;        /* last element of the path that names the job */
  const char *link;        /* path from the page to the folder, with a '/' at its end */
  const struct node *root; /* manifest; NULL: unreadable, see `problem` */
  const char *problem;
};

struct jobs {
  struct ci_run *run;
  bool incomplete; /* true if an expected job is missing */
  struct job *items;
  size_t count;
};

/* Reads the manifests. A missing one is a problem for the verdict. `out`: folder of the page. */
pprofc_status jobs_read(struct jobs *jobs, struct ci_run *run, const char *const *folders,
                        size_t count, const char *out, pprofc_error *error);

/* A read_rows_fn: adds the measurements of all jobs, whose p-values one gate adjusts. */
pprofc_status jobs_add_rows(struct ci_run *run, struct inputs *inputs, void *context,
                            pprofc_error *error);

/* Adds the pairs of profiles of all jobs, with their regressed functions and flame graphs. */
pprofc_status jobs_add_pairs(struct jobs *jobs, pprofc_error *error);

/* True if a job has measurements. */
bool jobs_have_results(const struct jobs *jobs);

/* Joins instruction counts and functions of -fail-on, and sets the verdict. */
pprofc_status jobs_join_verdicts(struct jobs *jobs, pprofc_error *error);

#endif
