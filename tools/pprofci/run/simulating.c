/* Counts the instructions of a command of base and of head under valgrind. The base runs several
 * times, which finds functions whose counts vary. */
#include "core/child.h"
#include "run/files.h"
#include "run/programs.h"
#include "run/text.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include <wordexp.h>

/* Finds pprofc in $PPROFC_BIN, in the folder of this program, or in PATH. */
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

/* Runs a command `runs` times. The first profile names the artifacts. */
static pprofc_status simulate_runs(struct ci_run *run, const char *pprofc, const char *folder,
                                   const wordexp_t *words, const char **paths, size_t runs,
                                   pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < runs && status == PPROFC_OK; i++) {
    paths[i] = i ? text_printf(&run->arena, "%s/simulated%zu.pb.gz", folder, i + 1)
                 : text_printf(&run->arena, "%s/simulated.pb.gz", folder);
    status = simulate_words(run, pprofc, words, paths[i], error);
  }
  return status;
}

/* Splits a command like a shell, which valgrind would measure, and runs it. */
static pprofc_status simulate_side(struct ci_run *run, const char *pprofc, int side,
                                   const char *command, const char **paths, size_t runs,
                                   pprofc_error *error) {
  wordexp_t words;
  const char *folder = text_printf(&run->arena, "%s/simulated_%s", run->work, side_names[side]);
  pprofc_status status = files_need_folder(folder, error);
  if (status != PPROFC_OK) return status;
  if (wordexp(command, &words, 0) != 0)
    return error_set(error, PPROFC_E_INVALID, "cannot read the command '%s' (-simulate-%s)",
                     command, side_names[side]);
  if (!words.we_wordc)
    status = error_set(error, PPROFC_E_INVALID, "-simulate-%s is empty", side_names[side]);
  if (status == PPROFC_OK) status = simulate_runs(run, pprofc, folder, &words, paths, runs, error);
  wordfree(&words);
  return status;
}

pprofc_status simulate_sides(struct ci_run *run, pprofc_error *error) {
  const struct run_options *o = run->options;
  const char *commands[SIDES] = {o->simulate_base, o->simulate_head};
  const size_t runs[SIDES] = {(size_t)o->simulated_runs, 1};
  const char **paths[SIDES] = {NULL, NULL};
  if (!*commands[SIDE_HEAD]) return PPROFC_OK;
  const char *pprofc = find_pprofc(run);
  if (!pprofc)
    return error_set(error, PPROFC_E_UNSUPPORTED,
                     "pprofc is not built: run scripts/quickstart.sh first, or set PPROFC_BIN");
  for (int side = 0; side < SIDES; side++) {
    if (!*commands[side]) continue;
    paths[side] = arena_array(&run->arena, runs[side], sizeof *paths[side]);
    pprofc_status status =
        simulate_side(run, pprofc, side, commands[side], paths[side], runs[side], error);
    if (status != PPROFC_OK) return status;
  }
  const char *base = paths[SIDE_BASE] ? paths[SIDE_BASE][0] : NULL;
  struct run_pair *pair = run_add_pair(run, base, paths[SIDE_HEAD][0]);
  pair->kind = "instructions";
  if (!base) return PPROFC_OK;
  pair->runs[SIDE_BASE] = paths[SIDE_BASE];
  pair->run_count[SIDE_BASE] = runs[SIDE_BASE];
  return PPROFC_OK;
}
