/* Runs programs and waits for their end. */
#include "run/files.h"

#include "core/child.h"

#include <wordexp.h>

/* Exit status of a program that could not be started, the same as in shells. */
#define NOT_STARTED 127

void program_run(struct program *program) {
  struct child_end end;
  pprofc_error error; /* not ci_error, because the cleanup after an error may run a program */
  buffer_init(&program->printed, &ci_mem, CHILD_OUTPUT_BYTES);
  buffer_init(&program->said, &ci_mem, CHILD_OUTPUT_BYTES);
  struct child child = {.argv = program->argv, .timeout_ms = CHILD_NO_TIMEOUT};
  const struct child_user user = {.folder = program->folder,
                                  .said = &program->said,
                                  .stop = &run_stopped,
                                  .serve = program->serve,
                                  .context = program->context,
                                  .watched = program->watched};
  pprofc_status status = child_run_for_user(&child, &user, &program->printed, &end, &error);
  program->status = end.status;
  if (run_stopped) ci_fail("interrupted");
  if (status == PPROFC_E_NOMEM || status == PPROFC_E_LIMIT) ci_fail("%s", error.message);
  if (status == PPROFC_OK) return;
  buffer_add_text(&program->said, error.message);
  program->status = NOT_STARTED;
}

void program_end(struct program *program) {
  buffer_free(&program->printed);
  buffer_free(&program->said);
}

pprofc_str program_last_line(const struct program *program) {
  pprofc_str said = text_last_line(buffer_str(&program->said));
  return said.size ? said : text_last_line(buffer_str(&program->printed));
}

const char *program_line(struct arena *arena, const char *folder, const char *const *argv) {
  struct program program = {.argv = argv, .folder = folder};
  program_run(&program);
  pprofc_str line = text_last_line(buffer_str(&program.printed));
  const char *kept = program.status == 0 ? text_keep(arena, line) : "";
  program_end(&program);
  return kept;
}

const char *const *program_words(struct ci_run *run, const char *flag, const char *command) {
  wordexp_t split;
  if (wordexp(command, &split, 0) != 0)
    ci_fail("cannot read the command '%s' (-%s)", command, flag);
  if (!split.we_wordc) ci_fail("-%s is empty", flag);
  const char **words = arena_array(&run->arena, split.we_wordc + 1, sizeof *words);
  for (size_t i = 0; i < split.we_wordc; i++)
    words[i] = text_keep(&run->arena, str_of(split.we_wordv[i]));
  words[split.we_wordc] = NULL;
  wordfree(&split);
  return words;
}
