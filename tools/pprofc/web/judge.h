/* Verdicts on the functions of a difference for the page, with one run a side. */
#ifndef PPROFC_WEB_JUDGE_H
#define PPROFC_WEB_JUDGE_H

#include "core/buffer.h"
#include "pprofc/verdict.h"
#include "report/report.h"

struct judgement {
  pprofc_verdicts *verdicts; /* NULL without verdicts; `reason` explains why */
  pprofc_verdict_summary summary;
  char reason[sizeof((pprofc_error *)0)->message];
};

/* Judges the functions as a report with these options shows them. A pair without verdicts is
 * not an error; only out of memory and a stopped budget are errors. Allocates from the
 * allocator of `base`. The caller frees the result, also after an error. */
pprofc_status judge_pair(const pprofc_profile *base, const pprofc_profile *head,
                         const pprofc_report_options *options, struct judgement *judgement,
                         pprofc_error *error);
void judge_free(struct judgement *judgement);

/* Returns the row of a function, or NULL. */
const pprofc_verdict_row *judge_find(const struct judgement *judgement, pprofc_str function);

static inline const pprofc_verdict_estimate *judge_estimate(const pprofc_verdict_row *row,
                                                            bool by_cum) {
  return by_cum ? &row->cum : &row->flat;
}

/* Returns "unchanged", "grew", "moved"; "" for a caller without samples of its own. */
const char *judge_word(const pprofc_verdict_row *row, bool by_cum);

/* True if the function changed by itself. */
bool judge_is_change(const pprofc_verdict_row *row, bool by_cum);

/* Counts the functions that changed. */
size_t judge_changes(const struct judgement *judgement, bool by_cum);

#endif
