/* Lists the files of a folder of profiles. */
#include "run/found.h"

#include "noise/runs.h"
#include "run/files.h"
#include "run/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#define FOUND_LEVELS 4 /* maximum number of levels below the folder; a capture has two */

static pprofc_status found_add(struct found_files *files, struct found_file file,
                               pprofc_error *error) {
  bool added = ARRAY_PUSH(&mem_default, files->items, files->count, files->capacity, file);
  return added ? PPROFC_OK : error_nomem(error);
}

static int found_by_path(const void *a, const void *b) {
  return runs_order(((const struct found_file *)a)->path, ((const struct found_file *)b)->path);
}

/* True for an entry that is never a profile: a hidden file, a manifest, or a warm-up folder. */
static bool found_is_aside(const char *name) {
  return name[0] == '.' || strcmp(name, "warmup") == 0 || strcmp(name, "manifest.json") == 0;
}

/* Adds a file to `files`, or a folder that is not too deep to `open`. */
static pprofc_status found_entry(struct arena *arena, struct found_files *open,
                                 struct found_files *files, struct found_file folder,
                                 const char *name, pprofc_error *error) {
  struct found_file found = {NULL, folder.side, folder.depth + 1};
  if (found_is_aside(name)) return PPROFC_OK;
  found.path = text_printf(arena, "%s/%s", folder.path, name);
  if (strcmp(name, "base") == 0) found.side = "base";
  if (strcmp(name, "head") == 0) found.side = "head";
  if (!found.path) return error_nomem(error);
  if (files_is_regular(found.path)) return found_add(files, found, error);
  bool opens = found.depth <= FOUND_LEVELS && files_is_folder(found.path);
  return opens ? found_add(open, found, error) : PPROFC_OK;
}

static pprofc_status found_open(struct arena *arena, struct found_files *open,
                                struct found_files *files, struct found_file folder,
                                pprofc_error *error) {
  DIR *dir = opendir(folder.path);
  if (!dir)
    return error_set(error, PPROFC_E_IO, "cannot read '%s': %s", folder.path, ERRNO_TEXT(errno));
  pprofc_status status = PPROFC_OK;
  for (const struct dirent *entry; status == PPROFC_OK && (entry = readdir(dir));)
    status = found_entry(arena, open, files, folder, entry->d_name, error);
  closedir(dir);
  return status;
}

pprofc_status found_below(struct arena *arena, const char *folder, const char *side,
                          struct found_files *files, pprofc_error *error) {
  struct found_files open = {NULL, 0, 0};
  *files = open;
  pprofc_status status = found_add(&open, (struct found_file){folder, side, 0}, error);
  for (size_t i = 0; i < open.count && status == PPROFC_OK; i++)
    status = found_open(arena, &open, files, open.items[i], error);
  if (files->count) qsort(files->items, files->count, sizeof *files->items, found_by_path);
  found_free(&open);
  return status;
}

void found_free(struct found_files *files) {
  ARRAY_FREE(&mem_default, files->items, files->capacity);
}
