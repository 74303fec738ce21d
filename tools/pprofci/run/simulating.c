/* Counts the instructions of a command of each side: pprofc -simulate runs it under valgrind. */
#include "core/child.h"
#include "run/files.h"
#include "run/programs.h"
#include "run/text.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include <wordexp.h>

/* pprofc in $PPROFC_BIN, beside this program, or in PATH. */
static const char *find_pprofc(struct ci_run *run) {
  const char *folder = getenv("PPROFC_BIN");
  char self[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", self, sizeof self);
  pprofc_str whole = {self, size > 0 ? (size_t)size : 0};
  const char *places[] = {run_has(folder) ? text_printf(&run->arena, "%s/pprofc", folder) : NULL,
                          text_printf(&run->arena, "%.*s/pprofc",
                                      STR_ARG(str_slice(whole, 0, str_find_last_char(whole, '/')))),
                          "pprofc"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (places[i] && child_exists(places[i])) return places[i];
  return NULL;
}

static pprofc_status simulate_words(struct ci_run *run, const char *pprofc, const wordexp_t *words,
                                    const char *path, pprofc_error *error) {
  const char *const first[] = {pprofc, "-simulate", "-symbolize=none", "-proto", NULL, "--"};
  size_t begin = sizeof first / sizeof *first;
  const char **argv = arena_array(&run->arena, begin + words->we_wordc + 1, sizeof *argv);
  const char *output = text_printf(&run->arena, "-output=%s", path);
  if (!argv || !output) return error_nomem(error);
  for (size_t i = 0; i < begin; i++) argv[i] = first[i] ? first[i] : output;
  for (size_t i = 0; i < words->we_wordc; i++) argv[begin + i] = words->we_wordv[i];
  argv[begin + words->we_wordc] = NULL;
  struct program program = {.argv = argv};
  pprofc_status status = program_run(run, &program, error);
  pprofc_str why = program_last_line(&program);
  if (str_starts(why, STR("pprofc: "))) why = str_slice(why, strlen("pprofc: "), why.size);
  if (status == PPROFC_OK && program.status != 0)
    status = error_set(error, PPROFC_E_IO, "%.*s", STR_ARG(why));
  program_end(&program);
  return status;
}

/* A command is words as for a shell; valgrind shall see the program, not a shell. */
static pprofc_status simulate_side(struct ci_run *run, const char *pprofc, int side,
                                   const char *command, const char **profile, pprofc_error *error) {
  wordexp_t words;
  const char *folder = text_printf(&run->arena, "%s/simulated_%s", run->work, side_names[side]);
  *profile = folder ? text_printf(&run->arena, "%s/simulated.pb.gz", folder) : NULL;
  if (!*profile) return error_nomem(error);
  if (!files_make_folders(folder))
    return error_set(error, PPROFC_E_IO, "cannot make the folder '%s'", folder);
  if (wordexp(command, &words, 0) != 0)
    return error_set(error, PPROFC_E_INVALID, "cannot read the command '%s' (-simulate-%s)",
                     command, side_names[side]);
  pprofc_status status = PPROFC_OK;
  if (!words.we_wordc)
    status = error_set(error, PPROFC_E_INVALID, "-simulate-%s is empty", side_names[side]);
  if (status == PPROFC_OK) status = simulate_words(run, pprofc, &words, *profile, error);
  wordfree(&words);
  return status;
}

pprofc_status simulate_sides(struct ci_run *run, pprofc_error *error) {
  const char *commands[SIDES] = {run->options->simulate_base, run->options->simulate_head};
  const char *profiles[SIDES] = {NULL, NULL};
  if (!*commands[SIDE_HEAD]) return PPROFC_OK;
  const char *pprofc = find_pprofc(run);
  if (!pprofc)
    return error_set(error, PPROFC_E_UNSUPPORTED,
                     "pprofc is not built: run scripts/quickstart.sh first, or set PPROFC_BIN");
  for (int side = 0; side < SIDES; side++) {
    if (!*commands[side]) continue;
    pprofc_status status = simulate_side(run, pprofc, side, commands[side], &profiles[side], error);
    if (status != PPROFC_OK) return status;
  }
  struct run_pair *pair = run_add_pair(run, profiles[SIDE_BASE], profiles[SIDE_HEAD]);
  if (!pair) return error_nomem(error);
  pair->kind = "instructions";
  return PPROFC_OK;
}
