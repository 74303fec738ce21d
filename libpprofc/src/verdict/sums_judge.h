/* From two sums to the estimates of a comparison. */
#ifndef PPROFC_VERDICT_SUMS_JUDGE_H
#define PPROFC_VERDICT_SUMS_JUDGE_H

#include "verdict/compare.h"
#include "verdict/sums.h"

/* A side with more runs is refused. */
#define SUMS_RUNS_MOST 10000000

/* Fills what comparison_read and model_fit fill for runs: rows, matrices with one column a side,
 * fits, and the summary but for what depends on verdicts. */
pprofc_status sums_judge(struct comparison *c, const struct sums *base, const struct sums *head,
                         pprofc_error *error);

#endif
