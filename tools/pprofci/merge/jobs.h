/* Reads the runs that `pprofci merge` joins. Each run is a job of a build matrix, and has a folder
 * with a manifest. */
#ifndef PPROFCI_MERGE_JOBS_H
#define PPROFCI_MERGE_JOBS_H

#include "core/json_tree.h"
#include "run/run.h"

struct job {
  const char *folder;      /* path of the job's folder, from the command line */
  const char *name;        /* name of the job, taken from the path (name_of_job) */
  const char *link;        /* path from the page to the job's folder, with a '/' at its end */
  const struct node *root; /* manifest; NULL: unreadable, see `problem` */
  const char *problem;
};

struct jobs {
  struct ci_run *run;
  bool own_threshold; /* true if a benchmark has the threshold of its job */
  bool incomplete;    /* true if an expected job is missing */
  struct job *items;
  size_t count;
  struct interner shared; /* benchmarks that several jobs measured (job_key) */
};

/* Reads the manifests. A missing manifest becomes a problem that the verdict reports, and is not an
 * error here. `out` is the folder for the merged page. */
void jobs_read(struct jobs *jobs, struct ci_run *run, const char *const *folders, size_t count,
               const char *out);

/* Adds the measurements of all jobs to the gate, which judges them together and adjusts all their
 * p-values. The function is a read_rows_fn, and `context` is a struct jobs. */
pprofc_status jobs_add_rows(struct ci_run *run, struct inputs *inputs, void *context,
                            pprofc_error *error);

/* Adds the jobs' pairs of profiles, regressed functions and flame graphs to the merged run. */
void jobs_add_pairs(struct jobs *jobs);

bool jobs_have_results(const struct jobs *jobs);

/* Joins the jobs' instruction counts and the functions that -fail-on found. Then sets the
 * verdict. */
void jobs_join_verdicts(struct jobs *jobs);

#endif
