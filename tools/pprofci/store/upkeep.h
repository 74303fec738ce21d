/* Keeping a store small and whole: what rules drop, what nothing names any more, what is broken. */
#ifndef PPROFCI_STORE_UPKEEP_H
#define PPROFCI_STORE_UPKEEP_H

#include "core/output.h"
#include "store/past.h"

/* Which runs stay: "BRANCH=AGE,...", the first pattern that fits. */
struct retain {
  struct {
    pprofc_str branch; /* a glob */
    int64_t age;       /* seconds; INT64_MAX: all */
  } rules[32];
  size_t count;
  size_t last; /* of each branch stay whatever their age */
};

/* PPROFC_E_INVALID says what is wrong with the text. */
pprofc_status retain_parse(struct retain *retain, const char *text, int64_t last,
                           pprofc_error *error);

struct upkeep_counts {
  size_t runs, objects, left_over;
};

/* Removes the runs that the rules do not keep, then what nothing names. Tagged commits stay. With
 * `dry` it removes nothing and prints what it would. */
pprofc_status upkeep_retain(struct backing *backing, const struct retain *retain, int64_t now,
                            bool dry, struct output *out, struct upkeep_counts *counts,
                            pprofc_error *error);

/* Removes objects that no record names and files that were never finished, when they are older than
 * a day: a younger one may be of a writer that is at work. */
pprofc_status upkeep_sweep(struct backing *backing, int64_t now, bool dry,
                           struct upkeep_counts *counts, pprofc_error *error);

struct upkeep_findings {
  size_t runs, objects; /* that are whole */
  size_t broken, missing, unnamed, left_over;
};

/* Reads everything, and prints a line for each thing that is wrong. */
pprofc_status upkeep_check(struct backing *backing, struct output *out,
                           struct upkeep_findings *findings, pprofc_error *error);

#endif
