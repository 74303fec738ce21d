/* Implements the commands base and diff_base, which set, remove and restore a base. The session
 * keeps two profiles: the head without a base, and the difference. */
#include "session.h"

#include "pprofc/transform.h"
#include "profile/profile.h"
#include "sources/sources.h"

static void bases_replace(pprofc_profile **place, pprofc_profile *profile) {
  pprofc_profile_retain(profile);
  pprofc_profile_release(*place);
  *place = profile;
}

static pprofc_status bases_read(const struct command *command, pprofc_profile **profile,
                                pprofc_error *error) {
  struct progress progress;
  progress_start(&progress, "reading");
  pprofc_status status = sources_fetch(command, profile, error);
  progress_end(&progress);
  /* Later reports use the profile, so no report may modify it. */
  if (status == PPROFC_OK) (*profile)->disposable = false;
  return status;
}

/* Reads the head without a base, unless the session already has it. If the command line names a
 * base, the session begins with only the difference. */
static bool bases_find_head(struct shell *shell) {
  if (shell->head) return true;
  struct command command = command_without_base(&shell->command);
  pprofc_error error;
  if (bases_read(&command, &shell->head, &error) == PPROFC_OK) return true;
  shell_fail_error(shell, &error);
  return false;
}

static bool bases_make_difference(struct shell *shell, const char *source, bool compare) {
  struct command command = command_without_base(&shell->command);
  pprofc_profile *base = NULL, *difference = NULL;
  pprofc_error error;
  command.add_comment = "";
  command.sources = &source;
  command.source_count = 1;
  pprofc_diff_kind kind = compare ? PPROFC_COMPARE : PPROFC_SUBTRACT;
  pprofc_status status = bases_read(&command, &base, &error);
  if (status == PPROFC_OK)
    status =
        pprofc_diff(shell->head, base, kind, shell->command.report.normalize, &difference, &error);
  if (base && status != PPROFC_OK)
    sources_explain(source, base, shell->command.sources[0], shell->head, &error);
  pprofc_profile_release(base);
  if (status != PPROFC_OK) {
    shell_fail_error(shell, &error);
    return false;
  }
  pprofc_profile_release(shell->difference);
  shell->difference = difference;
  return true;
}

static void bases_choose(struct shell *shell, const char *source, bool compare) {
  if (!bases_find_head(shell) || !bases_make_difference(shell, source, compare)) return;
  char *copy = text_copy(str_of(source));
  if (!copy) {
    shell_fail(shell, "out of memory");
    return;
  }
  shell_forget_runs(shell);
  text_free(shell->base.source);
  shell->base = (struct shell_base){copy, compare, true, true};
  bases_replace(&shell->profile, shell->difference);
}

static void bases_switch(struct shell *shell, bool on) {
  if (on && !shell->base.source) {
    shell_fail(shell, "no base was set; set it with base FILE or diff_base FILE");
    return;
  }
  if (!on && !bases_find_head(shell)) return;
  shell->base.on = on;
  bases_replace(&shell->profile, on ? shell->difference : shell->head);
}

static void bases_print(const struct shell *shell) {
  const struct shell_base *base = &shell->base;
  const char *what = base->compare ? "compared with" : "less the base";
  if (!base->source)
    message_note("no base is set");
  else
    message_note("%s %s%s", what, base->source, base->on ? "" : " (off)");
}

void shell_set_base(struct shell *shell, const struct shell_words *words) {
  bool compare = str_equal(words->items[0], STR("diff_base"));
  if (words->count == 1) {
    bases_print(shell);
    return;
  }
  if (words->count > 2) {
    shell_fail(shell, "%s takes one file", words->items[0].data);
    return;
  }
  const char *word = words->items[1].data;
  if (strcmp(word, "off") == 0)
    bases_switch(shell, false);
  else if (strcmp(word, "on") == 0)
    bases_switch(shell, true);
  else
    bases_choose(shell, word, compare);
  if (!shell->failed && shell->profile) shell_check_options(shell);
}
