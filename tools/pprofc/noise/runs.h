/* Reads the runs of a comparison. Each profile on the command line or in a folder is a run. */
#ifndef PPROFC_TOOLS_NOISE_RUNS_H
#define PPROFC_TOOLS_NOISE_RUNS_H

#include "core/mem.h"
#include "pprofc/verdict.h"
#include "sources.h"

struct loaded_runs {
  struct arena arena;
  struct source_run *sources; /* sources of all runs, bases first; files of a folder are
                                 adjacent */
  size_t source_count, source_capacity, base_sources;
  pprofc_verdict_run *items; /* runs for the library, with the profiles that `sources` own */
  size_t count, bases, capacity;
};

/* Reads all runs of the command. The caller frees them, also after an error. */
pprofc_status runs_load(const struct command *command, struct loaded_runs *runs,
                        pprofc_error *error);
void runs_free(struct loaded_runs *runs);

/* Adds up the profiles of `count` runs, at least one. The caller releases the sum. */
pprofc_status runs_add_up(const pprofc_verdict_run *runs, size_t count, pprofc_profile **sum,
                          pprofc_error *error);

/* Makes the difference of the sums of both sides, bases first. Sides with different numbers of runs
 * are compared per run: the head is scaled to the runs of the base. The caller releases it. */
pprofc_status runs_difference(const pprofc_verdict_run *runs, size_t count, size_t bases,
                              pprofc_profile **difference, pprofc_error *error);

/* True if a source is a folder, which stands for the profiles in it. */
bool runs_is_folder(const char *source);

/* Compares the paths of two runs: run2 sorts before run10. Benchmark results are assigned in
 * this order. */
int runs_order(const char *first, const char *second);

#endif
