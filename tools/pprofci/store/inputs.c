/* Reads the inputs of `pprofci store`. */
#include "store/writing.h"

#include "publish/outcome.h"
#include "run/files.h"
#include "run/profiles.h"
#include "run/text.h"

#include <sys/stat.h>

static bool writing_add_profile(struct writing *w, const struct writing_profile *profile) {
  if (!ARRAY_RESERVE(&mem_default, w->profiles, w->profile_capacity, w->profile_count + 1))
    return false;
  w->profiles[w->profile_count++] = *profile;
  return true;
}

static void writing_note_time(struct writing *w, const char *path) {
  struct stat info;
  if (stat(path, &info) == 0 && (int64_t)info.st_mtime > w->time) w->time = (int64_t)info.st_mtime;
}

/* Adds the head profiles of all pairs of profiles. */
static pprofc_status writing_add_pairs(struct writing *w, pprofc_error *error) {
  const struct node *pairs = node_get(w->manifest, "pairs");
  for (size_t i = 0; i < node_size(pairs); i++) {
    const struct node *pair = node_at(pairs, i);
    struct writing_profile profile = {.kind = text_keep(&w->arena, node_text(pair, "kind")),
                                      .package = text_keep(&w->arena, node_text(pair, "package")),
                                      .benchmark =
                                          text_keep(&w->arena, node_text(pair, "benchmark")),
                                      .name = text_keep(&w->arena, node_text(pair, "head"))};
    if (!profile.kind || !profile.package || !profile.benchmark || !profile.name)
      return error_nomem(error);
    if (!*profile.name) continue;
    if (strchr(profile.name, '/'))
      return error_set(error, PPROFC_E_FORMAT, "the manifest names a profile '%s'", profile.name);
    profile.path = text_printf(&w->arena, "%s/profiles/%s.pb.gz", w->folder, profile.name);
    if (!profile.path || !writing_add_profile(w, &profile)) return error_nomem(error);
  }
  return PPROFC_OK;
}

static pprofc_status writing_read_run(struct writing *w, const char *folder, pprofc_error *error) {
  struct outcome *outcome = arena_zero_array(&w->arena, 1, sizeof *outcome);
  const char *manifest = text_printf(&w->arena, "%s/manifest.json", folder);
  if (!outcome || !manifest) return error_nomem(error);
  pprofc_status status = outcome_read(&w->arena, folder, false, outcome, error);
  if (status != PPROFC_OK) return status;
  w->folder = folder;
  w->manifest = outcome->root;
  writing_note_time(w, manifest);
  return writing_add_pairs(w, error);
}

static pprofc_status writing_read_profile(struct writing *w, const char *path,
                                          pprofc_error *error) {
  pprofc_profile *profile;
  pprofc_status status = source_read(path, &mem_default, &profile, error);
  if (status != PPROFC_OK) return status;
  pprofc_value_type type = pprofc_profile_type(profile, pprofc_profile_default_type(profile));
  pprofc_str name = str_path_base(str_of(path));
  struct writing_profile item = {.path = path,
                                 .kind = text_keep(&w->arena, type.type),
                                 .package = "",
                                 .benchmark = "",
                                 .name = text_keep(&w->arena, name)};
  pprofc_profile_release(profile);
  return item.kind && item.name && writing_add_profile(w, &item) ? PPROFC_OK : error_nomem(error);
}

static pprofc_status writing_read_results(struct writing *w, const char *path, bool *any,
                                          pprofc_error *error) {
  size_t before, after;
  if (!w->set) w->set = pprofc_bench_new(NULL);
  if (!w->set) return error_nomem(error);
  (void)pprofc_bench_results(w->set, &before);
  pprofc_status status = pprofc_bench_read_inputs(w->set, &path, 1, error);
  (void)pprofc_bench_results(w->set, &after);
  *any = after > before;
  return status;
}

/* Reads a file of results or a profile. */
static pprofc_status writing_read_file(struct writing *w, const char *path, pprofc_error *error) {
  bool any = false;
  pprofc_error ignored;
  if (!files_is_regular(path) && !files_is_folder(path))
    return error_set(error, PPROFC_E_IO, "cannot read '%s': no such file", path);
  writing_note_time(w, path);
  if (source_check(path, &ignored) == PPROFC_OK) return writing_read_profile(w, path, error);
  pprofc_status status = writing_read_results(w, path, &any, error);
  if (status == PPROFC_OK && !any)
    status = error_set(error, PPROFC_E_FORMAT, "'%s' holds neither benchmark results nor a profile",
                       path);
  return status;
}

pprofc_status writing_read(struct writing *w, const char *const *paths, size_t count,
                           pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  *w = (struct writing){.folder = NULL};
  arena_init(&w->arena, &mem_default);
  for (size_t i = 0; i < count && status == PPROFC_OK; i++) {
    const char *manifest = text_printf(&w->arena, "%s/manifest.json", paths[i]);
    if (!manifest) return error_nomem(error);
    bool is_run = files_is_folder(paths[i]) && files_is_regular(manifest);
    if (is_run && count > 1)
      return error_set(error, PPROFC_E_INVALID,
                       "'%s' is the folder of a run; store it in a command of its own", paths[i]);
    status = is_run ? writing_read_run(w, paths[i], error) : writing_read_file(w, paths[i], error);
  }
  return status;
}

void writing_free(struct writing *w) {
  pprofc_bench_free(w->set);
  ARRAY_FREE(&mem_default, w->profiles, w->profile_capacity);
  arena_free(&w->arena);
}

/* Returns the machine of a file of results: "linux/amd64, AMD EPYC". */
static const char *writing_machine(struct writing *w) {
  static const char *const keys[] = {"goos", "goarch", "cpu"};
  struct buffer text;
  size_t count;
  (void)pprofc_bench_results(w->set, &count);
  buffer_init(&text, &mem_default, 1 << 16);
  for (size_t i = 0; i < sizeof keys / sizeof *keys && count; i++) {
    pprofc_str value = pprofc_bench_result_config(w->set, 0, str_of(keys[i]));
    if (value.size && text.size) buffer_add_char(&text, ' ');
    buffer_add_str(&text, value);
  }
  return buffer_take(&text, &w->arena).data;
}

pprofc_status writing_fill_commit(struct writing *w, struct commit_info *info,
                                  pprofc_error *error) {
  pprofc_str commit = node_text(w->manifest, "commit");
  if (!*info->commit && commit.size) info->commit = text_keep(&w->arena, commit);
  if (!*info->machine && w->set) info->machine = writing_machine(w);
  return info->commit && info->machine ? PPROFC_OK : error_nomem(error);
}
