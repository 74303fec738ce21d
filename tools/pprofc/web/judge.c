/* Verdicts of a pair of profiles, as -top -noise computes them. */
#include "web/judge.h"

#include "core/budget.h"
#include "core/error.h"
#include "noise/noise.h"
#include "profile/profile.h"

#include <stdio.h>

/* ---- making ------------------------------------------ */

/* Returns why rows of a report with these options have no verdicts, or NULL. */
static const char *judge_obstacle(const pprofc_report_options *o) {
  const char *g = o->granularity;
  if (g && *g && strcmp(g, "functions") != 0)
    return "verdicts are per function: choose the granularity functions";
  if (o->mean) return "verdicts need sums, and these values are means";
  return NULL;
}

pprofc_status judge_pair(const pprofc_profile *base, const pprofc_profile *head,
                         const pprofc_report_options *options, struct judgement *j,
                         pprofc_error *error) {
  const pprofc_verdict_run runs[2] = {{.profile = base, .name = "base"},
                                      {.profile = head, .name = "head"}};
  pprofc_error why = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_filter_options filter = noise_filter(options);
  pprofc_verdict_options wanted;
  *j = (struct judgement){.verdicts = NULL};
  const char *obstacle = judge_obstacle(options);
  if (obstacle) {
    snprintf(j->reason, sizeof j->reason, "%s", obstacle);
    return PPROFC_OK;
  }
  filter.warn = NULL; /* the report explains it */
  pprofc_verdict_options_init(&wanted);
  wanted.filter = &filter;
  wanted.sample_index = options->sample_index ? options->sample_index : "";
  wanted.noinlines = options->noinlines;
  if (options->normalize) wanted.normalize_by = PPROFC_EXPOSURE_TOTAL;
  pprofc_status status = pprofc_verdicts_new(&runs[0], 1, &runs[1], 1, &wanted, &j->verdicts, &why);
  if (!status) {
    pprofc_verdicts_summary_of(j->verdicts, &j->summary);
    return PPROFC_OK;
  }
  if (status == PPROFC_E_NOMEM || budget_stopped(&base->mem))
    return error_set(error, status, "%s", why.message);
  snprintf(j->reason, sizeof j->reason, "%s", why.message);
  return PPROFC_OK;
}

void judge_free(struct judgement *j) {
  pprofc_verdicts_free(j->verdicts);
  j->verdicts = NULL;
}

/* ---- rows -------------------------------------------- */

const pprofc_verdict_row *judge_find(const struct judgement *j, pprofc_str function) {
  return j->verdicts ? pprofc_verdicts_find(j->verdicts, function) : NULL;
}

bool judge_is_change(const pprofc_verdict_row *row, bool by_cum) {
  return row && pprofc_verdict_is_change(judge_estimate(row, by_cum)->verdict);
}

const char *judge_word(const pprofc_verdict_row *row, bool by_cum) {
  const pprofc_verdict_estimate *e = judge_estimate(row, by_cum);
  if (e->samples <= 0) return "";
  if (!by_cum && row->relation) return pprofc_verdict_relation_name(row->relation);
  if (by_cum && row->via_callee && judge_is_change(row, true)) return "via callee";
  return pprofc_verdict_name(e->verdict);
}

size_t judge_changes(const struct judgement *j, bool by_cum) {
  size_t count = 0, changes = 0;
  if (!j->verdicts) return 0;
  const pprofc_verdict_row *rows = pprofc_verdicts_rows(j->verdicts, &count);
  for (size_t i = 0; i < count; i++) changes += judge_is_change(&rows[i], by_cum);
  return changes;
}
