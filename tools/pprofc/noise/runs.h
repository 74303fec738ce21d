/* The runs of a comparison: sources and folders on the command line, each profile a run. */
#ifndef PPROFC_TOOLS_NOISE_RUNS_H
#define PPROFC_TOOLS_NOISE_RUNS_H

#include "core/mem.h"
#include "options.h"
#include "pprofc/verdict.h"

struct loaded_runs {
  struct arena arena;
  struct source_list paths;  /* of all runs, bases first */
  pprofc_verdict_run *items; /* [count] with their profiles */
  size_t count, bases;
  size_t capacity;
};

/* Reads all runs that the command names. Free them also after an error. */
pprofc_status runs_load(const struct command *command, struct loaded_runs *runs,
                        pprofc_error *error);
void runs_free(struct loaded_runs *runs);

#endif
