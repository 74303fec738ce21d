/* Finds packages whose test binary is the same in base and head. */
#include "run/comparisons.h"
#include "run/recording.h"
#include "run/run.h"

#include "common/terminal.h"
#include "core/log_guard.h"
#include "run/files.h"
#include "run/programs.h"
#include "run/text.h"

#include <sys/stat.h>

static bool have_same_size(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_size == y.st_size;
}

static pprofc_status compare_files(struct ci_run *run, const char *a, const char *b, bool *equal,
                                   pprofc_error *error) {
  struct buffer texts[2];
  *equal = false;
  if (!have_same_size(a, b)) return PPROFC_OK;
  for (int i = 0; i < 2; i++) buffer_init(&texts[i], run->mem, SIZE_MAX / 2);
  pprofc_status status = file_read(a, &texts[0], error);
  if (status == PPROFC_OK) status = file_read(b, &texts[1], error);
  if (status == PPROFC_OK) *equal = str_equal(buffer_str(&texts[0]), buffer_str(&texts[1]));
  for (int i = 0; i < 2; i++) buffer_free(&texts[i]);
  return status;
}

/* Checks if git lists a change to a file that a benchmark may read while it runs. These are files
 * in the package's folder or in a folder testdata. The files that the compiler reads are already
 * part of the binary. */
static pprofc_status read_files_changed(struct ci_run *run, const char *folder, bool *changed,
                                        pprofc_error *error) {
  const char *const argv[] = {"git",
                              "diff",
                              "--quiet",
                              run->base_commit,
                              "--",
                              ".",
                              ":(top,glob)**/testdata/**",
                              ":(exclude)*.go",
                              ":(exclude)*.md",
                              ":(exclude).*",
                              ":(exclude)go.mod",
                              ":(exclude)go.sum",
                              NULL};
  struct program git = {.argv = argv, .folder = folder};
  pprofc_status status = program_run(run, &git, error);
  *changed = git.status != 0;
  program_end(&git);
  return status;
}

static pprofc_status same_add(struct ci_run *run, const char *package, pprofc_error *error) {
  bool added = package &&
               ARRAY_PUSH_IN(&run->arena, run->same, run->same_count, run->same_capacity, package);
  return added ? PPROFC_OK : error_nomem(error);
}

static pprofc_status same_check(struct ci_run *run, struct go_package *package,
                                pprofc_error *error) {
  bool changed = false;
  const char *const *programs = package->programs;
  if (!programs[SIDE_BASE] || !programs[SIDE_HEAD]) return PPROFC_OK;
  pprofc_status status =
      compare_files(run, programs[SIDE_BASE], programs[SIDE_HEAD], &package->same, error);
  if (status != PPROFC_OK || !package->same) return status;
  status = read_files_changed(run, package->folders[SIDE_HEAD], &changed, error);
  package->same = !changed;
  if (status != PPROFC_OK || changed) return status;
  message_note("unchanged: same binary: %s", package->path);
  return same_add(run, package->path, error);
}

pprofc_status same_find(struct ci_run *run, struct packages *packages, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  if (run->options->all) return status;
  for (size_t i = 0; i < packages->count && status == PPROFC_OK; i++)
    status = same_check(run, &packages->items[i], error);
  return status;
}

bool same_is_all(const struct ci_run *run) {
  return run->same_count && !run->judged && run->has_base && !run_has(run->bench[SIDE_HEAD]);
}

void same_write(struct json_writer *json, const struct ci_run *run) {
  json_begin_array(json_key(json, "same_binary"));
  for (size_t i = 0; i < run->same_count; i++) json_text(json, run->same[i]);
  json_end(json);
}

pprofc_status same_read(struct ci_run *run, const struct node *root, const char *job,
                        pprofc_error *error) {
  const struct node *list = node_get(root, "same_binary");
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < node_size(list) && status == PPROFC_OK; i++) {
    const struct node *item = node_at(list, i);
    if (!node_is(item, NODE_STRING)) continue;
    pprofc_str shown = escape_line_keep(item->text, &run->arena);
    status = same_add(run, text_printf(&run->arena, "%s: %.*s", job, STR_ARG(shown)), error);
  }
  return status;
}
