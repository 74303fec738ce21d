/* Measures Go benchmarks of two commits in rounds, with base and head alternately. The first stage
 * measures all benchmarks, the second only the benchmarks that look worse. The last step profiles
 * benchmarks. */
#ifndef PPROFCI_RUN_RECORDING_H
#define PPROFCI_RUN_RECORDING_H

#include "core/json_write.h"
#include "run/files.h"

/* ---- checkouts (checkouts.c) ---------------------- */

/* A Go package that has benchmarks in at least one of the checkouts. */
struct go_package {
  /* import path of the package; and `name`, its path within the module, for file names */
  const char *path, *name;
  const char *programs[SIDES]; /* test programs of base and head; NULL: no benchmarks */
  const char *folders[SIDES];  /* working directories of the programs of base and head */
  bool same; /* true if base and head have the same program and files; the run skips the package */
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

/* Returns the id of the base commit. This is the commit of -base-ref if this flag is set. Otherwise
 * it is the first parent of HEAD if HEAD is the merge commit of a pull request, or else the merge
 * base. Sets *wanted to the name of this commit in messages. */
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

/* ---- load (load.c) -------------------------------- */

/* Load of the machine during a round. Times are in seconds, summed over the processors. */
struct round_load {
  double average; /* load average of the last minute at the end of the round */
  double wall;    /* duration of the round in seconds */
  double own;     /* CPU time of the programs of the run, in seconds */
  double busy;    /* CPU time of all programs, in seconds; 0: unknown */
  double stolen;  /* seconds that the hypervisor took from this virtual machine */
};

/* Returns the current values of the clocks. The caller calls this function at the beginning and at
 * the end of a round. */
struct round_load load_now(void);

/* Adds the load since `begin` to run->loads. */
void load_add(struct ci_run *run, const struct round_load *begin);

/* Sets run->overloaded, and prints a warning, if at least half of the rounds were overloaded. */
void load_check(struct ci_run *run);
void load_write(struct json_writer *json, const struct ci_run *run);

/* ---- measurements (recording.c, profiling.c) ------ */

/* A benchmark, measured with one number of processors. */
struct recorded {
  size_t package;            /* index of the benchmark's package */
  const char *cpu;           /* value of -test.cpu, such as "1" */
  const char *name;          /* name without the number of processors: "BenchmarkSplit/a=1" */
  const char *label;         /* name with the number of processors: "Split/a=1-4" */
  struct buffer took[SIDES]; /* arrays of doubles: ns per operation */
  bool selected;             /* true if the benchmark looks worse, so that it is measured again */
  bool regressed;
  bool judged, open; /* true if the last interim verdict had a row for the benchmark; true if this
                        row was undecided */
};

struct recording {
  struct ci_run *run;
  struct packages packages;
  const char *cpus; /* numbers of processors to measure with, such as "1,4" */
  struct recorded *items;
  size_t count, capacity;
  struct interner keys; /* keys of the benchmarks in `items` (recording_find) */
  struct buffer key;    /* key that recording_find looks up */
  struct buffer texts;  /* array of struct recorded_text, in order of measurement */
  size_t first_texts; /* number of texts from the first stage; their results of selected benchmarks
                         do not count, because the second stage measures these again */
  size_t round;       /* number of the current round */
  size_t rounds; /* rounds of the second stage (only selected benchmarks); 0 before this stage */
  size_t steps, all_steps;
};

/* Runs a test program with the arguments of a list that ends with NULL. A failed test ends the
 * command. */
void recording_go(struct recording *r, int side, size_t package, const char *cpu,
                  const char *const *arguments, struct program *test);

/* Returns the argument that selects exactly one benchmark. */
const char *recording_only(struct recording *r, const struct recorded *item);

typedef void take_row_fn(void *context, const struct gate_row *row);

/* Judges the results of run->bench before the final verdict, and calls `take` for each row.
 * `screening` is true if this interim verdict selects the benchmarks to measure again. */
void verdict_preview(struct ci_run *run, bool screening, take_row_fn *take, void *context);

/* A line of results. `name` is the name of the benchmark without the number of processors. */
struct recorded_line {
  pprofc_str name;
  double iterations;
  struct run_measured measured;
};

/* Reads the next line of results from *text. Returns false at the end. */
bool recorded_next(pprofc_str *text, const char *cpu, struct recorded_line *line);

/* Profiles each benchmark that printed a result. Base and head use the same number of iterations.
 */
void recording_profile(struct recording *r);

/* Marks the packages with equal test binaries and unchanged files, unless -all is set. */
void same_find(struct ci_run *run, struct packages *packages);

#endif
