/* Counts the instructions of a command of base and of head under valgrind. Runs the base several
 * times, to find functions whose counts vary. */
#include "core/child.h"
#include "run/files.h"

/* Finds pprofc in $PPROFC_BIN, in the folder of this program, or in PATH. */
static const char *find_pprofc(struct ci_run *run) {
  const char *folder = ci_variable("PPROFC_BIN", NULL);
  char self[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", self, sizeof self);
  pprofc_str whole = {self, size > 0 ? (size_t)size : 0};
  const char *places[] = {folder ? text_printf(&run->arena, "%s/pprofc", folder) : NULL,
                          text_printf(&run->arena, "%.*s/pprofc",
                                      STR_ARG(str_slice(whole, 0, str_find_last_char(whole, '/')))),
                          "pprofc"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (places[i] && child_exists(places[i])) return places[i];
  return NULL;
}

static void simulate_words(struct ci_run *run, const char *pprofc, const char *const *words,
                           const char *path) {
  const char *const first[] = {pprofc, "-simulate", "-symbolize=none", "-proto", NULL, "--"};
  size_t begin = sizeof first / sizeof *first, count = 0;
  while (words[count]) count++;
  const char **argv = arena_array(&run->arena, begin + count + 1, sizeof *argv);
  const char *output = text_printf(&run->arena, "-output=%s", path);
  for (size_t i = 0; i < begin; i++) argv[i] = first[i] ? first[i] : output;
  memcpy(argv + begin, words, (count + 1) * sizeof *argv);
  struct program program = {.argv = argv};
  program_run(&program);
  pprofc_str why = program_last_line(&program);
  if (str_starts(why, STR("pprofc: "))) why = str_slice(why, strlen("pprofc: "), why.size);
  if (program.status != 0) ci_fail("%.*s", STR_ARG(why));
  program_end(&program);
}

/* Runs a command `runs` times, without a shell, because valgrind would also measure the shell. The
 * artifacts get the name of the first profile. */
static void simulate_side(struct ci_run *run, const char *pprofc, int side, const char *command,
                          const char **paths, size_t runs) {
  const char *flag = text_printf(&run->arena, "simulate-%s", side_names[side]);
  const char *folder = text_printf(&run->arena, "%s/simulated_%s", run->work, side_names[side]);
  ci_need(files_need_folder(folder, &ci_error));
  const char *const *words = program_words(run, flag, command);
  for (size_t i = 0; i < runs; i++) {
    paths[i] = i ? text_printf(&run->arena, "%s/simulated%zu.pb.gz", folder, i + 1)
                 : text_printf(&run->arena, "%s/simulated.pb.gz", folder);
    simulate_words(run, pprofc, words, paths[i]);
  }
}

void simulate_sides(struct ci_run *run) {
  const struct run_options *o = run->options;
  const char *commands[SIDES] = {o->simulate_base, o->simulate_head};
  const size_t runs[SIDES] = {(size_t)o->simulated_runs, 1};
  const char **paths[SIDES] = {NULL, NULL};
  if (!*commands[SIDE_HEAD]) return;
  const char *pprofc = find_pprofc(run);
  if (!pprofc) ci_fail("pprofc is not built: run scripts/quickstart.sh first, or set PPROFC_BIN");
  for (int side = 0; side < SIDES; side++) {
    if (!*commands[side]) continue;
    paths[side] = arena_array(&run->arena, runs[side], sizeof *paths[side]);
    simulate_side(run, pprofc, side, commands[side], paths[side], runs[side]);
  }
  const char *base = paths[SIDE_BASE] ? paths[SIDE_BASE][0] : NULL;
  struct run_pair *pair = run_add_pair(run, base, paths[SIDE_HEAD][0]);
  pair->kind = "instructions";
  if (!base) return;
  pair->runs[SIDE_BASE] = paths[SIDE_BASE];
  pair->run_count[SIDE_BASE] = runs[SIDE_BASE];
}
