/* The places of a run: everything is made in a folder beside its place, and moved when all of it is
 * there. */
#include "core/json_tree.h"
#include "core/outfile.h"
#include "page/links.h"
#include "page/page.h"
#include "run/checkouts.h"
#include "run/files.h"
#include "run/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- opening ----------------------------------------- */

/* The paths of both folders of artifacts. */
static pprofc_status name_places(struct ci_run *run, pprofc_error *error) {
  struct arena *arena = &run->arena;
  const char *path = text_path(arena, run->options->out);
  char *out = path ? text_keep(arena, str_of(path)) : NULL;
  if (!out) return error_nomem(error);
  for (size_t size = strlen(out); size > 1 && out[size - 1] == '/'; size--) out[size - 1] = '\0';
  char *space = arena_alloc(arena, strlen(out) + 2);
  if (!space) return error_nomem(error);
  pprofc_str above = str_path_dir(str_of(out), space);
  run->benchdiff = text_printf(arena, "%.*s/benchdiff", STR_ARG(above));
  run->out = out;
  return run->benchdiff ? PPROFC_OK : error_nomem(error);
}

static pprofc_status make_stage_folder(struct ci_run *run, const char *name, pprofc_error *error) {
  const char *path = text_printf(&run->arena, "%s/%s", run->stage, name);
  if (!path) return error_nomem(error);
  if (files_make_folders(path)) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "cannot make the folder '%s': %s", path, ERRNO_TEXT(errno));
}

pprofc_status stage_open(struct ci_run *run, pprofc_error *error) {
  static const char *const folders[] = {"ci/flamegraphs", "ci/speedscope", "ci/flame",
                                        "ci/profiles", "benchdiff"};
  pprofc_status status = name_places(run, error);
  if (status != PPROFC_OK) return status;
  if (!files_make_folders(run->out))
    return error_set(error, PPROFC_E_IO, "cannot make the folder '%s': %s", run->out,
                     ERRNO_TEXT(errno));
  char *stage = text_printf(&run->arena, "%s/.new.XXXXXX", run->out);
  if (!stage) return error_nomem(error);
  if (!mkdtemp(stage)) {
    int number = errno;
    (void)rmdir(run->out);
    return error_set(error, PPROFC_E_IO, "cannot write into '%s': %s", run->out,
                     ERRNO_TEXT(number));
  }
  run->stage = stage;
  for (size_t i = 0; i < sizeof folders / sizeof *folders && status == PPROFC_OK; i++)
    status = make_stage_folder(run, folders[i], error);
  return status;
}

void stage_clean(struct ci_run *run) {
  if (run->has_worktree) checkouts_remove(run);
  if (run->work) files_remove_tree(run->work);
  if (!run->stage) return;
  files_remove_tree(run->stage);
  (void)rmdir(run->out); /* where there was nothing before a failure there is nothing after it */
}

/* ---- into place -------------------------------------- */

static bool is_made(const struct ci_run *run, bool of_benchdiff, pprofc_str path) {
  for (size_t i = 0; i < run->file_count; i++)
    if (run->files[i].of_benchdiff == of_benchdiff && str_equal(path, str_of(run->files[i].path)))
      return true;
  return false;
}

/* A path of a manifest that leads out of its folder is not ours. */
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
    const char *path = text_printf(&run->arena, "%s/%.*s", folder, STR_ARG(item->text));
    if (path) (void)unlink(path);
  }
}

/* What an earlier run left and this one has not made would tell of profiles and verdicts that are
 * gone. */
static void remove_old(struct ci_run *run) {
  struct buffer text;
  struct node *root;
  const char *path = text_printf(&run->arena, "%s/manifest.json", run->out);
  buffer_init(&text, run->mem, (size_t)64 << 20);
  if (path && files_is_regular(path) && files_read(path, &text, NULL) == PPROFC_OK &&
      json_tree_parse(&run->arena, NULL, buffer_str(&text), &root, NULL) == PPROFC_OK) {
    remove_listed(run, node_get(root, "files"), false, run->out);
    remove_listed(run, node_get(root, "benchdiff"), true, run->benchdiff);
  }
  buffer_free(&text);
}

/* Moves a file, whole; through a copy when the places are on two file systems. */
static pprofc_status stage_move(const struct ci_run *run, const char *from, const char *to,
                                pprofc_error *error) {
  if (rename(from, to) == 0) return PPROFC_OK;
  int number = errno;
  struct buffer text;
  struct outfile file;
  if (number != EXDEV)
    return error_set(error, PPROFC_E_IO, "cannot write '%s': %s", to, ERRNO_TEXT(number));
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  pprofc_status status = files_read(from, &text, error);
  if (status == PPROFC_OK) status = outfile_open(&file, to, error);
  if (status == PPROFC_OK && outfile_write(&file, text.data, text.size) != 0) {
    status = error_set(error, PPROFC_E_IO, "cannot write '%s': %s", to, ERRNO_TEXT(errno));
    outfile_discard(&file);
  } else if (status == PPROFC_OK) {
    status = outfile_commit(&file, error);
  }
  buffer_free(&text);
  return status;
}

static pprofc_status move_file(struct ci_run *run, const struct run_file *file,
                               pprofc_error *error) {
  struct arena *arena = &run->arena;
  const char *folder = file->of_benchdiff ? run->benchdiff : run->out;
  const char *from = text_printf(arena, "%s/%s/%s", run->stage,
                                 file->of_benchdiff ? "benchdiff" : "ci", file->path);
  char *to = text_printf(arena, "%s/%s", folder, file->path);
  if (!from || !to) return error_nomem(error);
  char *slash = strrchr(to, '/');
  *slash = '\0';
  bool there = files_make_folders(to);
  *slash = '/';
  if (!there) return error_set(error, PPROFC_E_IO, "cannot write into '%s'", folder);
  return stage_move(run, from, to, error);
}

/* What the CI service reads of this step. */
static pprofc_status tell_service(const struct ci_run *run, pprofc_error *error) {
  const char *summary = getenv("GITHUB_STEP_SUMMARY"), *output = getenv("GITHUB_OUTPUT");
  struct buffer text, told;
  char path[4096];
  pprofc_status status = PPROFC_OK;
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  buffer_init(&told, run->mem, SIZE_MAX / 2);
  snprintf(path, sizeof path, "%s/summary.md", run->out);
  if (run_has(summary)) status = files_read(path, &text, error);
  /* The page of a job is not beside the artifacts. */
  links_resolve(&told, buffer_str(&text), STR(""));
  if (status == PPROFC_OK && told.failed) status = error_nomem(error);
  if (status == PPROFC_OK && run_has(summary))
    status = files_append(summary, buffer_str(&told), error);
  buffer_free(&told);
  buffer_clear(&text);
  buffer_printf(&text, "verdict=%s\n", run->verdict);
  if (status == PPROFC_OK && run_has(output))
    status = files_append(output, buffer_str(&text), error);
  buffer_free(&text);
  return status;
}

pprofc_status stage_commit(struct ci_run *run, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  remove_old(run);
  for (size_t i = 0; i < run->file_count && status == PPROFC_OK; i++)
    status = move_file(run, &run->files[i], error);
  return status == PPROFC_OK ? tell_service(run, error) : status;
}
