/* Makes verdicts on the functions of a difference for the page. */
#ifndef PPROFC_WEB_JUDGE_H
#define PPROFC_WEB_JUDGE_H

#include "core/buffer.h"
#include "options.h"
#include "pprofc/verdict.h"
#include "report/report.h"

struct judgement {
  pprofc_verdicts *verdicts; /* verdicts of the comparison; NULL without verdicts, and `reason`
                                explains why */
  pprofc_verdict_summary summary;
  char reason[sizeof((pprofc_error *)0)->message];
};

/* One side of a comparison. */
struct judge_side {
  const pprofc_profile *profile;  /* profile that the page shows: the sum of the runs */
  const pprofc_verdict_run *runs; /* runs of the side */
  size_t count;                   /* number of runs; 0 if the profile is a single run */
};

/* Returns why rows of a report with these options have no verdicts, or NULL. */
const char *judge_obstacle(const pprofc_report_options *options);

/* Judges the functions as a report with these options shows them, base first. A comparison without
 * verdicts is not an error; only out of memory and a stopped budget are errors. `noise` may
 * be NULL for the defaults. Allocates from the allocator of the base's profile. The caller frees
 * the result, also after an error. */
pprofc_status judge_sides(const struct judge_side sides[2], const pprofc_report_options *options,
                          const struct noise_options *noise, struct judgement *judgement,
                          pprofc_error *error);
void judge_free(struct judgement *judgement);

/* Hides the frames that verdicts fold (runtime.asyncPreempt) in a difference, so that every page
 * has the amounts of the table. False when out of memory. */
bool judge_hide_folded(const pprofc_profile *difference, struct arena *arena,
                       pprofc_report_options *options);

/* Returns the unit by which the amounts of the verdicts are divided: "per second", "per operation"
 * or "". */
const char *judge_per(const struct judgement *judgement);

/* True if the amounts of verdicts are recorded ones divided by time, operations or the total. */
bool judge_rescales(const struct judgement *judgement);

/* Returns the row of a function, or NULL. */
const pprofc_verdict_row *judge_find(const struct judgement *judgement, pprofc_str function);

/* True if the function changed by itself. */
bool judge_is_change(const pprofc_verdict_row *row, bool by_cum);

/* Counts the functions that changed. */
size_t judge_changes(const struct judgement *judgement, bool by_cum);

#endif
