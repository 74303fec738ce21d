/* Implements -noise: reads the runs, judges them and prints the verdicts. */
#include "noise.h"

#include "core/brief.h"
#include "destination.h"
#include "pipeline/pipeline.h"
#include "profile/profile.h"

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

#define NOISE_RULES_MOST (1u << 20)

static pprofc_status noise_options_of(const struct noise_options *flags, struct buffer *rules,
                                      pprofc_verdict_options *how, pprofc_error *error) {
  *how = flags->how;
  buffer_init(rules, &mem_default, NOISE_RULES_MOST);
  if (!*flags->rules) return PPROFC_OK;
  pprofc_status status = file_read(flags->rules, rules, error);
  how->rules = rules->data ? rules->data : "";
  how->rules_size = rules->size;
  how->rules_name = flags->rules;
  return status;
}

pprofc_status noise_set_ops(const char *text, pprofc_verdict_run *runs, size_t count, size_t bases,
                            pprofc_error *error) {
  pprofc_str rest = str_of(text), piece;
  size_t pieces = 0;
  double side[2] = {0, 0};
  while (*text && str_next(&rest, ',', &piece)) {
    double value;
    if (!str_parse_float(str_trim(piece), &value) || !(value > 0) || value > 1e300)
      return error_set(error, PPROFC_E_INVALID, "-ops: '%.*s' is not a number of operations",
                       STR_ARG(piece));
    if (pieces < 2) side[pieces] = value;
    if (pieces < count) runs[pieces].operations = value;
    pieces++;
  }
  if (!pieces || pieces == count) return PPROFC_OK;
  if (pieces != 2)
    return error_set(error, PPROFC_E_INVALID,
                     "-ops has %zu numbers; it takes 2, or one for each of the %zu runs", pieces,
                     count);
  for (size_t i = 0; i < count; i++) runs[i].operations = side[i >= bases];
  return PPROFC_OK;
}

/* Stores a warning. The function is a pprofc_warn_fn callback. */
static void noise_warn(void *context, const char *message) {
  struct noise_warnings *all = context;
  size_t i = 0;
  while (i < all->count && strncmp(all->items[i].text, message, sizeof all->items[i].text - 1) != 0)
    i++;
  if (i == NOISE_WARNINGS) return;
  if (i == all->count) {
    snprintf(all->items[all->count++].text, sizeof all->items[i].text, "%s", message);
    all->items[i].runs = 0;
  }
  all->items[i].runs++;
}

struct noise_report noise_report_of(const pprofc_report_options *options,
                                    const struct noise_options *flags) {
  return (struct noise_report){
      .options = options, .show = flags->show, .fcr = flags->how.fcr, .stacks = flags->how.stacks};
}

pprofc_status noise_judge(struct noise_report *report, const struct noise_options *flags,
                          struct loaded_runs *runs, pprofc_error *error) {
  struct buffer rules;
  pprofc_verdict_options how;
  struct noise_warnings warnings = {.count = 0};
  const pprofc_report_options *given = report->options;
  pprofc_report_options collecting = *given;
  collecting.warn = noise_warn;
  collecting.warn_context = &warnings;
  pprofc_status status = noise_options_of(flags, &rules, &how, error);
  if (!status) status = benches_match(given, flags, runs, report->benchmark, error);
  if (!status) status = noise_set_ops(flags->ops, runs->items, runs->count, runs->bases, error);
  if (!status) {
    report->options = &collecting;
    status = noise_report_judge(report, runs->items, runs->count, runs->bases, &how, error);
    report->options = given;
    for (size_t i = 0; i < warnings.count && given->warn; i++)
      if (warnings.items[i].runs >= runs->count) message_error("%s", warnings.items[i].text);
  }
  buffer_free(&rules);
  return status;
}

bool noise_is_picture(const struct command *command) {
  return strcmp(command->format->name, "flame") == 0 ||
         strcmp(command->format->name, "flamegraph") == 0;
}

static bool noise_has_folded(const pprofc_profile *p) {
  for (size_t i = 0; i < p->functions.count; i++) {
    pprofc_str name = profile_string(p, p->functions.name[i]);
    if (str_equal(name, STR("runtime.asyncPreempt"))) return true;
    if (str_equal(name, STR("runtime.asyncPreempt2"))) return true;
  }
  return false;
}

bool noise_hide_folded(const pprofc_profile *difference, struct arena *arena,
                       pprofc_report_options *options) {
  const char *hide = options->hide ? options->hide : "";
  if (hide == pipeline_stopped || !noise_has_folded(difference)) return true;
  if (!*hide) {
    options->hide = pipeline_stopped;
    return true;
  }
  size_t size = strlen(hide) + strlen(pipeline_stopped) + 8;
  char *both = arena_alloc(arena, size);
  if (!both) return false;
  snprintf(both, size, "(?:%s)|%s", hide, pipeline_stopped);
  options->hide = both;
  return true;
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

/* Judges two files that -sums wrote. */
static pprofc_status noise_run_sums(const struct command *command, struct noise_report *report,
                                    pprofc_error *error) {
  struct buffer rules;
  pprofc_verdict_options how;
  pprofc_status status = noise_options_of(&command->noise, &rules, &how, error);
  if (command->report.sample_index) how.sample_index = command->report.sample_index;
  if (!status) status = noise_sums_judge(command, &how, &report->verdicts, error);
  if (!status) noise_take(report);
  buffer_free(&rules);
  return status;
}

/* Judges the runs. Sets *difference to their difference if the report is a picture. */
static pprofc_status noise_run_profiles(const struct command *command, struct noise_report *report,
                                        pprofc_profile **difference, pprofc_error *error) {
  struct loaded_runs runs;
  struct open_sums needs;
  bool folds = folding_of_runs(command, &needs);
  pprofc_status status = runs_load(command, folds ? &needs : NULL, &runs, error);
  if (!status) status = noise_judge(report, &command->noise, &runs, error);
  if (!status && noise_is_picture(command))
    status = runs_difference(runs.items, runs.count, runs.bases, false, difference, error);
  runs_free(&runs);
  return status;
}

pprofc_status noise_run(struct command *command, int *code, pprofc_error *error) {
  struct noise_report report = noise_report_of(&command->report, &command->noise);
  pprofc_profile *difference = NULL;
  *code = 0;
  pprofc_status status = noise_gate_check(command, error);
  if (status) return status;
  if (noise_sums_given(command))
    status = noise_run_sums(command, &report, error);
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
