/* Writes the files of a run into the stage, a temporary folder inside the final folder. Moves the
 * files to the final folder at the end. */
#include "core/json_tree.h"
#include "run/recording.h"

static void name_places(struct ci_run *run) {
  struct arena *arena = &run->arena;
  char *out = text_keep(arena, str_of(text_path(arena, run->options->out)));
  text_trim_slashes(out);
  char *space = arena_alloc(arena, strlen(out) + 2);
  pprofc_str above = str_path_dir(str_of(out), space);
  run->benchdiff = text_printf(arena, "%.*s/benchdiff", STR_ARG(above));
  run->out = out;
}

void stage_open(struct ci_run *run) {
  static const char *const folders[] = {"ci/flamegraphs", "ci/speedscope", "ci/flame",
                                        "ci/profiles", "benchdiff"};
  name_places(run);
  ci_need(files_need_folder(run->out, &ci_error));
  char *stage = text_printf(&run->arena, "%s/.new.XXXXXX", run->out);
  if (!mkdtemp(stage)) {
    int number = errno;
    (void)rmdir(run->out);
    ci_fail("cannot write into '%s': %s", run->out, ERRNO_TEXT(number));
  }
  run->stage = stage;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    ci_need(files_need_folder(text_printf(&run->arena, "%s/%s", stage, folders[i]), &ci_error));
}

void stage_clean(void *context) {
  struct ci_run *run = context;
  if (run->has_worktree) checkouts_remove(run);
  if (run->work) tree_remove(run->work);
  if (!run->stage) return;
  tree_remove(run->stage);
  (void)rmdir(run->out); /* removes the folder only if it is empty */
}

static bool is_made(const struct ci_run *run, bool of_benchdiff, pprofc_str path) {
  for (size_t i = 0; i < run->file_count; i++)
    if (run->files[i].of_benchdiff == of_benchdiff && str_equal(path, str_of(run->files[i].path)))
      return true;
  return false;
}

/* True if a path in a manifest leads out of the manifest's folder. */
static bool leads_out(pprofc_str path) {
  pprofc_str rest = path, part;
  if (path.size && path.data[0] == '/') return true;
  while (str_next(&rest, '/', &part))
    if (str_equal(part, STR(".."))) return true;
  return false;
}

static void remove_listed(struct ci_run *run, const struct node *list, bool of_benchdiff,
                          const char *folder) {
  for (size_t i = 0; i < node_size(list); i++) {
    const struct node *item = node_at(list, i);
    if (!node_is(item, NODE_STRING) || leads_out(item->text)) continue;
    if (is_made(run, of_benchdiff, item->text)) continue;
    (void)unlink(text_printf(&run->arena, "%s/%.*s", folder, STR_ARG(item->text)));
  }
}

/* Reads the manifest of an earlier run. Returns NULL if it is missing or unreadable. */
static const struct node *read_old_manifest(struct ci_run *run) {
  const char *path = text_printf(&run->arena, "%s/manifest.json", run->out);
  struct node *root;
  if (!file_is_regular(path)) return NULL;
  bool read = json_tree_read(&run->arena, path, (size_t)64 << 20, &root, NULL) == PPROFC_OK;
  return read ? root : NULL;
}

/* Renames a file. If the paths are on different file systems, copies the file. */
static pprofc_status stage_move(const char *from, const char *to, pprofc_error *error) {
  if (rename(from, to) == 0) return PPROFC_OK;
  if (errno == EXDEV) return files_copy(from, to, error);
  return error_file(error, "write", to, errno);
}

/* Paths of a file that the run moves to the final folder. */
struct stage_paths {
  const char *from, *to;
  /* file of an earlier run that the new file replaces, kept in the temporary folder until all files
   * are moved; or NULL */
  const char *old;
};

static struct stage_paths stage_name(struct ci_run *run, size_t number) {
  const struct run_file *file = &run->files[number];
  const char *stage = file->of_benchdiff ? "benchdiff" : "ci";
  const char *place = file->of_benchdiff ? run->benchdiff : run->out;
  return (struct stage_paths){
      .from = text_printf(&run->arena, "%s/%s/%s", run->stage, stage, file->path),
      .to = text_printf(&run->arena, "%s/%s", place, file->path),
      .old = text_printf(&run->arena, "%s/old.%zu", run->stage, number)};
}

/* Moves a file to its final folder. Keeps the replaced file in the temporary folder. */
static pprofc_status stage_replace(struct ci_run *run, size_t number, pprofc_error *error) {
  const struct stage_paths paths = stage_name(run, number);
  pprofc_status status = files_need_parent(paths.to, error);
  if (status == PPROFC_OK && file_is_regular(paths.to) && link(paths.to, paths.old) != 0)
    status = files_copy(paths.to, paths.old, error);
  return status == PPROFC_OK ? stage_move(paths.from, paths.to, error) : status;
}

/* Undoes the first `count` moves: restores the files of the earlier run. */
static void stage_restore(struct ci_run *run, size_t count) {
  while (count--) {
    const struct stage_paths paths = stage_name(run, count);
    if (file_is_regular(paths.old))
      (void)stage_move(paths.old, paths.to, NULL);
    else
      (void)unlink(paths.to);
  }
}

/* Moves all files to their final folders. After an error, restores all files of the earlier run. */
void stage_commit(struct ci_run *run) {
  const struct node *manifest = read_old_manifest(run);
  for (size_t i = 0; i < run->file_count; i++) {
    if (stage_replace(run, i, &ci_error) == PPROFC_OK) continue;
    stage_restore(run, i);
    ci_need(ci_error.status);
  }
  remove_listed(run, node_get(manifest, "files"), false, run->out);
  remove_listed(run, node_get(manifest, "benchdiff"), true, run->benchdiff);
}
