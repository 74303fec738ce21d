/* Counts benchmarks separately. A command runs under callgrind, and its benchmarks mark their
 * start and end by callgrind's requests. Each benchmark becomes a profile, rows of results, and
 * a pair of profiles. */
#ifndef PPROFCI_SIMULATE_COUNTING_H
#define PPROFCI_SIMULATE_COUNTING_H

#include "common/callgrind.h"
#include "run/checkouts.h"
#include "run/programs.h"

/* A benchmark in one run. */
struct counted_run {
  const char *path; /* path of the profile; NULL if this run did not count the benchmark */
  int64_t totals[CALLGRIND_TYPES];
  double iterations; /* number of iterations of the counted code */
};

struct counted {
  const char *name;
  struct counted_run *runs[SIDES]; /* [runs of the side] */
};

/* One run of a command. */
struct count_run {
  int side;
  size_t number;      /* number of the run on its side, from 0 */
  const char *place;  /* folder of the files of callgrind */
  const char *folder; /* working directory */
  const char *group;  /* package of Go; NULL if the command's benchmarks have complete names */
};

struct counting {
  struct ci_run *run;
  size_t runs[SIDES];
  struct packages packages; /* of Go */
  struct interner names;    /* names of the items */
  struct counted *items;
  size_t count, capacity;
  size_t places; /* number of folders made so far */
  size_t steps, all_steps;
};

/* ---- steps, in their order --------------------------- */

/* Runs a command once under callgrind. Its environment begins with the NAME=VALUE texts of
 * `variables`, which end with NULL. */
pprofc_status count_command(struct counting *c, const struct count_run *run,
                            const char *const *variables, const char *const *words,
                            pprofc_error *error);

/* Prints the end of the output of a failed program. */
void count_print(const struct program *program);

/* Reads the files of a run, and adds the number of benchmarks to *found. */
pprofc_status count_read(struct counting *c, const struct count_run *run, size_t *found,
                         pprofc_error *error);

/* Returns a new run with its own folder; NULL when out of memory. */
struct count_run *count_run_new(struct counting *c, int side, size_t number, const char *folder);

/* True if -simulate names Go packages: ./..., ./parser. */
bool count_is_go(const char *command);

/* Builds and runs the benchmarks of Go packages of one side. */
pprofc_status count_go_side(struct counting *c, int side, const char *folder, size_t *found,
                            pprofc_error *error);

/* Writes the counts as results of benchmarks, and adds a pair of profiles for each benchmark. */
pprofc_status count_results(struct counting *c, pprofc_error *error);

#endif
