/* Implements -noise: reads the runs, judges them and prints the verdicts. */
#include "noise.h"

#include "core/brief.h"
#include "destination.h"

bool noise_wanted(const struct command *command) {
  return *command->noise.show != '\0';
}

void noise_complete(struct noise_options *n) {
  if (n->blame && !*n->show) n->show = "all";
  n->how.places = n->blame;
  n->how.normalize_by = (pprofc_verdict_exposure)n->normalize_by;
  n->how.no_common = n->common != 0;
  n->how.dependent = n->correction != 0;
}

struct noise_settings noise_settings_of(const struct noise_options *flags) {
  struct noise_settings settings;
  noise_settings_init(&settings);
  if (flags) settings = (struct noise_settings){flags->how, flags->ops, flags->rules};
  return settings;
}

pprofc_status noise_judge(struct noise_report *report, const struct noise_options *flags,
                          const struct noise_runs *runs, pprofc_error *error) {
  const struct noise_settings settings = noise_settings_of(flags);
  pprofc_status status = benches_match(report->options, flags, runs, report->benchmark, error);
  return status ? status : noise_judge_runs(report, runs, &settings, error);
}

bool noise_is_picture(const struct command *command) {
  return strcmp(command->format->name, "flame") == 0 ||
         strcmp(command->format->name, "flamegraph") == 0;
}

/* Writes a flame graph of the difference, with verdicts. */
static pprofc_status noise_draw(struct command *command, const struct noise_report *report,
                                const pprofc_profile *difference, pprofc_error *error) {
  const char *hide = command->report.hide;
  struct arena arena = arena_make(&mem_default);
  pprofc_status status =
      noise_hide_folded(difference, &arena, &command->report) ? PPROFC_OK : error_nomem(error);
  command->report.verdicts = report->verdicts;
  if (!status) status = destination_report(command, difference, error);
  command->report.verdicts = NULL;
  command->report.hide = hide;
  arena_free(&arena);
  return status;
}

static pprofc_status noise_show(struct command *command, const struct noise_report *report,
                                pprofc_error *error) {
  command->verdicts = report;
  pprofc_status status = destination_report(command, NULL, error);
  command->verdicts = NULL;
  return status;
}

/* Judges the runs. Sets *difference to their difference if the report is a picture. */
static pprofc_status noise_run_profiles(const struct command *command, struct noise_report *report,
                                        pprofc_profile **difference, pprofc_error *error) {
  struct loaded_runs runs;
  struct open_sums needs;
  bool folds = folding_of_runs(command, &needs);
  pprofc_status status = runs_load(command, folds ? &needs : NULL, &runs, error);
  if (!status) status = noise_judge(report, &command->noise, &runs.list, error);
  if (!status && noise_is_picture(command))
    status = runs_difference(&runs.list, false, difference, error);
  runs_free(&runs);
  return status;
}

pprofc_status noise_run(struct command *command, int *code, pprofc_error *error) {
  struct noise_report report = {.options = &command->report, .show = command->noise.show};
  pprofc_profile *difference = NULL;
  *code = 0;
  pprofc_status status = noise_gate_check(command, error);
  if (status) return status;
  if (noise_sums_given(command))
    status = noise_sums_judge(command, &report, error);
  else
    status = noise_run_profiles(command, &report, &difference, error);
  if (!status && difference) status = noise_draw(command, &report, difference, error);
  if (!status && !difference) status = noise_show(command, &report, error);
  if (!status) *code = noise_gate(&command->noise, &report);
  pprofc_profile_release(difference);
  pprofc_verdicts_free(report.verdicts);
  return status;
}

/* Adds the change of all rows that -budget drops: " (together +1.2s)". */
static void noise_describe_left(const void *context, const struct brief_left *left,
                                struct buffer *to) {
  double change = (double)left->amount;
  struct amount_unit unit = noise_unit_for(context, fabs(change));
  char text[AMOUNT_TEXT];
  buffer_printf(to, " (together %.*s)", STR_ARG(amount_text(&unit, change, true, text)));
}

pprofc_status noise_write(const struct command *command, pprofc_write_fn write, void *context,
                          pprofc_error *error) {
  struct output out;
  output_init(&out, write, context);
  bool json = strcmp(command->format->name, "json") == 0;
  const struct noise_report *report = command->verdicts;
  pprofc_status status = PPROFC_OK;
  if (json)
    status = noise_json(report, &out, error);
  else if (command->noise.blame)
    noise_blame(report, &out);
  else
    status = noise_table(report, &out, error);
  if (!status) status = output_flush(&out, error);
  if (!status && out.brief) brief_settle(out.brief, noise_describe_left, NULL, report);
  return status;
}
