/* Creates the checkouts of base and head, and builds their test programs. */
#include "run/checkouts.h"

#include "common/terminal.h"
#include "run/files.h"
#include "run/programs.h"
#include "run/text.h"

#include <stdlib.h>
#include <unistd.h>

/* True if the CI service checked out the merge commit of a pull request. */
static bool is_pull_merge(void) {
  const char *github = getenv("GITHUB_REF"), *gitlab = getenv("CI_MERGE_REQUEST_EVENT_TYPE");
  const char *event = getenv("GITHUB_EVENT_NAME");
  if (event && strcmp(event, "issue_comment") == 0) return true;
  if (github && str_glob(STR("refs/pull/*/merge"), str_of(github))) return true;
  return gitlab && strcmp(gitlab, "merged_result") == 0;
}

/* Finds the first parent of a pull request's merge commit, which is the commit of the target
 * branch. Returns NULL if HEAD is not such a merge commit. */
static pprofc_status find_first_parent(struct ci_run *run, const char **commit,
                                       pprofc_error *error) {
  static const char *const second[] = {"git", "rev-parse", "--verify", "--quiet", "HEAD^2", NULL};
  static const char *const first[] = {"git", "rev-parse", "--verify", "--quiet", "HEAD^1", NULL};
  *commit = NULL;
  if (!is_pull_merge()) return PPROFC_OK;
  pprofc_status status = program_line(run, NULL, second, commit, error);
  if (status == PPROFC_OK && run_has(*commit))
    status = program_line(run, NULL, first, commit, error);
  return status;
}

static pprofc_status is_shallow(struct ci_run *run, bool *shallow, pprofc_error *error) {
  static const char *const argv[] = {"git", "rev-parse", "--is-shallow-repository", NULL};
  const char *line = NULL;
  pprofc_status status = program_line(run, NULL, argv, &line, error);
  *shallow = run_has(line) && strcmp(line, "true") == 0;
  return status;
}

#define MEND_SHALLOW                                                                               \
  "the clone is shallow: set `fetch-depth: 0` of actions/checkout, or run `git fetch --unshallow`"

/* Finds the commit at which the head's branch diverged from the target branch. */
static pprofc_status find_merge_base(struct ci_run *run, const char **commit, pprofc_error *error) {
  static const char *const variables[] = {"GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"};
  const char *branches[] = {NULL, NULL, "origin/main", "main", "origin/master", "master"};
  bool shallow;
  for (size_t i = 0; i < 2; i++) {
    const char *target = getenv(variables[i]);
    if (run_has(target)) branches[i] = text_printf(&run->arena, "origin/%s", target);
  }
  *commit = NULL;
  for (size_t i = 0; i < sizeof branches / sizeof *branches && !run_has(*commit); i++) {
    const char *const argv[] = {"git", "merge-base", "HEAD", branches[i], NULL};
    if (!branches[i]) continue;
    pprofc_status status = program_line(run, NULL, argv, commit, error);
    if (status != PPROFC_OK) return status;
    run->base_why = text_printf(&run->arena, "the merge base of HEAD and %s", branches[i]);
  }
  if (run_has(*commit)) return PPROFC_OK;
  pprofc_status status = is_shallow(run, &shallow, error);
  if (status != PPROFC_OK) return status;
  return error_set(error, PPROFC_E_INVALID, "cannot find the base: %s",
                   shallow ? MEND_SHALLOW
                           : "neither origin/main nor main exists; set it with -base-ref");
}

/* Chooses the first parent of a pull request's merge commit, or else the merge base. */
static pprofc_status choose_base(struct ci_run *run, const char **wanted, pprofc_error *error) {
  pprofc_status status = find_first_parent(run, wanted, error);
  if (status != PPROFC_OK || !run_has(*wanted))
    return status == PPROFC_OK ? find_merge_base(run, wanted, error) : status;
  run->base_why = "the first parent of the merge commit of the pull request";
  return PPROFC_OK;
}

/* Warns if the given base is not an ancestor of the head, or is older than the commit into which
 * the pull request is merged. In both cases the difference also contains changes of others. */
static pprofc_status check_given_base(struct ci_run *run, const char *commit, pprofc_error *error) {
  const char *const argv[] = {"git", "merge-base", "--is-ancestor", commit, "HEAD", NULL};
  struct program git = {.argv = argv};
  const char *parent;
  bool shallow;
  run->base_why = "given by -base-ref";
  pprofc_status status = program_run(run, &git, error);
  bool ancestor = git.status == 0;
  program_end(&git);
  if (status == PPROFC_OK) status = is_shallow(run, &shallow, error);
  if (status == PPROFC_OK) status = find_first_parent(run, &parent, error);
  if (status != PPROFC_OK) return status;
  if (!ancestor && shallow)
    run->base_why = "given by -base-ref; unknown if it is an ancestor of the head: " MEND_SHALLOW;
  else if (!ancestor)
    run->base_why = "given by -base-ref, but it is not an ancestor of the head: the difference has "
                    "changes of both; drop -base-ref";
  else if (run_has(parent) && strcmp(parent, commit) != 0)
    run->base_why = "given by -base-ref, but the pull request is merged into a later commit: the "
                    "difference has commits of others; drop -base-ref";
  else
    return PPROFC_OK;
  message_note("warning: base %.12s: %s", commit, run->base_why);
  return PPROFC_OK;
}

/* Converts a git ref to its commit id. Later git commands get only this id as an argument. */
static pprofc_status resolve_ref(struct ci_run *run, const char *wanted, const char **commit,
                                 pprofc_error *error) {
  *commit = NULL;
  const char *spelled = text_printf(&run->arena, "%s^{commit}", wanted);
  const char *const argv[] = {"git", "rev-parse", "--verify", "--quiet", spelled, NULL};
  pprofc_status status = PPROFC_OK;
  if (wanted[0] != '-') status = program_line(run, NULL, argv, commit, error);
  if (status != PPROFC_OK || run_has(*commit)) return status;
  bool shallow = false;
  status = is_shallow(run, &shallow, error);
  if (status != PPROFC_OK) return status;
  return error_set(error, PPROFC_E_INVALID, "cannot check out '%s': unknown commit%s", wanted,
                   shallow ? "; " MEND_SHALLOW : "");
}

static pprofc_status run_checkout(struct ci_run *run, const char *wanted, const char *const *argv,
                                  pprofc_error *error) {
  struct program git = {.argv = argv};
  pprofc_status status = program_run(run, &git, error);
  if (status == PPROFC_OK && git.status != 0)
    status = error_set(error, PPROFC_E_IO, "cannot check out '%s': %.*s", wanted,
                       STR_ARG(program_last_line(&git)));
  program_end(&git);
  return status;
}

static void add_worktree(struct ci_run *run, const char *wanted, const char *commit,
                         const char *folder) {
  const char *const argv[] = {"git",      "worktree", "add",  "--quiet",
                              "--detach", folder,     commit, NULL};
  run->has_worktree = true;
  ci_need(run_checkout(run, wanted, argv, &ci_error));
}

pprofc_status checkouts_clone(struct ci_run *run, const char *wanted, const char *commit,
                              const char *folder, pprofc_error *error) {
  static const char *const top[] = {"git", "rev-parse", "--show-toplevel", NULL};
  const char *from = NULL;
  pprofc_status status = program_line(run, NULL, top, &from, error);
  if (status == PPROFC_OK && !run_has(from))
    status = error_set(error, PPROFC_E_INVALID, "cannot check out '%s': this is not a git checkout",
                       wanted);
  const char *const clone[] = {"git",           "clone", "--quiet", "--shared",
                               "--no-checkout", from,    folder,    NULL};
  const char *const checkout[] = {"git",     "-C",       folder, "checkout",
                                  "--quiet", "--detach", commit, NULL};
  if (status == PPROFC_OK) status = run_checkout(run, wanted, clone, error);
  return status == PPROFC_OK ? run_checkout(run, wanted, checkout, error) : status;
}

void name_commits(struct ci_run *run) {
  static const char *const argv[] = {"git", "rev-parse", "HEAD", NULL};
  static const char *const variables[] = {"GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"};
  const char *commit = NULL;
  ci_need(program_line(run, NULL, argv, &commit, &ci_error));
  for (size_t i = 0; i < sizeof variables / sizeof *variables && !run_has(commit); i++)
    commit = getenv(variables[i]);
  if (run_has(commit)) run->head_commit = commit;
}

pprofc_status checkouts_find_base(struct ci_run *run, const char **wanted, const char **commit,
                                  pprofc_error *error) {
  *wanted = run->options->base_ref;
  bool given = **wanted;
  pprofc_status status = PPROFC_OK;
  if (!given) status = choose_base(run, wanted, error);
  if (status == PPROFC_OK) status = resolve_ref(run, *wanted, commit, error);
  if (status != PPROFC_OK) return status;
  run->base_commit = *commit;
  if (given) return check_given_base(run, *commit, error);
  message_note("base %.12s: %s", *commit, run->base_why);
  return PPROFC_OK;
}

pprofc_status checkouts_inside(struct ci_run *run, const char *checkout, const char **path,
                               pprofc_error *error) {
  static const char *const argv[] = {"git", "rev-parse", "--show-prefix", NULL};
  const char *prefix;
  pprofc_status status = program_line(run, NULL, argv, &prefix, error);
  if (status != PPROFC_OK) return status;
  *path = text_printf(&run->arena, "%s/%s", checkout, prefix ? prefix : "");
  return PPROFC_OK;
}

void checkouts_make(struct ci_run *run, const char **base) {
  const char *wanted, *commit;
  ci_need(checkouts_find_base(run, &wanted, &commit, &ci_error));
  const char *folder = text_printf(&run->arena, "%s/base", run->work);
  add_worktree(run, wanted, commit, folder);
  ci_need(checkouts_inside(run, folder, base, &ci_error));
}

void checkouts_remove(struct ci_run *run) {
  static const char *const argv[] = {"git", "worktree", "prune", NULL};
  const char *folder = text_printf(&run->arena, "%s/base", run->work);
  struct program git = {.argv = argv};
  pprofc_error ignored;
  sig_atomic_t stopped = run_stopped;
  tree_remove(folder);
  run_stopped = 0; /* git must run even after a stop signal */
  (void)program_run(run, &git, &ignored);
  run_stopped = stopped;
  program_end(&git);
  run->has_worktree = false;
}

static struct go_package *package_find(struct packages *packages, pprofc_str path) {
  for (size_t i = 0; i < packages->count; i++)
    if (str_equal(path, str_of(packages->items[i].path))) return &packages->items[i];
  return NULL;
}

/* Returns the package of an import path, new or old. Its name is its path in the module. */
static struct go_package *package_of(struct ci_run *run, struct packages *packages, pprofc_str path,
                                     pprofc_str module) {
  struct go_package *package = package_find(packages, path);
  if (package) return package;
  pprofc_str inside = path;
  if (str_equal(path, module))
    inside = str_path_base(path);
  else if (module.size && str_starts(path, module) && path.data[module.size] == '/')
    inside = str_slice(path, module.size + 1, path.size);
  const char *name = run_take_name(run, text_word(&run->arena, inside, ".-"));
  (void)ARRAY_PUSH(run->mem, packages->items, packages->count, packages->capacity,
                   (struct go_package){.path = text_keep(&run->arena, path), .name = name});
  return &packages->items[packages->count - 1];
}

/* Returns the first error message of the compiler, without the name of the package. */
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
                                   const char *program, const char *overlay, pprofc_error *error) {
  /* Omit the build id and DWARF. Both can differ although the linked code is the same. */
  const char *flags = getenv("GOFLAGS"), *option = "-ldflags=-buildid= -w";
  if (flags && strstr(flags, "-ldflags")) option = "-trimpath";
  if (overlay) option = overlay;
  const char *const argv[] = {"go", "test", "-c", "-trimpath", option, "-o", program, path, NULL};
  struct program go = {.argv = argv, .folder = checkout};
  pprofc_status status = program_run(run, &go, error);
  if (status == PPROFC_OK && go.status != 0)
    status = error_set(error, PPROFC_E_FORMAT, "%s does not build: %.*s", path,
                       STR_ARG(first_complaint(&go)));
  program_end(&go);
  return status;
}

/* Checks if a test program contains at least one benchmark. */
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

/* Makes the temporary folder of a test program, and its path: "bin/base/3/words.test". */
static pprofc_status program_path(struct ci_run *run, int side, size_t number, pprofc_str path,
                                  const char **program, pprofc_error *error) {
  const char *word = text_word(&run->arena, str_path_base(path), "._-");
  const char *folder =
      text_printf(&run->arena, "%s/bin/%s/%zu", run->work, side_names[side], number);
  *program = text_printf(&run->arena, "%s/%s.test", folder, word);
  return files_need_folder(folder, error);
}

/* Reads a line of `go list`, "path|module|folder", and builds the test program of that package. */
static pprofc_status build_package(struct ci_run *run, int side, const char *checkout,
                                   pprofc_str line, size_t number, struct packages *packages,
                                   pprofc_error *error) {
  pprofc_str path, module;
  bool any;
  if (!str_next(&line, '|', &path) || !str_next(&line, '|', &module)) return PPROFC_OK;
  if (str_starts(path, STR("-")))
    return error_set(error, PPROFC_E_INVALID, "'%.*s' is not a package", STR_ARG(path));
  const char *name = text_keep(&run->arena, path), *folder = text_keep(&run->arena, line);
  const char *program;
  pprofc_status status = program_path(run, side, number, path, &program, error);
  if (status == PPROFC_OK)
    status = build_program(run, checkout, name, program, packages->overlay, error);
  /* A package without test files has no test program. */
  if (status != PPROFC_OK || access(program, X_OK) != 0) return status;
  status = has_benchmarks(run, folder, program, &any, error);
  if (status != PPROFC_OK || !any) return status;
  struct go_package *package = package_of(run, packages, path, module);
  package->programs[side] = program;
  package->folders[side] = folder;
  return PPROFC_OK;
}

/* Adds the package patterns, for the base without folders that only the head has. */
static size_t choose_patterns(struct ci_run *run, int side, const char *checkout,
                              const char *patterns, const char **argv, size_t room) {
  pprofc_str rest = str_of(patterns), word;
  size_t count = 0;
  while (str_next(&rest, ' ', &word)) {
    if (!word.size || count == room) continue;
    pprofc_str folder = str_slice(word, 0, str_find(word, STR("...")));
    const char *path = text_printf(&run->arena, "%s/%.*s", checkout, STR_ARG(folder));
    if (side == SIDE_HEAD || files_is_folder(path)) argv[count++] = text_keep(&run->arena, word);
  }
  argv[count] = NULL;
  return count;
}

#define PATTERNS_MOST 256

pprofc_status checkouts_build(struct ci_run *run, int side, const char *checkout,
                              struct packages *packages, pprofc_error *error) {
  const char *argv[4 + PATTERNS_MOST + 1] = {
      "go", "list", "-f", "{{.ImportPath}}|{{with .Module}}{{.Path}}{{end}}|{{.Dir}}"};
  if (!choose_patterns(run, side, checkout, packages->patterns, argv + 4, PATTERNS_MOST))
    return PPROFC_OK;
  struct program go = {.argv = argv, .folder = checkout};
  pprofc_status status = program_run(run, &go, error);
  if (status == PPROFC_OK && go.status != 0)
    status = error_set(error, PPROFC_E_INVALID, "go list %s: %.*s", packages->patterns,
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
