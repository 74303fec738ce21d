/* The two checkouts of a recording, and the test programs that are built from them. */
#include "run/checkouts.h"

#include "core/array.h"
#include "run/files.h"
#include "run/programs.h"
#include "run/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the base ---------------------------------------- */

/* The commit that the branch of the head began at. */
static pprofc_status find_merge_base(struct ci_run *run, const char **commit, pprofc_error *error) {
  static const char *const branches[] = {"origin/main", "main"};
  *commit = NULL;
  for (size_t i = 0; i < 2 && !*commit; i++) {
    const char *const argv[] = {"git", "merge-base", "HEAD", branches[i], NULL};
    pprofc_status status = program_line(run, NULL, argv, commit, error);
    if (status != PPROFC_OK) return status;
  }
  if (*commit) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID,
                   "name a -base-ref: there is neither origin/main nor main");
}

/* The commit id of a ref. Only a commit id reaches git's other commands. */
static pprofc_status resolve_ref(struct ci_run *run, const char *wanted, const char **commit,
                                 pprofc_error *error) {
  *commit = NULL;
  const char *spelled = text_printf(&run->arena, "%s^{commit}", wanted);
  if (!spelled) return error_nomem(error);
  const char *const argv[] = {"git", "rev-parse", "--verify", "--quiet", spelled, NULL};
  pprofc_status status = PPROFC_OK;
  if (wanted[0] != '-') status = program_line(run, NULL, argv, commit, error);
  if (status != PPROFC_OK || run_has(*commit)) return status;
  return error_set(error, PPROFC_E_INVALID, "cannot check out '%s': there is no such commit",
                   wanted);
}

static pprofc_status add_worktree(struct ci_run *run, const char *wanted, const char *commit,
                                  const char *folder, pprofc_error *error) {
  const char *const argv[] = {"git",      "worktree", "add",  "--quiet",
                              "--detach", folder,     commit, NULL};
  struct program git = {.argv = argv};
  run->has_worktree = true;
  pprofc_status status = program_run(run, &git, error);
  if (status == PPROFC_OK && git.status != 0)
    status = error_set(error, PPROFC_E_IO, "cannot check out '%s': %.*s", wanted,
                       STR_ARG(program_last_line(&git)));
  program_end(&git);
  return status;
}

pprofc_status name_commits(struct ci_run *run, pprofc_error *error) {
  static const char *const argv[] = {"git", "rev-parse", "HEAD", NULL};
  static const char *const variables[] = {"GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"};
  const char *commit = NULL;
  pprofc_status status = program_line(run, NULL, argv, &commit, error);
  for (size_t i = 0; i < sizeof variables / sizeof *variables && !run_has(commit); i++)
    commit = getenv(variables[i]);
  if (run_has(commit)) run->head_commit = commit;
  return status;
}

pprofc_status checkouts_make(struct ci_run *run, const char **base, pprofc_error *error) {
  const char *wanted = run->options->base_ref, *commit, *prefix;
  pprofc_status status = PPROFC_OK;
  if (!*wanted) status = find_merge_base(run, &wanted, error);
  if (status == PPROFC_OK) status = resolve_ref(run, wanted, &commit, error);
  const char *folder = text_printf(&run->arena, "%s/base", run->work);
  if (status == PPROFC_OK && !folder) status = error_nomem(error);
  if (status == PPROFC_OK) status = add_worktree(run, wanted, commit, folder, error);
  const char *const argv[] = {"git", "rev-parse", "--show-prefix", NULL};
  if (status == PPROFC_OK) status = program_line(run, NULL, argv, &prefix, error);
  if (status != PPROFC_OK) return status;
  run->base_commit = commit;
  *base = text_printf(&run->arena, "%s/%s", folder, prefix ? prefix : "");
  return *base ? PPROFC_OK : error_nomem(error);
}

void checkouts_remove(struct ci_run *run) {
  static const char *const argv[] = {"git", "worktree", "prune", NULL};
  const char *folder = text_printf(&run->arena, "%s/base", run->work);
  struct program git = {.argv = argv};
  pprofc_error ignored;
  sig_atomic_t stopped = run_stopped;
  if (folder) files_remove_tree(folder);
  run_stopped = 0; /* tidying up goes on */
  (void)program_run(run, &git, &ignored);
  run_stopped = stopped;
  program_end(&git);
  run->has_worktree = false;
}

/* ---- packages ---------------------------------------- */

static struct go_package *package_find(struct packages *packages, pprofc_str path) {
  for (size_t i = 0; i < packages->count; i++)
    if (str_equal(path, str_of(packages->items[i].path))) return &packages->items[i];
  return NULL;
}

/* The package with the path, new or known. Its name is the path within the module. */
static struct go_package *package_of(struct ci_run *run, struct packages *packages, pprofc_str path,
                                     pprofc_str module) {
  struct go_package *package = package_find(packages, path);
  if (package) return package;
  struct buffer name;
  pprofc_str inside = path;
  if (str_equal(path, module))
    inside = str_path_base(path);
  else if (module.size && str_starts(path, module) && path.data[module.size] == '/')
    inside = str_slice(path, module.size + 1, path.size);
  buffer_init(&name, run->mem, SIZE_MAX / 2);
  text_word(&name, inside, ".-");
  pprofc_str word = buffer_keep(&name, &run->arena);
  buffer_free(&name);
  const char *kept = word.data ? text_keep(&run->arena, word) : NULL;
  const char *taken = kept ? run_take_name(run, kept) : NULL;
  if (!taken || !ARRAY_RESERVE(run->mem, packages->items, packages->capacity, packages->count + 1))
    return NULL;
  package = &packages->items[packages->count++];
  *package = (struct go_package){.path = text_keep(&run->arena, path), .name = taken};
  return package->path ? package : NULL;
}

/* What the compiler says first, without the name of the package. */
static pprofc_str first_complaint(const struct program *go) {
  const struct buffer *texts[] = {&go->said, &go->printed};
  for (size_t i = 0; i < 2; i++) {
    pprofc_str rest = buffer_str(texts[i]), line;
    while (rest.data && str_next_line(&rest, &line))
      if (line.size && line.data[0] != '#') return line;
  }
  return STR("");
}

static pprofc_status build_program(struct ci_run *run, const char *checkout, const char *path,
                                   const char *program, pprofc_error *error) {
  const char *const argv[] = {"go", "test", "-c", "-trimpath", "-o", program, path, NULL};
  struct program go = {.argv = argv, .folder = checkout};
  pprofc_status status = program_run(run, &go, error);
  if (status == PPROFC_OK && go.status != 0)
    status = error_set(error, PPROFC_E_FORMAT, "%s does not build: %.*s", path,
                       STR_ARG(first_complaint(&go)));
  program_end(&go);
  return status;
}

/* Whether a test program lists a benchmark. */
static pprofc_status has_benchmarks(struct ci_run *run, const char *folder, const char *program,
                                    bool *any, pprofc_error *error) {
  const char *const argv[] = {program, "-test.list=^Benchmark", NULL};
  struct program test = {.argv = argv, .folder = folder};
  pprofc_status status = program_run(run, &test, error);
  pprofc_str rest = buffer_str(&test.printed), line;
  *any = false;
  while (rest.data && str_next_line(&rest, &line)) *any |= str_starts(line, STR("Benchmark"));
  program_end(&test);
  return status;
}

/* "bin/base/3/words.test" in the folder of the run. */
static char *program_path(struct ci_run *run, int side, size_t number, pprofc_str path) {
  struct buffer text;
  char *program = NULL;
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  buffer_printf(&text, "%s/bin/%s/%zu", run->work, side_names[side], number);
  buffer_add_char(&text, '\0');
  bool there = !text.failed && files_make_folders(text.data);
  if (there) {
    text.data[text.size - 1] = '/';
    text_word(&text, str_path_base(path), "._-");
    buffer_add_text(&text, ".test");
    pprofc_str whole = buffer_keep(&text, &run->arena);
    program = whole.data ? text_keep(&run->arena, whole) : NULL;
  }
  buffer_free(&text);
  return program;
}

/* One line of `go list`: "path|module|folder". */
static pprofc_status build_package(struct ci_run *run, int side, const char *checkout,
                                   pprofc_str line, size_t number, struct packages *packages,
                                   pprofc_error *error) {
  pprofc_str path, module;
  bool any;
  if (!str_next(&line, '|', &path) || !str_next(&line, '|', &module)) return PPROFC_OK;
  if (str_starts(path, STR("-")))
    return error_set(error, PPROFC_E_INVALID, "'%.*s' is no package", STR_ARG(path));
  const char *program = program_path(run, side, number, path);
  const char *name = text_keep(&run->arena, path), *folder = text_keep(&run->arena, line);
  if (!program || !name || !folder) return error_nomem(error);
  pprofc_status status = build_program(run, checkout, name, program, error);
  /* Without test files there is no program. */
  if (status != PPROFC_OK || access(program, X_OK) != 0) return status;
  status = has_benchmarks(run, folder, program, &any, error);
  if (status != PPROFC_OK || !any) return status;
  struct go_package *package = package_of(run, packages, path, module);
  if (!package) return error_nomem(error);
  package->programs[side] = program;
  package->folders[side] = folder;
  return PPROFC_OK;
}

/* ---- one side ---------------------------------------- */

/* Adds the patterns of -record to the command line; a folder that the base does not have is new. */
static size_t choose_patterns(struct ci_run *run, int side, const char *checkout, const char **argv,
                              size_t room) {
  pprofc_str rest = str_of(run->options->record), word;
  size_t count = 0;
  while (str_next(&rest, ' ', &word)) {
    if (!word.size || count == room) continue;
    const char *pattern = text_keep(&run->arena, word);
    pprofc_str folder = str_slice(word, 0, str_find(word, STR("...")));
    const char *path = text_printf(&run->arena, "%s/%.*s", checkout, STR_ARG(folder));
    if (!pattern || !path) continue;
    if (side == SIDE_HEAD || files_is_folder(path)) argv[count++] = pattern;
  }
  argv[count] = NULL;
  return count;
}

#define PATTERNS_MOST 256

pprofc_status checkouts_build(struct ci_run *run, int side, const char *checkout,
                              struct packages *packages, pprofc_error *error) {
  const char *argv[4 + PATTERNS_MOST + 1] = {
      "go", "list", "-f", "{{.ImportPath}}|{{with .Module}}{{.Path}}{{end}}|{{.Dir}}"};
  if (!choose_patterns(run, side, checkout, argv + 4, PATTERNS_MOST)) return PPROFC_OK;
  struct program go = {.argv = argv, .folder = checkout};
  pprofc_status status = program_run(run, &go, error);
  if (status == PPROFC_OK && go.status != 0)
    status = error_set(error, PPROFC_E_INVALID, "go list %s: %.*s", run->options->record,
                       STR_ARG(program_last_line(&go)));
  pprofc_str rest = buffer_str(&go.printed), line;
  size_t all = 0, number = 0;
  for (size_t i = 0; i < rest.size; i++) all += rest.data[i] == '\n';
  while (status == PPROFC_OK && rest.data && str_next_line(&rest, &line)) {
    run_progress(++number, all, "building %s %.*s", side_names[side],
                 STR_ARG(str_slice(line, 0, str_find_char(line, '|'))));
    status = build_package(run, side, checkout, line, number, packages, error);
  }
  program_end(&go);
  return status;
}
