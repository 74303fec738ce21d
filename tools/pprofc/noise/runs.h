/* Reads the runs of a comparison. Each profile on the command line or in a folder is one run. */
#ifndef PPROFC_TOOLS_NOISE_RUNS_H
#define PPROFC_TOOLS_NOISE_RUNS_H

#include "core/mem.h"
#include "pprofc/verdict.h"
#include "sources.h"

struct loaded_runs {
  struct arena arena;
  struct source_run *sources; /* sources of the base, then of the head; files instead of folders */
  size_t source_count, source_capacity, base_sources;
  pprofc_verdict_run *items; /* `sources` as runs for the library; `sources` owns their profiles */
  size_t count, bases, capacity;
};

pprofc_status runs_load(const struct command *command, struct loaded_runs *runs,
                        pprofc_error *error);
void runs_free(struct loaded_runs *runs);

/* Adds up the profiles of `count` runs, at least 1. The caller releases the sum. */
pprofc_status runs_add_up(const pprofc_verdict_run *runs, size_t count, pprofc_profile **sum,
                          pprofc_error *error);

/* Sets *scaled to a copy of the profile in which all values are multiplied by `times`. The caller
 * releases the copy. */
pprofc_status runs_scale(const pprofc_profile *profile, double times, const pprofc_allocator *mem,
                         pprofc_profile **scaled, pprofc_error *error);

/* Computes the difference between the sums of base and head. In `runs`, the runs of the base come
 * first. With `per_run`, scales the head if base and head have different numbers of runs. The
 * caller releases the difference. */
pprofc_status runs_difference(const pprofc_verdict_run *runs, size_t count, size_t bases,
                              bool per_run, pprofc_profile **difference, pprofc_error *error);

/* True if the source is a folder. The source then means all profiles in the folder. */
bool runs_is_folder(const char *source);

/* Compares the paths of two runs. The result is like strcmp's, but numbers compare by value: run2
 * is before run10. Benchmark results use the same order. */
int runs_order(const char *first, const char *second);

#endif
