/* Gets two revisions of the sources from git. Converts the refs of the user to commit ids before it
 * passes them to other git commands. Never passes a name from a profile to git as an argument. */
#include "report/source/revisions.h"
#include "core/child.h"

#define GIT_WORDS 12

/* Runs git in `folder`, and stores the output in the arena. If `folder` is NULL, runs git in the
 * current folder. Sets *failed to true if the exit status is not 0. */
static pprofc_status run_git(struct revisions *r, const char *folder, const char *const *words,
                             pprofc_str *printed, bool *failed, pprofc_error *error) {
  const char *argv[GIT_WORDS + 8] = {"git",
                                     "-C",
                                     folder ? folder : ".",
                                     "-c",
                                     "core.fsmonitor=false",
                                     "-c",
                                     "core.quotePath=false"};
  for (size_t i = 0; words[i]; i++) argv[7 + i] = words[i];
  const struct child child = {.argv = argv, .input = STR("")};
  struct child_end end;
  struct buffer output = buffer_make(r->arena.mem, CHILD_OUTPUT_BYTES);
  pprofc_status status = child_run(&child, &output, &end, error);
  *failed = status == PPROFC_OK && end.status != 0;
  *printed = STR("");
  if (status == PPROFC_OK) {
    *printed = buffer_keep(&output, &r->arena);
    if (!printed->data) status = error_nomem(error);
  }
  buffer_free(&output);
  return status;
}

static pprofc_status find_top(struct revisions *r, const char *folder, pprofc_error *error) {
  static const char *const words[] = {"rev-parse", "--show-toplevel", NULL};
  pprofc_str printed;
  bool failed = false;
  pprofc_status status = run_git(r, folder, words, &printed, &failed, error);
  if (status != PPROFC_OK) return status;
  if (failed)
    return error_set(error, PPROFC_E_INVALID,
                     "source_diff: the %s folder is not in a git repository",
                     folder ? "file's" : "current");
  r->top = arena_str(&r->arena, str_trim(printed)).data;
  return r->top ? PPROFC_OK : error_nomem(error);
}

/* Copies the commit id from the output of git to `commit`. Returns false if the output cannot be a
 * commit id. */
static bool keep_commit(pprofc_str printed, char commit[COMMIT_ID_MAX]) {
  printed = str_trim(printed);
  if (!printed.size || printed.size >= COMMIT_ID_MAX) return false;
  memcpy(commit, printed.data, printed.size);
  commit[printed.size] = '\0';
  return true;
}

/* Finds the commit of a ref that the user gave. */
static pprofc_status find_commit(struct revisions *r, pprofc_str ref, char commit[COMMIT_ID_MAX],
                                 pprofc_error *error) {
  char spelled[512];
  pprofc_str printed = STR("");
  bool failed = true;
  pprofc_status status = PPROFC_OK;
  int size = snprintf(spelled, sizeof spelled, "%.*s^{commit}", STR_ARG(ref));
  const char *const words[] = {"rev-parse", "--verify", "--quiet", spelled, NULL};
  if (ref.size && ref.data[0] != '-' && size > 0 && (size_t)size < sizeof spelled)
    status = run_git(r, r->top, words, &printed, &failed, error);
  if (status == PPROFC_OK && (failed || !keep_commit(printed, commit)))
    return error_set(error, PPROFC_E_INVALID, "source_diff: there is no commit '%.*s'",
                     STR_ARG(ref));
  return status;
}

/* Finds the newest commit in the history of HEAD that is older than a time. `seconds` is the time
 * since 1970. */
static pprofc_status find_commit_at(struct revisions *r, int64_t seconds,
                                    char commit[COMMIT_ID_MAX], pprofc_error *error) {
  char age[40];
  pprofc_str printed = STR("");
  bool failed = true;
  snprintf(age, sizeof age, "--min-age=%lld", (long long)seconds);
  const char *const words[] = {"rev-list", "-1", age, "HEAD", NULL};
  pprofc_status status = run_git(r, r->top, words, &printed, &failed, error);
  if (status == PPROFC_OK && (failed || !keep_commit(printed, commit)))
    return error_set(error, PPROFC_E_INVALID, "source_diff: no commit is older than the profile");
  return status;
}

static pprofc_status read_diff(struct revisions *r, pprofc_error *error) {
  const char *head = *r->commits[DIFF_HEAD] ? r->commits[DIFF_HEAD] : "--";
  const char *const words[] = {"diff",
                               "--no-ext-diff",
                               "--no-textconv",
                               "--no-color",
                               "--find-renames",
                               "--inter-hunk-context=0",
                               "--src-prefix=a/",
                               "--dst-prefix=b/",
                               "-U0",
                               r->commits[DIFF_BASE],
                               head,
                               NULL};
  pprofc_str printed;
  bool failed = false;
  pprofc_status status = run_git(r, r->top, words, &printed, &failed, error);
  if (status == PPROFC_OK && failed)
    return error_set(error, PPROFC_E_INVALID, "source_diff: git diff failed");
  if (status == PPROFC_OK && !hunks_read(&r->hunks, printed, &r->arena)) return error_nomem(error);
  return status;
}

static pprofc_status list_side_files(struct revisions *r, enum diff_side side,
                                     pprofc_error *error) {
  static const char *const tracked[] = {"ls-files", "-z", NULL};
  const char *const words[] = {"ls-tree", "-r", "--name-only", "-z", r->commits[side], NULL};
  pprofc_str printed, path;
  bool failed = false;
  pprofc_status status =
      run_git(r, r->top, *r->commits[side] ? words : tracked, &printed, &failed, error);
  while (status == PPROFC_OK && str_next(&printed, '\0', &path))
    if (path.size && interner_add(&r->paths[side], path) == MAP_NONE) return error_nomem(error);
  return status;
}

static void revisions_begin(struct revisions *r, const pprofc_allocator *mem) {
  *r = (struct revisions){.top = NULL};
  arena_init(&r->arena, mem);
  for (int side = 0; side < DIFF_SIDES; side++) interner_init(&r->paths[side], mem);
}

/* Reads the differences between base and head, and the lists of their files. */
static pprofc_status compare_sides(struct revisions *r, pprofc_error *error) {
  pprofc_status status = read_diff(r, error);
  if (status == PPROFC_OK) status = list_side_files(r, DIFF_BASE, error);
  if (status == PPROFC_OK) status = list_side_files(r, DIFF_HEAD, error);
  return status;
}

pprofc_status revisions_open(struct revisions *r, const char *refs, const pprofc_allocator *mem,
                             pprofc_error *error) {
  pprofc_str base = str_of(refs), head = STR("");
  revisions_begin(r, mem);
  size_t dots = str_find(base, STR(".."));
  if (dots < base.size) {
    head = str_slice(base, dots + 2, base.size);
    if (!head.size) head = STR("HEAD");
    base = str_slice(base, 0, dots);
  }
  pprofc_status status = find_top(r, NULL, error);
  if (status == PPROFC_OK) status = find_commit(r, base, r->commits[DIFF_BASE], error);
  if (status == PPROFC_OK && head.size) status = find_commit(r, head, r->commits[DIFF_HEAD], error);
  return status == PPROFC_OK ? compare_sides(r, error) : status;
}

pprofc_status revisions_open_at(struct revisions *r, const char *folder, const char *ref,
                                int64_t seconds, const pprofc_allocator *mem, pprofc_error *error) {
  revisions_begin(r, mem);
  pprofc_status status = find_top(r, folder, error);
  if (status == PPROFC_OK && *ref)
    status = find_commit(r, str_of(ref), r->commits[DIFF_BASE], error);
  else if (status == PPROFC_OK)
    status = find_commit_at(r, seconds, r->commits[DIFF_BASE], error);
  return status == PPROFC_OK ? compare_sides(r, error) : status;
}

void revisions_free(struct revisions *r) {
  if (!r->arena.mem) return;
  for (int side = 0; side < DIFF_SIDES; side++) interner_free(&r->paths[side]);
  arena_free(&r->arena);
}

pprofc_str revisions_place(const struct revisions *r, enum diff_side side, pprofc_str file) {
  while (file.size) {
    uint32_t found = interner_find(&r->paths[side], file);
    if (found != MAP_NONE) return r->paths[side].items[found];
    file = str_slice(file, str_find_char(file, '/') + 1, file.size);
  }
  return STR("");
}

pprofc_status revisions_text(struct revisions *r, struct source_lookup *lookup, enum diff_side side,
                             pprofc_str path, const struct source_file **file,
                             pprofc_error *error) {
  pprofc_str printed;
  bool failed = false, commit = *r->commits[side];
  struct buffer name = buffer_make(r->arena.mem, SIZE_MAX / 2);
  const char *state = commit ? r->commits[side] : r->top;
  buffer_printf(&name, "%s%c%.*s", state, commit ? ':' : '/', STR_ARG(path));
  pprofc_str spelled = buffer_take(&name, &r->arena);
  if (!spelled.data) return error_nomem(error);
  if (!commit) {
    *file = source_lookup_file(lookup, spelled);
    return *file ? PPROFC_OK : error_nomem(error);
  }
  const char *const words[] = {"cat-file", "blob", spelled.data, NULL};
  pprofc_status status = run_git(r, r->top, words, &printed, &failed, error);
  if (status != PPROFC_OK) return status;
  r->shown = (struct source_file){NULL, 0, failed ? STR("git cat-file failed") : STR("")};
  *file = &r->shown;
  return source_file_split(&r->shown, printed, &r->arena) ? PPROFC_OK : error_nomem(error);
}
