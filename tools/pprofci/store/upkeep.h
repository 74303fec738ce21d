/* Maintains a store: removes old runs and unused objects (stored profiles), and finds damage. */
#ifndef PPROFCI_STORE_UPKEEP_H
#define PPROFCI_STORE_UPKEEP_H

#include "core/output.h"
#include "store/past.h"

/* Retention rules: "BRANCH=AGE,...". The first rule whose pattern matches the branch applies. */
struct retain {
  struct {
    pprofc_str branch; /* glob pattern of branch names */
    int64_t age;       /* maximum age in seconds of runs to keep; INT64_MAX: keep all */
  } rules[32];
  size_t count;
  size_t last; /* number of newest commits of each branch to keep at any age */
};

/* Parses the rules. A wrong text ends the command. */
void retain_parse(struct retain *retain, const char *text, int64_t last);

struct upkeep_counts {
  size_t runs, objects, left_over;
};

/* Removes the runs that no rule keeps. Then removes the objects that no record uses. Keeps tagged
 * commits. With `dry`, only prints the runs to remove. */
void upkeep_retain(struct backing *backing, const struct retain *retain, int64_t now, bool dry,
                   struct output *out, struct upkeep_counts *counts);

/* Removes unused objects and incomplete files that are older than a day, because a process may
 * still write younger files. */
void upkeep_sweep(struct backing *backing, int64_t now, bool dry, struct upkeep_counts *counts);

#endif
