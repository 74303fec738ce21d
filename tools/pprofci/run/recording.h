/* Measures Go benchmarks of two commits in rounds, with base and head in turns. The first stage
 * measures all benchmarks, the second only those that look worse. Then profiles benchmarks. */
#ifndef PPROFCI_RUN_RECORDING_H
#define PPROFCI_RUN_RECORDING_H

#include "run/checkouts.h"
#include "run/programs.h"

/* A benchmark, measured with one number of processors. */
struct recorded {
  size_t package;            /* index of the benchmark's package */
  const char *cpu;           /* value of -test.cpu, such as "1" */
  const char *name;          /* "BenchmarkSplit/a=1", without processors */
  const char *label;         /* "Split/a=1-4", with processors */
  struct buffer took[SIDES]; /* arrays of doubles: ns per operation */
  bool selected;             /* true if the second stage measures the benchmark again */
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
  struct interner keys; /* keys of the benchmarks in `items`: package, cpu and name */
  struct buffer texts;  /* array of struct recorded_text, in order of measurement */
  size_t first_texts;   /* number of texts from the first stage; they do not count for selected
                           benchmarks */
  size_t round;         /* number of the current round */
  size_t steps, all_steps;
};

/* Runs a test program with the arguments of a list that ends with NULL. A failed test ends the
 * command. */
void recording_go(struct recording *r, int side, size_t package, const char *cpu,
                  const char *const *arguments, struct program *test);

/* Returns the argument that selects exactly one benchmark. */
const char *recording_only(struct recording *r, const struct recorded *item);

/* Judges the results of run->bench before the final verdict, and calls `take` for each row.
 * `screening` is true if this interim verdict selects the benchmarks of the second stage. */
typedef void take_row_fn(void *context, const struct gate_row *row);
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
