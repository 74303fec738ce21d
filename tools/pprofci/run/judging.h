/* Verdicts of the functions of a pair of profiles, each a run of the base or of the head. */
#ifndef PPROFCI_RUN_JUDGING_H
#define PPROFCI_RUN_JUDGING_H

#include "core/budget.h"
#include "noise/noise.h"
#include "run/run.h"

#define JUDGED_TYPES 2 /* of a profile of memory: bytes and objects */

/* The runs of a pair with their verdicts. */
struct judged {
  struct budget *budget; /* of all that is read */
  pprofc_verdict_run *runs;
  size_t count, bases;                       /* runs [0, bases) are the base */
  struct noise_report reports[JUDGED_TYPES]; /* of the comparisons of the pair; without verdicts
                                                there is no comparison */
};

/* Reads the runs of a pair and judges their functions; fills in its comparisons and its changes.
 * Functions that cannot be judged are no error. A pair without two sides has none. To be freed also
 * after an error. */
pprofc_status judging_run(struct ci_run *run, struct run_pair *pair,
                          const pprofc_report_options *options, struct judged *judged,
                          pprofc_error *error);
void judging_free(struct judged *judged);

/* The numbers and the verdict of a function. */
struct change judged_estimate(const struct noise_report *report,
                              const pprofc_verdict_estimate *estimate);

/* ---- between the files of it ------------------------- */

/* What was judged of the runs. */
struct judged_how {
  const char *index, *hide; /* of the sample type; frames that are hidden; "" or NULL */
};

/* Fills in a comparison from verdicts. */
pprofc_status judged_fill(struct ci_run *run, const struct run_pair *pair,
                          const struct judged *judged, const struct noise_report *report,
                          const struct judged_how *how, struct pair_verdicts *to,
                          pprofc_error *error);

/* Notes the functions that -fail_on does not allow to grow as they did. */
pprofc_status failing_find(struct ci_run *run, const struct run_pair *pair,
                           const struct judged *judged, pprofc_error *error);

#endif
