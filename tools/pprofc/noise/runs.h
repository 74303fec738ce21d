/* The runs of a comparison: sources and folders on the command line, each profile a run. */
#ifndef PPROFC_TOOLS_NOISE_RUNS_H
#define PPROFC_TOOLS_NOISE_RUNS_H

#include "core/mem.h"
#include "pprofc/verdict.h"
#include "sources.h"

struct loaded_runs {
  struct arena arena;
  struct source_run *sources; /* of all runs, bases first; those of a folder together */
  size_t source_count, source_capacity, base_sources;
  pprofc_verdict_run *items; /* [count] with their profiles, which `sources` hold */
  size_t count, bases, capacity;
};

/* Reads all runs that the command names. Free them also after an error. */
pprofc_status runs_load(const struct command *command, struct loaded_runs *runs,
                        pprofc_error *error);
void runs_free(struct loaded_runs *runs);

/* The order of runs by their paths: run2 comes before run10. Benchmark results follow in it. */
int runs_order(const char *first, const char *second);

#endif
