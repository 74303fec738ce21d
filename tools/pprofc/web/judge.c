/* Verdicts of a pair of profiles, as -top -noise finds them. */
#include "web/judge.h"

#include "core/budget.h"
#include "core/error.h"
#include "noise/noise.h"
#include "profile/profile.h"

#include <math.h>
#include <stdio.h>

/* ---- making ------------------------------------------ */

/* Why a report with these options has rows that verdicts are not of; NULL when it has not. */
static const char *judge_obstacle(const pprofc_report_options *o) {
  const char *g = o->granularity;
  if (g && *g && strcmp(g, "functions") != 0)
    return "they are of functions, choose the granularity functions";
  if (o->mean) return "they are of sums, and these are means";
  return NULL;
}

static pprofc_status judge_runs(const pprofc_verdict_run runs[2],
                                const pprofc_verdict_options *options, struct judgement *j,
                                pprofc_error *error) {
  pprofc_verdicts_free(j->verdicts);
  j->verdicts = NULL;
  pprofc_status status =
      pprofc_verdicts_new(&runs[0], 1, &runs[1], 1, options, &j->verdicts, error);
  if (!status) pprofc_verdicts_summary_of(j->verdicts, &j->summary);
  return status;
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
  filter.warn = NULL; /* the report says it */
  pprofc_verdict_options_init(&wanted);
  wanted.filter = &filter;
  wanted.sample_index = options->sample_index ? options->sample_index : "";
  wanted.noinlines = options->noinlines;
  if (options->normalize) wanted.normalize_by = PPROFC_EXPOSURE_TOTAL;
  pprofc_status status = judge_runs(runs, &wanted, j, &why);
  if (!status && noise_refuses_common(&j->summary)) {
    j->common_refused = wanted.no_common = true;
    status = judge_runs(runs, &wanted, j, &why);
  }
  if (!status) return PPROFC_OK;
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

bool judge_is_quiet(const pprofc_verdict_row *row, bool by_cum) {
  if (!row) return false;
  pprofc_verdict verdict = judge_estimate(row, by_cum)->verdict;
  return verdict == PPROFC_VERDICT_NOISE || verdict == PPROFC_VERDICT_RARE;
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

/* ---- numbers ----------------------------------------- */

double judge_percent(const struct judgement *j, double value) {
  const pprofc_verdict_summary *s = &j->summary;
  double whole = s->total_base != 0 ? s->total_base : s->total_head;
  return whole != 0 ? 100 * value / fabs(whole) : (double)NAN;
}

/* As many digits as a table has room for. */
static int judge_digits(double percent) {
  return fabs(percent) < 100 ? 2 : 0;
}

const char *judge_interval(const struct judgement *j, const pprofc_verdict_estimate *e,
                           char text[JUDGE_TEXT]) {
  double change = judge_percent(j, e->delta), half = judge_percent(j, (e->high - e->low) / 2);
  *text = '\0';
  if (isnan(e->p) || !isfinite(change) || !isfinite(half)) return text;
  snprintf(text, JUDGE_TEXT, "%+.*f%% \xC2\xB1%.*f%%", judge_digits(change), change,
           judge_digits(half), half);
  return text;
}
