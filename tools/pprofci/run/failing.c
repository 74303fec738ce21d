/* Checks -fail-on: conditions that fail the run if a function fulfills them. */
#include "page/numbers.h"
#include "run/code.h"
#include "run/files.h"
#include "verdict/print/print.h"

void failing_prepare(struct ci_run *run) {
  const char *path = run->options->noise_rules;
  if (*path) ci_need(file_keep(path, (size_t)1 << 20, &run->arena, &run->noise_rules, &ci_error));
}

struct failing {
  struct ci_run *run;
  const struct run_pair *pair;
  const struct noise_report *report;
  const char *condition;
};

/* Returns a text that names the group of functions whose sum grew: " inside svc.f". Returns "" if a
 * single function grew. */
static const char *failing_place(struct failing *f, const struct noise_finding *found) {
  char place[DOMAIN_PLACE];
  if (!found->domain) return "";
  noise_domain_place(found->domain, place);
  return text_shown(&f->run->arena, str_of(place));
}

/* Writes a line of the verdict: "shop.checksum grew by +4.3 µs". */
static void failing_print(struct failing *f, const struct noise_finding *found,
                          const struct change *change, const char *rest) {
  struct buffer *out = &f->run->gate_text;
  const char *how, *verb = noise_verb(found->estimate.verdict, &how);
  buffer_printf(out, "%s %s by +", change->name, verb);
  if (isnan(found->change))
    number_profile(out, change->delta, f->report->summary.unit);
  else
    buffer_printf(out, "%.1f%%", 100 * found->change);
  buffer_printf(out, "%s%s in %s%s\n", how, failing_place(f, found), f->pair->diff, rest);
}

/* True if a time grew, but all sampled functions have the same machine code in base and head. This
 * growth does not fail the run. */
static bool failing_excuse(struct failing *f, const struct noise_finding *found,
                           const struct change *change) {
  struct ci_run *run = f->run;
  struct buffer why = ci_buffer();
  bool time = str_equal(f->report->summary.type, STR("cpu"));
  bool excused = time && code_excuses(run, f->pair, &why);
  if (excused) {
    failing_print(f, found, change, "");
    buffer_printf(&run->gate_text, "  inconclusive: %.*s\n", STR_ARG(buffer_str(&why)));
    run->excused++;
  }
  buffer_free(&why);
  return excused;
}

static void failing_take(void *context, const struct noise_finding *found) {
  struct failing *f = context;
  struct ci_run *run = f->run;
  struct change change = judged_estimate(f->report, &found->estimate);
  change.name = text_shown(&run->arena, found->name);
  change.file = "";
  if (found->accepted) {
    pprofc_str reason = escape_line_keep(found->reason, &run->arena);
    buffer_printf(&run->gate_text, "accepted until %.*s (%.*s): ", STR_ARG(found->until),
                  STR_ARG(reason));
    failing_print(f, found, &change, "");
    return;
  }
  if (failing_excuse(f, found, &change)) return;
  buffer_printf(&run->gate_text, "-fail-on='%s': ", f->condition);
  char rest[32] = "";
  if (!isnan(change.q)) snprintf(rest, sizeof rest, " (q=%.2g)", change.q);
  failing_print(f, found, &change, rest);
  const char *unit = text_keep(&run->arena, f->report->summary.unit);
  (void)ARRAY_PUSH_IN(
      &run->arena, run->fired, run->fired_count, run->fired_capacity,
      (struct run_fired){f->condition, f->pair->diff, failing_place(f, found), unit, change});
}

/* Returns the significance level for each comparison. The level is lowered so that all comparisons
 * together have the level of a single test. */
static double failing_alpha(const struct ci_run *run, const struct noise_report *report) {
  size_t comparisons = 0;
  for (size_t i = 0; i < run->pair_count; i++) {
    const struct run_pair *pair = &run->pairs[i];
    bool memory = pair->kind && strcmp(pair->kind, "mem") == 0;
    if (run_has_both(pair)) comparisons += memory ? 2 : 1;
  }
  return report->summary.alpha / (double)(comparisons > 1 ? comparisons : 1);
}

static void failing_check(struct ci_run *run, const struct run_pair *pair,
                          const struct noise_report *report, size_t number) {
  struct failing f = {
      .run = run, .pair = pair, .report = report, .condition = run->options->fail_on[number]};
  enum noise_use use =
      noise_condition_find(report, f.condition, failing_alpha(run, report), failing_take, &f);
  if (use == NOISE_FAILED) ci_fail("-fail-on='%s' cannot be matched", f.condition);
  if (use <= NOISE_HIDDEN && report->summary.tested) run->fail_used[number]++;
}

void failing_find(struct ci_run *run, const struct run_pair *pair, const struct judged *judged) {
  for (size_t t = 0; t < JUDGED_TYPES; t++)
    for (size_t i = 0; i < run->options->fail_on_count; i++)
      if (judged->reports[t].verdicts) failing_check(run, pair, &judged->reports[t], i);
}

/* Reports the conditions that no comparison could judge. Returns false if there are such
 * conditions. */
static bool failing_all_used(struct ci_run *run) {
  bool all = true;
  for (size_t i = 0; i < run->options->fail_on_count; i++) {
    if (run->fail_used[i]) continue;
    buffer_printf(&run->gate_text, "-fail-on='%s': no function could be judged\n",
                  run->options->fail_on[i]);
    all = false;
  }
  return all;
}

void failing_judge(struct ci_run *run) {
  if (!run->options->fail_on_count) return;
  bool all = same_is_all(run) || failing_all_used(run);
  run->conditions = true;
  if (!run->judged && !*run->instructions) run->verdict = RUN_PASSED;
  if (run->fired_count && run->status != 1) {
    run->status = 2;
    run->verdict = RUN_REGRESSED;
  } else if (!all && run->status == 0) {
    run->status = 1;
    run->verdict = RUN_GATE_FAILED;
  }
}
