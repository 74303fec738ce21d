/* Implements -fail_on, which sets the exit status if a change satisfies a condition. */
#include "noise/noise.h"
#include "verdict/print/print.h"

/* Exit statuses, the same as in the tool parse_bench_regressions. */
enum noise_gate_exit { GATE_PASSED = 0, GATE_NO_RESULT = 1, GATE_REGRESSED = 2, GATE_DOUBTS = 3 };

/* Minimum number of runs of base and of head. Fewer runs give a poor estimate of the noise. */
#define GATE_RUNS 3

pprofc_status noise_gate_check(const struct command *command, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < command->noise.fail_on.count && !status; i++)
    status = noise_condition_check("fail_on", command->noise.fail_on.items[i], error);
  return status;
}

struct noise_printing {
  const struct noise_report *report;
  const char *text;
  size_t fired;
};

/* Formats "grew by +1.2s" or "grew by +12.0%". Adds q, the adjusted p-value, if there was a test.
 */
static void noise_gate_amount(const struct noise_report *report, const struct noise_finding *found,
                              char out[160]) {
  const pprofc_verdict_estimate *e = &found->estimate;
  struct amount_unit unit = noise_unit_for(report, fabs(e->delta));
  char delta[AMOUNT_TEXT];
  if (isnan(found->change))
    amount_text(&unit, e->delta, true, delta);
  else
    snprintf(delta, sizeof delta, "%+.1f%%", 100 * found->change);
  const char *rest, *verb = noise_verb(e->verdict, &rest);
  int used = snprintf(out, 160, "%s by %s%s", verb, delta, rest);
  if (!isnan(e->q) && e->verdict != PPROFC_VERDICT_GREW_AS_ALL && !report->summary.lone &&
      !found->accepted && used > 0)
    snprintf(out + used, 160 - (size_t)used, " (q=%.2g)", e->q);
}

static void noise_gate_print(void *context, const struct noise_finding *found) {
  struct noise_printing *t = context;
  char amount[160], relation[160] = "", place[DOMAIN_PLACE] = "";
  noise_gate_amount(t->report, found, amount);
  if (found->accepted) {
    message_note("accepted until %.*s: %.*s %s: %.*s", STR_ARG(found->until), STR_ARG(found->name),
                 amount, STR_ARG(found->reason));
    return;
  }
  t->fired++;
  if (found->domain)
    noise_domain_place(found->domain, place);
  else if (found->row && found->row->relation) {
    pprofc_str from = str_slice(t->report->rows[found->row->partner].name, 0, 120);
    snprintf(relation, sizeof relation, ", %s from %.*s",
             pprofc_verdict_relation_name(found->row->relation), STR_ARG(from));
  }
  message_error("pprofc: -fail_on='%s': %.*s %s%s%s", t->text, STR_ARG(found->name), amount,
                relation, place);
}

/* Checks a condition, and prints messages about the changes that satisfy it. Sets *fired to true if
 * there are such changes, and *hidden to the condition if noise may hide them. Returns false if the
 * condition cannot be checked. */
static bool noise_gate_run(const struct noise_report *report, const char *text, bool *fired,
                           const char **hidden) {
  struct noise_printing t = {report, text, 0};
  enum noise_use use = noise_condition_find(report, text, (double)INFINITY, noise_gate_print, &t);
  if (use == NOISE_OTHER_UNIT)
    message_error("pprofc: -fail_on='%s': values are in %.*s", text, STR_ARG(report->summary.unit));
  if (use == NOISE_UNJUDGED || use == NOISE_FAILED)
    message_error("pprofc: -fail_on='%s': cannot be judged with these profiles", text);
  if (use == NOISE_HIDDEN) *hidden = text;
  *fired |= t.fired > 0;
  return use <= NOISE_HIDDEN;
}

/* Prints notes about rules of -noise_rules that match no function or have expired. */
static void noise_gate_print_rules(const struct noise_report *report) {
  pprofc_verdict_accepted rule;
  char today[16];
  noise_gate_today(today);
  for (size_t i = 0; pprofc_verdicts_accepted_at(report->verdicts, i, &rule); i++) {
    if (!rule.rows)
      message_note("the rule that accepts %.*s matches no function", STR_ARG(rule.function));
    else if (str_compare(str_of(today), rule.until) > 0)
      message_note("the rule that accepts %.*s expired on %.*s and has no effect: %.*s",
                   STR_ARG(rule.function), STR_ARG(rule.until), STR_ARG(rule.reason));
  }
}

/* True if at least one row has a verdict. For some sample types, rows have verdicts only if base
 * and head have several runs. */
static bool noise_gate_judged(const struct noise_report *report) {
  for (size_t i = 0; i < report->row_count; i++)
    if (report->rows[i].flat.verdict >= PPROFC_VERDICT_UNCHANGED ||
        report->rows[i].cum.verdict >= PPROFC_VERDICT_UNCHANGED)
      return true;
  return false;
}

/* Returns the exit status of -strict. `hidden` is a condition whose growth noise may hide, or NULL.
 */
static int noise_gate_strict(const pprofc_verdict_summary *s, const char *hidden) {
  if (s->base_runs < GATE_RUNS || s->head_runs < GATE_RUNS)
    message_error("pprofc: -strict: %zu + %zu runs; %d of each version are needed", s->base_runs,
                  s->head_runs, GATE_RUNS);
  else if (hidden)
    message_error("pprofc: -strict: -fail_on='%s': noise may hide such a growth", hidden);
  else
    return GATE_PASSED;
  return GATE_DOUBTS;
}

int noise_gate(const struct noise_options *o, const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  bool fired = false, judged = true;
  const char *hidden = NULL;
  if (!o->fail_on.count) return GATE_PASSED;
  if (noise_is_pair(s) && !s->lone)
    message_note("-fail_on with one run of each version is weak: it counts only changes whose "
                 "whole interval exceeds the limit");
  for (size_t i = 0; i < o->fail_on.count; i++)
    judged &= noise_gate_run(report, o->fail_on.items[i], &fired, &hidden);
  noise_gate_print_rules(report);
  if (fired) return GATE_REGRESSED;
  if (!judged) return GATE_NO_RESULT;
  if (!noise_gate_judged(report)) {
    message_error(s->tested
                      ? "pprofc: -fail_on: this sample type needs more than one run of each version"
                      : "pprofc: -fail_on: no function has enough samples to be judged");
    return GATE_NO_RESULT;
  }
  return o->strict ? noise_gate_strict(s, hidden) : GATE_PASSED;
}
