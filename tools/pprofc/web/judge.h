/* What is said of the functions of a difference on the page: verdicts of base and head, one run
 * each. */
#ifndef PPROFC_WEB_JUDGE_H
#define PPROFC_WEB_JUDGE_H

#include "core/buffer.h"
#include "pprofc/verdict.h"
#include "report/report.h"

struct judgement {
  pprofc_verdicts *verdicts; /* NULL: there are none, `reason` says why */
  pprofc_verdict_summary summary;
  bool common_refused; /* all functions differ so much that it is no speed of a machine */
  char reason[sizeof((pprofc_error *)0)->message];
};

/* Judges the functions as the report with these options shows them. That there are no verdicts is
 * no failure: only memory and a budget that is stopped are. To be freed also after one. It
 * allocates through the allocator of `base`. */
pprofc_status judge_pair(const pprofc_profile *base, const pprofc_profile *head,
                         const pprofc_report_options *options, struct judgement *judgement,
                         pprofc_error *error);
void judge_free(struct judgement *judgement);

/* The row of a function; NULL when it has none. */
const pprofc_verdict_row *judge_find(const struct judgement *judgement, pprofc_str function);

static inline const pprofc_verdict_estimate *judge_estimate(const pprofc_verdict_row *row,
                                                            bool by_cum) {
  return by_cum ? &row->cum : &row->flat;
}

/* "noise", "grew", "moved"; "" for a caller without samples of its own. */
const char *judge_word(const pprofc_verdict_row *row, bool by_cum);

/* Whether the change is more than noise. */
bool judge_is_change(const pprofc_verdict_row *row, bool by_cum);

/* Whether the row says nothing: noise, or too few samples. */
bool judge_is_quiet(const pprofc_verdict_row *row, bool by_cum);

/* How many functions changed. */
size_t judge_changes(const struct judgement *judgement, bool by_cum);

/* A value in percent of the total of the base, or of the head where the base has none; NaN where
 * neither has one. */
double judge_percent(const struct judgement *judgement, double value);

/* "+5.20% ±1.30%": the change and half of its interval, of the total; "" for what is not judged. */
#define JUDGE_TEXT 64
const char *judge_interval(const struct judgement *judgement,
                           const pprofc_verdict_estimate *estimate, char text[JUDGE_TEXT]);

#endif
