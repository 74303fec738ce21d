/* Records Go benchmarks of two commits: rounds in turns, then profiles of each benchmark. */
#ifndef PPROFCI_RUN_RECORDING_H
#define PPROFCI_RUN_RECORDING_H

#include "run/checkouts.h"
#include "run/programs.h"

/* A benchmark with one number of processors. */
struct recorded {
  size_t package;   /* index of its package */
  const char *cpu;  /* value of -test.cpu, such as "1" */
  const char *name; /* "BenchmarkSplit/a=1", without the "-4" that Go appends for processors */
  struct buffer took[SIDES]; /* doubles: nanoseconds per operation, one for each round */
};

struct recording {
  struct ci_run *run;
  struct packages packages;
  const char *cpus; /* list such as "1,4" */
  struct recorded *items;
  size_t count, capacity;
  struct interner keys;         /* package, cpu and name of each item */
  struct buffer printed[SIDES]; /* results of all rounds */
  size_t steps, all_steps;
};

/* Runs a test program with one number of processors. A failed test is an error. `arguments`
 * end with NULL. */
pprofc_status recording_go(struct recording *r, int side, size_t package, const char *cpu,
                           const char *const *arguments, struct program *test, pprofc_error *error);

/* A line of results. The name is the benchmark's alone. */
struct recorded_line {
  pprofc_str name;
  double iterations;
  struct run_measured measured;
};

/* Takes the next line of results from *text; false at the end. */
bool recorded_next(pprofc_str *text, const char *cpu, struct recorded_line *line);

/* Profiles each benchmark that printed a result, with the same number of iterations on both
 * sides. */
pprofc_status recording_profile(struct recording *r, pprofc_error *error);

#endif
