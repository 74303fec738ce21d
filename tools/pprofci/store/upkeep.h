/* Maintains a store: removes old runs and unused objects, and finds damage. */
#ifndef PPROFCI_STORE_UPKEEP_H
#define PPROFCI_STORE_UPKEEP_H

#include "core/output.h"
#include "store/past.h"

/* Rules that keep runs: "BRANCH=AGE,...". The first rule whose pattern matches decides. */
struct retain {
  struct {
    pprofc_str branch; /* glob pattern of branch names */
    int64_t age;       /* age in seconds up to which runs stay; INT64_MAX for all */
  } rules[32];
  size_t count;
  size_t last; /* number of newest commits of each branch that stay at any age */
};

/* Parses the rules. PPROFC_E_INVALID has a message about the error in the text. */
pprofc_status retain_parse(struct retain *retain, const char *text, int64_t last,
                           pprofc_error *error);

struct upkeep_counts {
  size_t runs, objects, left_over;
};

/* Removes the runs that no rule keeps, then the objects that no record uses. Keeps tagged commits.
 * With `dry` it only prints the runs that it would remove. */
pprofc_status upkeep_retain(struct backing *backing, const struct retain *retain, int64_t now,
                            bool dry, struct output *out, struct upkeep_counts *counts,
                            pprofc_error *error);

/* Removes objects that no record uses and files that were never finished, if they are older
 * than a day. A younger file may belong to a writer that is still running. */
pprofc_status upkeep_sweep(struct backing *backing, int64_t now, bool dry,
                           struct upkeep_counts *counts, pprofc_error *error);

struct upkeep_findings {
  size_t runs, objects; /* numbers of undamaged runs and objects */
  size_t broken, missing, unnamed, left_over;
};

/* Reads the whole store and prints a line for each defect. */
pprofc_status upkeep_check(struct backing *backing, struct output *out,
                           struct upkeep_findings *findings, pprofc_error *error);

#endif
