/* Computes the estimates of a comparison from two sums. */
#ifndef PPROFC_VERDICT_SUMS_JUDGE_H
#define PPROFC_VERDICT_SUMS_JUDGE_H

#include "verdict/compare.h"
#include "verdict/sums.h"

/* Maximum number of runs of a side. */
#define SUMS_RUNS_MOST 10000000

/* Fills everything that comparison_read and model_fit fill for runs: rows, matrices with one
 * column a side, fits, and the parts of the summary that do not depend on verdicts. */
pprofc_status sums_judge(struct comparison *c, const struct sums *base, const struct sums *head,
                         pprofc_error *error);

#endif
