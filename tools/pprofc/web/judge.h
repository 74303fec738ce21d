/* Computes verdicts on the functions in a difference, for the page. */
#ifndef PPROFC_WEB_JUDGE_H
#define PPROFC_WEB_JUDGE_H

#include "core/buffer.h"
#include "options.h"
#include "pprofc/verdict.h"
#include "report/report.h"

struct judgement {
  pprofc_verdicts *verdicts; /* verdicts of the comparison; NULL: `reason` says why there are no
                                verdicts */
  pprofc_verdict_summary summary;
  char reason[sizeof((pprofc_error *)0)->message];
};

/* Base or head of a comparison. */
struct judge_side {
  const pprofc_profile *profile;  /* profile that the page shows; with several runs, their sum */
  const pprofc_verdict_run *runs; /* runs whose sum is `profile` */
  size_t count;                   /* number of runs; 0 for a single run */
};

/* Returns the reason why a report with these options cannot have verdicts. Returns NULL if the
 * report can have verdicts. */
const char *judge_obstacle(const pprofc_report_options *options);

/* Judges the functions of a report with these options. sides[0] is the base. Missing verdicts are
 * not an error; lack of memory and a stopped budget are. `noise` NULL means the defaults. Uses the
 * allocator of the base's profile. The caller frees the result, also after an error. */
pprofc_status judge_sides(const struct judge_side sides[2], const pprofc_report_options *options,
                          const struct noise_options *noise, struct judgement *judgement,
                          pprofc_error *error);
void judge_free(struct judgement *judgement);

/* Hides frames in a difference that verdicts ignore, such as runtime.asyncPreempt. All pages then
 * have the same values as the table. Returns false when out of memory. */
bool judge_hide_folded(const pprofc_profile *difference, struct arena *arena,
                       pprofc_report_options *options);

/* Returns the unit by which the values of verdicts are divided: "per second", "per operation" or
 * "". */
const char *judge_per(const struct judgement *judgement);

/* True if the values of verdicts are recorded values divided by time, operations or the total. */
bool judge_rescales(const struct judgement *judgement);

/* Returns the verdict on a function, or NULL. */
const pprofc_verdict_row *judge_find(const struct judgement *judgement, pprofc_str function);

/* True if the verdict says that this function itself changed. `by_cum` selects the verdict on the
 * function with its callees. */
bool judge_is_change(const pprofc_verdict_row *row, bool by_cum);

/* Returns the number of changed functions. */
size_t judge_changes(const struct judgement *judgement, bool by_cum);

#endif
