/* Creates the checkouts of base and head, and builds their test programs. */
#include "run/recording.h"

/* True if the CI service checked out the merge commit of a pull request. */
static bool is_pull_merge(void) {
  pprofc_str ref = str_of(ci_variable("GITHUB_REF", ""));
  return strcmp(ci_variable("GITHUB_EVENT_NAME", ""), "issue_comment") == 0 ||
         str_glob(STR("refs/pull/*/merge"), ref) ||
         str_glob(STR("refs/heads/gh-readonly-queue/*"), ref) ||
         strcmp(ci_variable("CI_MERGE_REQUEST_EVENT_TYPE", ""), "merged_result") == 0;
}

/* Returns the first parent of a pull request's merge commit, which is the commit of the target
 * branch. Returns NULL if HEAD is not such a merge commit. */
static const char *find_first_parent(struct ci_run *run) {
  bool merges = is_pull_merge() &&
                run_has(GIT_LINE(&run->arena, "rev-parse", "--verify", "--quiet", "HEAD^2"));
  return merges ? GIT_LINE(&run->arena, "rev-parse", "--verify", "--quiet", "HEAD^1") : NULL;
}

static bool is_shallow(struct ci_run *run) {
  return strcmp(GIT_LINE(&run->arena, "rev-parse", "--is-shallow-repository"), "true") == 0;
}

#define MEND_SHALLOW                                                                               \
  "the clone is shallow: set `fetch-depth: 0` of actions/checkout, or run `git fetch --unshallow`"

/* Returns the commit at which the head's branch diverged from the target branch. */
static const char *find_merge_base(struct ci_run *run) {
  const char *target =
      ci_first_variable(TEXT_LIST("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
                                  "BITBUCKET_PR_DESTINATION_BRANCH", "CHANGE_TARGET"));
  const char *branches[] = {"origin/main", "main", "origin/master", "master", NULL};
  if (*target) {
    branches[0] = text_printf(&run->arena, "origin/%s", target);
    branches[1] = target;
    branches[2] = NULL;
  }
  for (size_t i = 0; branches[i]; i++) {
    const char *commit = GIT_LINE(&run->arena, "merge-base", "HEAD", branches[i]);
    if (!run_has(commit)) continue;
    bool same = strcmp(commit, GIT_LINE(&run->arena, "rev-parse", "HEAD")) == 0;
    run->base_why = text_printf(&run->arena, "the merge base of HEAD and %s%s", branches[i],
                                same ? ", which is HEAD itself: no commit is compared" : "");
    return commit;
  }
  if (is_shallow(run)) ci_fail("cannot find the base: %s", MEND_SHALLOW);
  if (*target) ci_fail("cannot find the base: fetch %s, or set -base-ref", branches[0]);
  ci_fail("cannot find the base: neither origin/main nor main exists; set it with -base-ref");
}

/* Chooses the first parent of HEAD if HEAD is the merge commit of a pull request, or else the merge
 * base. */
static const char *choose_base(struct ci_run *run) {
  const char *parent = find_first_parent(run);
  if (!run_has(parent)) return find_merge_base(run);
  run->base_why = "the first parent of the merge commit of the pull request";
  return parent;
}

/* Warns if the given base is not an ancestor of the head, or is older than the commit into which
 * the pull request is merged. In both cases the difference also contains changes of other commits.
 */
static void check_given_base(struct ci_run *run, const char *commit) {
  struct program git = {.argv = TEXT_LIST("git", "merge-base", "--is-ancestor", commit, "HEAD")};
  run->base_why = "given by -base-ref";
  program_run(&git);
  bool ancestor = git.status == 0;
  program_end(&git);
  const char *parent = find_first_parent(run);
  if (!ancestor && is_shallow(run))
    run->base_why = "given by -base-ref; unknown if it is an ancestor of the head: " MEND_SHALLOW;
  else if (!ancestor)
    run->base_why = "given by -base-ref, but it is not an ancestor of the head: the difference has "
                    "changes of both; drop -base-ref";
  else if (run_has(parent) && strcmp(parent, commit) != 0)
    run->base_why = "given by -base-ref, but the pull request is merged into a later commit: the "
                    "difference has commits of others; drop -base-ref";
  else
    return;
  run->base_misleads = true;
  message_note("warning: base %.12s: %s", commit, run->base_why);
}

/* Converts a git ref to its commit id. Later git commands get only this id as an argument. */
static const char *resolve_ref(struct ci_run *run, const char *wanted) {
  const char *spelled = text_printf(&run->arena, "%s^{commit}", wanted);
  const char *commit = "";
  if (wanted[0] != '-') commit = GIT_LINE(&run->arena, "rev-parse", "--verify", "--quiet", spelled);
  if (!*commit)
    ci_fail("cannot check out '%s': unknown commit%s", wanted,
            is_shallow(run) ? "; " MEND_SHALLOW : "");
  return commit;
}

static void run_checkout(const char *wanted, const char *const *argv) {
  struct program git = {.argv = argv};
  program_run(&git);
  if (git.status != 0)
    ci_fail("cannot check out '%s': %.*s", wanted, STR_ARG(program_last_line(&git)));
  program_end(&git);
}

void checkouts_clone(struct ci_run *run, const char *wanted, const char *commit,
                     const char *folder) {
  const char *from = GIT_LINE(&run->arena, "rev-parse", "--show-toplevel");
  if (!*from) ci_fail("cannot check out '%s': this is not a git checkout", wanted);
  run_checkout(wanted,
               TEXT_LIST("git", "clone", "--quiet", "--shared", "--no-checkout", from, folder));
  run_checkout(wanted, TEXT_LIST("git", "-C", folder, "checkout", "--quiet", "--detach", commit));
}

void name_commits(struct ci_run *run) {
  const char *commit = GIT_LINE(&run->arena, "rev-parse", "HEAD");
  if (!*commit) commit = ci_first_variable(TEXT_LIST("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"));
  if (*commit) run->head_commit = commit;
}

const char *checkouts_find_base(struct ci_run *run, const char **wanted) {
  bool given = *run->options->base_ref;
  *wanted = given ? run->options->base_ref : choose_base(run);
  run->base_commit = resolve_ref(run, *wanted);
  if (given)
    check_given_base(run, run->base_commit);
  else
    message_note("base %.12s: %s", run->base_commit, run->base_why);
  return run->base_commit;
}

const char *checkouts_inside(struct ci_run *run, const char *checkout) {
  return text_printf(&run->arena, "%s/%s", checkout,
                     GIT_LINE(&run->arena, "rev-parse", "--show-prefix"));
}

const char *checkouts_make(struct ci_run *run) {
  const char *wanted, *commit = checkouts_find_base(run, &wanted);
  const char *folder = text_printf(&run->arena, "%s/base", run->work);
  run->has_worktree = true;
  run_checkout(wanted, TEXT_LIST("git", "worktree", "add", "--quiet", "--detach", folder, commit));
  return checkouts_inside(run, folder);
}

void checkouts_remove(struct ci_run *run) {
  const char *folder = text_printf(&run->arena, "%s/base", run->work);
  struct program git = {.argv = TEXT_LIST("git", "worktree", "prune")};
  sig_atomic_t stopped = run_stopped;
  tree_remove(folder);
  run_stopped = 0; /* git must run even after a stop signal */
  program_run(&git);
  run_stopped = stopped;
  program_end(&git);
  run->has_worktree = false;
}

static struct go_package *package_find(struct packages *packages, pprofc_str path) {
  for (size_t i = 0; i < packages->count; i++)
    if (str_equal(path, str_of(packages->items[i].path))) return &packages->items[i];
  return NULL;
}

/* Returns the package with the import path `path`, and adds the package if it is new. The name of
 * the package is its path in the module. */
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

static void build_program(const char *checkout, const char *path, const char *program,
                          const char *overlay) {
  /* Omit the build id and DWARF, because both can differ although the linked code is the same. */
  const char *flags = getenv("GOFLAGS"), *option = "-ldflags=-buildid= -w";
  if (flags && strstr(flags, "-ldflags")) option = "-trimpath";
  if (overlay) option = overlay;
  struct program go = {.argv =
                           TEXT_LIST("go", "test", "-c", "-trimpath", option, "-o", program, path),
                       .folder = checkout};
  program_run(&go);
  if (go.status != 0) ci_fail("%s does not build: %.*s", path, STR_ARG(first_complaint(&go)));
  program_end(&go);
}

static bool has_benchmarks(const char *folder, const char *program) {
  struct program test = {.argv = TEXT_LIST(program, "-test.list=^Benchmark"), .folder = folder};
  program_run(&test);
  pprofc_str rest = buffer_str(&test.printed), line;
  bool any = false;
  while (rest.data && str_next_line(&rest, &line)) any |= str_starts(line, STR("Benchmark"));
  program_end(&test);
  return any;
}

/* Makes the temporary folder of a test program. Returns the path of the program:
 * "bin/base/3/words.test". */
static const char *program_path(struct ci_run *run, int side, size_t number, pprofc_str path) {
  const char *word = text_word(&run->arena, str_path_base(path), "._-");
  const char *folder =
      text_printf(&run->arena, "%s/bin/%s/%zu", run->work, side_names[side], number);
  ci_need(files_need_folder(folder, &ci_error));
  return text_printf(&run->arena, "%s/%s.test", folder, word);
}

/* Reads a line of `go list`, "path|module|folder", and builds the test program of that package. */
static void build_package(struct ci_run *run, int side, const char *checkout, pprofc_str line,
                          size_t number, struct packages *packages) {
  pprofc_str path, module;
  if (!str_next(&line, '|', &path) || !str_next(&line, '|', &module)) return;
  if (str_starts(path, STR("-"))) ci_fail("'%.*s' is not a package", STR_ARG(path));
  const char *name = text_keep(&run->arena, path), *folder = text_keep(&run->arena, line);
  const char *program = program_path(run, side, number, path);
  build_program(checkout, name, program, packages->overlay);
  /* A package without test files has no test program. */
  if (access(program, X_OK) != 0 || !has_benchmarks(folder, program)) return;
  struct go_package *package = package_of(run, packages, path, module);
  package->programs[side] = program;
  package->folders[side] = folder;
}

/* Adds the package patterns to `argv`, and returns their number. For the base, skips patterns of
 * folders that only the head has. */
static size_t choose_patterns(struct ci_run *run, int side, const char *checkout,
                              const char *patterns, const char **argv, size_t room) {
  pprofc_str rest = str_of(patterns), word;
  size_t count = 0;
  while (str_next(&rest, ' ', &word)) {
    if (!word.size || count == room) continue;
    pprofc_str folder = str_slice(word, 0, str_find(word, STR("...")));
    const char *path = text_printf(&run->arena, "%s/%.*s", checkout, STR_ARG(folder));
    if (side == SIDE_HEAD || file_is_folder(path)) argv[count++] = text_keep(&run->arena, word);
  }
  argv[count] = NULL;
  return count;
}

#define PATTERNS_MOST 256

void checkouts_build(struct ci_run *run, int side, const char *checkout,
                     struct packages *packages) {
  const char *argv[4 + PATTERNS_MOST + 1] = {
      "go", "list", "-f", "{{.ImportPath}}|{{with .Module}}{{.Path}}{{end}}|{{.Dir}}"};
  if (!choose_patterns(run, side, checkout, packages->patterns, argv + 4, PATTERNS_MOST)) return;
  struct program go = {.argv = argv, .folder = checkout};
  program_run(&go);
  if (go.status != 0)
    ci_fail("go list %s: %.*s", packages->patterns, STR_ARG(program_last_line(&go)));
  pprofc_str rest = buffer_str(&go.printed), line;
  size_t all = 0, number = 0;
  for (size_t i = 0; i < rest.size; i++) all += rest.data[i] == '\n';
  while (rest.data && str_next_line(&rest, &line)) {
    run_progress(++number, all, "building %s %.*s", side_names[side],
                 STR_ARG(str_slice(line, 0, str_find_char(line, '|'))));
    build_package(run, side, checkout, line, number, packages);
  }
  program_end(&go);
}
