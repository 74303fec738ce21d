/* Reads runs. Computes the values of each function in each profile, and the matrices that the model
 * judges. */
#ifndef PPROFC_VERDICT_RUNS_H
#define PPROFC_VERDICT_RUNS_H

#include "verdict/walk.h"

/* Sums for a function in a run. The sum of value times quantum (quantum.h) is the sampling
 * variance. */
struct run_cell {
  double flat, flat_noise;
  double cum, cum_noise;
  double machine; /* part of cum that is time of the environment (rules.h), including callees */
  size_t seen;    /* number of the sample that was last added to cum, counted from 1 */
};

struct run {
  pprofc_profile *profile; /* filtered profile of the run; the run has a reference to it */
  struct walk walk;
  struct run_cell *cells; /* cells of the functions, by name */
  size_t cell_count;
  double scale; /* factor of the values; for counts of samples: period divided by the period of the
                   first run; else 1 */
  double total, noise; /* sum of all samples that have a function, and its sampling variance */
  double whole;        /* sum of all samples of the run */
  bool has_machine;    /* true if any sample of the run is time of the environment (rules.h) */
};

/* Adds up the samples of run->profile. Returns PPROFC_E_INVALID for a negative value. */
pprofc_status run_sum(struct run *run, size_t value, bool inlines, struct names *names,
                      pprofc_error *error);
void run_free(struct run *run);

#endif
