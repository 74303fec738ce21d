/* Reads the profiles of files and folders, in the order of their names. */
#include "common/terminal.h"
#include "core/array.h"
#include "leaks/command.h"
#include "noise/runs.h"
#include "pprofc/symbolize.h"
#include "run/files.h"
#include "run/text.h"
#include "transform/transform.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#define FOLDER_LEVELS 4 /* levels below the folder of the command line; a capture has two */

/* Paths that are not read yet. */
struct leaks_paths {
  const char **items;
  size_t count, capacity;
};

/* ---- folders ----------------------------------------- */

static int leaks_by_name(const void *a, const void *b) {
  return runs_order(*(const char *const *)a, *(const char *const *)b);
}

/* True for an entry that is never a profile of the set. */
static bool leaks_is_aside(const char *name) {
  return name[0] == '.' || strcmp(name, "warmup") == 0 || strcmp(name, "manifest.json") == 0;
}

static pprofc_status leaks_add_path(struct leaks_paths *paths, const char *path,
                                    pprofc_error *error) {
  if (!path || !ARRAY_RESERVE(&mem_default, paths->items, paths->capacity, paths->count + 1))
    return error_nomem(error);
  paths->items[paths->count++] = path;
  return PPROFC_OK;
}

/* Adds an entry of a folder to the files or, above the deepest level, to the open folders. */
static pprofc_status leaks_add_entry(struct leaks_inputs *inputs, struct leaks_paths *paths,
                                     struct leaks_paths *open, size_t folder, const char *name,
                                     pprofc_error *error) {
  const char *path = text_printf(&inputs->arena, "%s/%s", open->items[folder], name);
  if (!path) return error_nomem(error);
  if (files_is_regular(path)) return leaks_add_path(paths, path, error);
  size_t level = 1, top = strlen(open->items[0]);
  for (const char *c = path + top + 1; *c; c++) level += *c == '/';
  if (level > FOLDER_LEVELS || !files_is_folder(path)) return PPROFC_OK;
  return leaks_add_path(open, path, error);
}

/* Refuses the folder of a capture of two sides, whose profiles are not one series. */
static pprofc_status leaks_check_sides(struct leaks_inputs *inputs, const char *folder,
                                       pprofc_error *error) {
  const char *base = text_printf(&inputs->arena, "%s/base", folder);
  const char *head = text_printf(&inputs->arena, "%s/head", folder);
  if (!base || !head) return error_nomem(error);
  if (!files_is_folder(base) || !files_is_folder(head)) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID,
                   "'%s' has the profiles of base and head; pass one of its folders", folder);
}

/* Adds the files of a folder and of its folders, a few levels deep. */
static pprofc_status leaks_add_folder(struct leaks_inputs *inputs, struct leaks_paths *paths,
                                      const char *folder, pprofc_error *error) {
  struct leaks_paths open = {NULL, 0, 0};
  pprofc_status status = leaks_check_sides(inputs, folder, error);
  if (status == PPROFC_OK) status = leaks_add_path(&open, folder, error);
  for (size_t i = 0; i < open.count && status == PPROFC_OK; i++) {
    DIR *dir = opendir(open.items[i]);
    if (!dir) {
      status =
          error_set(error, PPROFC_E_IO, "cannot read '%s': %s", open.items[i], ERRNO_TEXT(errno));
      break;
    }
    for (const struct dirent *entry; status == PPROFC_OK && (entry = readdir(dir));)
      if (!leaks_is_aside(entry->d_name))
        status = leaks_add_entry(inputs, paths, &open, i, entry->d_name, error);
    closedir(dir);
  }
  ARRAY_FREE(&mem_default, open.items, open.capacity);
  return status;
}

/* ---- profiles ---------------------------------------- */

static bool leaks_has_names(const pprofc_profile *profile) {
  size_t count = pprofc_profile_location_count(profile);
  for (uint32_t i = 0; i < count; i++)
    if (!pprofc_profile_location(profile, i).line_count) return false;
  return true;
}

static void leaks_replace(pprofc_profile **profile, pprofc_profile *with) {
  pprofc_profile_release(*profile);
  *profile = with;
}

/* Adds symbols, and drops the frames that the profile declares as its allocator. */
static pprofc_status leaks_prepare(pprofc_profile **profile, pprofc_error *error) {
  pprofc_symbolize_options options;
  pprofc_profile *made;
  pprofc_status status = PPROFC_OK;
  pprofc_symbolize_options_init(&options);
  options.search_path = getenv("PPROF_BINARY_PATH");
  if (!leaks_has_names(*profile)) {
    status = pprofc_symbolize(*profile, &options, &made, error);
    if (status == PPROFC_OK) leaks_replace(profile, made);
  }
  if (status == PPROFC_OK) status = transform_drop_frames(*profile, &made, error);
  if (status == PPROFC_OK) leaks_replace(profile, made);
  return status;
}

static pprofc_status leaks_keep(struct leaks_inputs *inputs, const char *path,
                                pprofc_profile *profile, pprofc_error *error) {
  struct leak_source source;
  if (!leak_source_of(profile, &source)) {
    inputs->others++;
    pprofc_profile_release(profile);
    return PPROFC_OK;
  }
  pprofc_status status = leaks_prepare(&profile, error);
  if (status == PPROFC_OK &&
      !ARRAY_RESERVE(&mem_default, inputs->items, inputs->capacity, inputs->count + 1))
    status = error_nomem(error);
  if (status != PPROFC_OK)
    pprofc_profile_release(profile);
  else
    inputs->items[inputs->count++] = (struct leak_input){path, profile};
  return status;
}

/* True if the contents and the name of a file in a folder show that it is not a profile. */
static bool leaks_may_skip(const char *path, const pprofc_error *error) {
  static const char *const endings[] = {".prof", ".pb", ".pb.gz", ".heap"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (str_ends(str_of(path), str_of(endings[i]))) return false;
  return strstr(error->message, "unrecognized profile format") ||
         strstr(error->message, "empty input file");
}

static pprofc_status leaks_read(struct leaks_inputs *inputs, const char *path, bool of_folder,
                                pprofc_error *error) {
  pprofc_profile *profile;
  pprofc_status status = pprofc_profile_read_file(path, NULL, &profile, error);
  if (status == PPROFC_OK) return leaks_keep(inputs, path, profile, error);
  if (!of_folder || !leaks_may_skip(path, error)) return status;
  message_note("pprofci: skipped '%s': not a profile", path);
  return PPROFC_OK;
}

static pprofc_status leaks_load_source(struct leaks_inputs *inputs, const char *source,
                                       pprofc_error *error) {
  struct leaks_paths paths = {NULL, 0, 0};
  if (!files_is_folder(source)) return leaks_read(inputs, source, false, error);
  pprofc_status status = leaks_add_folder(inputs, &paths, source, error);
  if (paths.count) qsort(paths.items, paths.count, sizeof *paths.items, leaks_by_name);
  for (size_t i = 0; i < paths.count && status == PPROFC_OK; i++)
    status = leaks_read(inputs, paths.items[i], true, error);
  ARRAY_FREE(&mem_default, paths.items, paths.capacity);
  return status;
}

pprofc_status leaks_load(struct leaks_inputs *inputs, const char *const *sources, size_t count,
                         pprofc_error *error) {
  *inputs = (struct leaks_inputs){.count = 0};
  arena_init(&inputs->arena, &mem_default);
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < count && status == PPROFC_OK; i++)
    status = leaks_load_source(inputs, sources[i], error);
  if (status == PPROFC_OK && inputs->others)
    message_note("pprofci: skipped %zu profile%s of CPU or other events, which cannot leak",
                 inputs->others, inputs->others == 1 ? "" : "s");
  if (status == PPROFC_OK && !inputs->count)
    status = error_set(error, PPROFC_E_INVALID, "no heap or goroutine profiles among the inputs");
  return status;
}

void leaks_inputs_free(struct leaks_inputs *inputs) {
  for (size_t i = 0; i < inputs->count; i++) pprofc_profile_release(inputs->items[i].profile);
  ARRAY_FREE(&mem_default, inputs->items, inputs->capacity);
  arena_free(&inputs->arena);
}
