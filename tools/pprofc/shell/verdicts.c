/* Adds verdicts to the formats top, text, json and flame graphs if the option noise is set. Reads
 * the runs of the command line or of diff_base once, and keeps them until the base changes. */
#include "session.h"

bool shell_choose_noise(struct shell *shell, pprofc_str value, struct command *command) {
  static const struct noise_choice {
    const char *word, *show;
  } choices[] = {
      {"all", "all"}, {"changed", "changed"}, {"rows", "rows"}, {"off", ""}, {"", "all"}};
  const struct noise_choice *choice = STR_ROW(value, choices);
  if (choice) command->noise.show = choice->show;
  if (choice) return true;
  char quoted[QUOTE_MAX];
  quote_go(value, quoted);
  shell_fail(shell, "invalid value %s for noise: must be all, changed, rows or off", quoted);
  return false;
}

bool shell_wants_verdicts(const struct command *run) {
  return noise_wanted(run) && noise_has_format(run);
}

void shell_forget_runs(struct shell *shell) {
  if (shell->runs_loaded) runs_free(&shell->runs);
  shell->runs_loaded = false;
}

/* Reads the runs. A base that the user set in the shell replaces the bases of the command line. */
static pprofc_status verdicts_load(struct shell *shell, pprofc_error *error) {
  struct command command = shell->command;
  const char *chosen = shell->base.source;
  if (shell->runs_loaded) return PPROFC_OK;
  if (shell->base.chosen) {
    command.diff_base = chosen;
    command.bases = (struct source_list){&chosen, 1, 1};
  }
  pprofc_status status = runs_load(&command, NULL, &shell->runs, error);
  shell->runs_loaded = true;
  /* Later reports use the profiles, so no report may modify them. */
  for (size_t i = 0; i < shell->runs.list.count; i++)
    shell->runs.sources[i].profile->disposable = false;
  if (status) shell_forget_runs(shell);
  return status;
}

pprofc_status shell_output_verdicts(struct shell *shell, struct command *run,
                                    const struct shell_target *target, pprofc_error *error) {
  struct noise_report report = {.options = &run->report, .show = run->noise.show};
  if (!shell->base.on || !shell->base.compare)
    return error_set(error, PPROFC_E_INVALID,
                     "noise compares runs; set the base with diff_base FILE");
  run->diff_base = shell->base.source;
  const char *conflict = noise_conflict(run);
  if (conflict) return error_set(error, PPROFC_E_INVALID, "%s", conflict);
  pprofc_status status = verdicts_load(shell, error);
  if (!status) status = noise_judge(&report, &run->noise, &shell->runs.list, error);
  struct arena arena = arena_make(&mem_default);
  if (!noise_is_picture(run))
    run->verdicts = &report;
  else if (noise_hide_folded(shell->profile, &arena, &run->report))
    run->report.verdicts = report.verdicts;
  else if (!status)
    status = error_nomem(error);
  if (!status) status = shell_output(shell, run, target, error);
  run->verdicts = NULL;
  run->report.verdicts = NULL;
  pprofc_verdicts_free(report.verdicts);
  arena_free(&arena);
  return status;
}
