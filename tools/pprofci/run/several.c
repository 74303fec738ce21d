/* Adds pairs of profiles that have several runs per side. */
#include "run/run.h"

#include "noise/runs.h"
#include "run/files.h"
#include "run/text.h"

#include <dirent.h>

static int several_by_name(const struct dirent **a, const struct dirent **b) {
  return runs_order((*a)->d_name, (*b)->d_name);
}

static pprofc_status several_entry(struct ci_run *run, const char *folder, const char *name,
                                   struct run_pair *pair, int side, pprofc_error *error) {
  bool is;
  const char *path = text_printf(&run->arena, "%s/%s", folder, name);
  if (!path) return error_nomem(error);
  if (name[0] == '.' || !files_is_regular(path)) return PPROFC_OK;
  pprofc_status status = check_profile(run, path, "", &is, error);
  if (status == PPROFC_OK && is) pair->runs[side][pair->run_count[side]++] = path;
  return status;
}

/* Makes each profile of a folder one run of base or head. */
static pprofc_status several_list(struct ci_run *run, const char *folder, struct run_pair *pair,
                                  int side, pprofc_error *error) {
  const char **names;
  size_t count;
  pprofc_status status = files_list(run, folder, several_by_name, &names, &count, error);
  if (status != PPROFC_OK) return status;
  pair->run_count[side] = 0;
  pair->runs[side] = arena_array(&run->arena, count, sizeof *pair->runs[side]);
  if (!pair->runs[side]) return error_nomem(error);
  for (size_t i = 0; i < count && status == PPROFC_OK; i++)
    status = several_entry(run, folder, names[i], pair, side, error);
  if (status != PPROFC_OK || pair->run_count[side]) return status;
  return error_set(error, PPROFC_E_INVALID, "no profiles in '%s'", folder);
}

pprofc_status several_add(struct ci_run *run, const char *base, const char *head,
                          pprofc_error *error) {
  const char *const given[SIDES] = {base, head};
  struct run_pair *pair = run_add_pair(run, base, head);
  if (!pair) return error_nomem(error);
  for (int side = 0; side < SIDES; side++) {
    if (!files_is_folder(given[side])) continue;
    char *stem = text_keep(&run->arena, str_of(given[side]));
    if (!stem) return error_nomem(error);
    text_trim_slashes(stem); /* The last element of the path becomes the name of the artifacts. */
    pair->stems[side] = stem;
    pprofc_status status = several_list(run, pair->stems[side], pair, side, error);
    if (status != PPROFC_OK) return status;
    pair->paths[side] = pair->runs[side][0];
  }
  return PPROFC_OK;
}

static pprofc_status several_copy(struct ci_run *run, const struct run_pair *pair, int side,
                                  pprofc_error *error) {
  struct arena *arena = &run->arena;
  const char *folder = text_printf(arena, "%s/ci/%s/%s", run->stage, pair->kept, side_names[side]);
  if (!folder) return error_nomem(error);
  pprofc_status status = files_need_folder(folder, error);
  for (size_t i = 0; i < pair->run_count[side] && status == PPROFC_OK; i++) {
    pprofc_str name = str_path_base(str_of(pair->runs[side][i]));
    const char *to = text_printf(arena, "%s/%s/%.*s", pair->kept, side_names[side], STR_ARG(name));
    status = to ? files_put_copy(run, pair->runs[side][i], to, error) : error_nomem(error);
  }
  if (status != PPROFC_OK || !pair->printed[side].size) return status;
  const char *results = text_printf(arena, "%s/%s.txt", pair->kept, side_names[side]);
  if (!results) return error_nomem(error);
  return files_put(run, false, results, pair->printed[side], error);
}

pprofc_status several_keep(struct ci_run *run, struct run_pair *pair, const char *name,
                           pprofc_error *error) {
  bool several = pair->run_count[SIDE_BASE] > 1 || pair->run_count[SIDE_HEAD] > 1;
  if (!several && !pair->benchmark) return PPROFC_OK;
  const char *wanted = text_printf(&run->arena, "runs/%s", name);
  pair->kept = wanted ? run_take_name(run, wanted) : NULL;
  if (!pair->kept) return error_nomem(error);
  pprofc_status status = PPROFC_OK;
  for (int side = 0; side < SIDES && status == PPROFC_OK; side++)
    if (pair->run_count[side]) status = several_copy(run, pair, side, error);
  return status;
}
