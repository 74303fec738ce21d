/* Records Go benchmarks of two commits. First measures rounds in alternation, then profiles each
 * benchmark. */
#ifndef PPROFCI_RUN_RECORDING_H
#define PPROFCI_RUN_RECORDING_H

#include "run/checkouts.h"
#include "run/programs.h"

/* A benchmark, measured with one number of processors. */
struct recorded {
  size_t package;    /* index of the benchmark's package */
  const char *cpu;   /* value of -test.cpu, such as "1" */
  const char *name;  /* name with "Benchmark": "BenchmarkSplit/a=1", without the "-4" that Go
                        appends for processors */
  const char *label; /* name in results, without "Benchmark" and with the processors:
                        "Split/a=1-4" */
  struct buffer took[SIDES]; /* for base and head, an array of doubles: nanoseconds per operation in
                                each round */
  bool selected;             /* true if the second stage measures the benchmark again */
  bool regressed;
  bool judged, open; /* judged: the last interim verdict had a row of the benchmark; open: that
                        verdict was undecided about the row */
};

struct recording {
  struct ci_run *run;
  struct packages packages;
  const char *cpus; /* numbers of processors to measure with, such as "1,4" */
  struct recorded *items;
  size_t count, capacity;
  struct interner keys; /* keys of the benchmarks in `items`: package, cpu and name */
  struct buffer texts;  /* array of struct recorded_text, in order of measurement */
  size_t first_texts;   /* if the verdict on the selected benchmarks uses only the second stage:
                           number of texts of the first stage; else 0 */
  size_t round;         /* number of the current round */
  size_t steps, all_steps;
};

/* Runs the test program of a package once. `cpu` is the number of processors, as text. A failed
 * test is an error. `arguments` ends with NULL. */
pprofc_status recording_go(struct recording *r, int side, size_t package, const char *cpu,
                           const char *const *arguments, struct program *test, pprofc_error *error);

/* Returns the argument that selects exactly one benchmark, or NULL when out of memory. */
const char *recording_only(struct recording *r, const struct recorded *item);

/* Judges the results of run->bench before the final verdict, and calls `take` for each row.
 * `screening` is true if this interim verdict selects the benchmarks of the second stage. */
typedef void take_row_fn(void *context, const struct gate_row *row);
pprofc_status verdict_preview(struct ci_run *run, bool screening, take_row_fn *take, void *context,
                              pprofc_error *error);

/* A line of results. `name` is the name of the benchmark without the number of processors. */
struct recorded_line {
  pprofc_str name;
  double iterations;
  struct run_measured measured;
};

/* Reads the next line of results from *text. Returns false at the end. */
bool recorded_next(pprofc_str *text, const char *cpu, struct recorded_line *line);

/* Profiles each benchmark that printed a result. Base and head use the same number of
 * iterations. */
pprofc_status recording_profile(struct recording *r, pprofc_error *error);

/* Marks the packages whose test binaries are equal in every byte and whose other files did not
 * change. Does nothing if -all is set. */
pprofc_status same_find(struct ci_run *run, struct packages *packages, pprofc_error *error);

#endif
