/* Judges the functions of a pair of profiles from several runs of base and head. */
#ifndef PPROFCI_RUN_JUDGING_H
#define PPROFCI_RUN_JUDGING_H

#include "core/budget.h"
#include "run/run.h"
#include "verdict/print/print.h"

/* Maximum number of compared sample types: a memory profile has two, bytes and objects. */
#define JUDGED_TYPES 2

/* The runs of a pair of profiles, and the verdicts on their functions. */
struct judged {
  struct budget *budget; /* memory budget for reading the profiles */
  pprofc_verdict_run *runs;
  size_t count, bases; /* number of all runs, and of the base's runs, which come first */
  /* Reports of the comparisons, one for each sample type. A report without verdicts is unused. */
  struct noise_report reports[JUDGED_TYPES];
};

/* Reads the runs of a pair of profiles, judges their functions, and fills in pair->comparisons and
 * pair->changes. A function that cannot be judged is not an error. Without base or head there are
 * no comparisons. The caller frees `judged`. */
void judging_run(struct ci_run *run, struct run_pair *pair, const pprofc_report_options *options,
                 struct judged *judged);
void judging_free(struct judged *judged);

/* Returns the verdict row of a function in the comparison of the first sample type, or NULL. */
const pprofc_verdict_row *judged_row(const struct judged *judged, pprofc_str name);

/* True if the total of the first sample type grew by more than the noise between runs. */
bool judged_grew(const struct judged *judged);

/* Returns the numbers and the verdict of a function. */
struct change judged_estimate(const struct noise_report *report,
                              const pprofc_verdict_estimate *estimate);

/* Returns the numbers and the verdict of a function with its callees. Cost that moved here from
 * other functions does not count as growth, as with -fail-on='cum>5%'. */
struct change judged_with_callees(const struct noise_report *report, const pprofc_verdict_row *row);

void failing_find(struct ci_run *run, const struct run_pair *pair, const struct judged *judged);

#endif
