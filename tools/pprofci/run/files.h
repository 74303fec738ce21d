/* Creates, writes and finds files. Relative paths begin in the current folder. */
#ifndef PPROFCI_RUN_FILES_H
#define PPROFCI_RUN_FILES_H

#include "common/new_folder.h"
#include "common/save.h"
#include "core/infile.h"
#include "memory.h"
#include "run/run.h"

#include <dirent.h>

/* Creates a folder and its parents. Returns false with errno set on failure. */
bool files_make_folders(const char *path);

/* Creates a folder and its parents. Sets an error message on failure. */
pprofc_status files_need_folder(const char *path, pprofc_error *error);
pprofc_status files_need_parent(const char *path, pprofc_error *error);

/* Creates a new folder in $TMPDIR or /tmp. */
void files_temporary(struct arena *arena, const char **path);

/* Returns the path of the current folder. */
const char *files_here(struct ci_run *run);

/* Writes a new file into the stage (a temporary folder for new artifacts, stage.c), and lists the
 * file in the manifest. `path` is relative to the folder of the page. If `of_benchdiff` is true,
 * `path` is relative to the folder of the benchmark tables. */
void files_put(struct ci_run *run, bool of_benchdiff, const char *path, pprofc_str text);

/* Like files_put, but `write` writes the contents. */
pprofc_status files_make(struct ci_run *run, const char *path, save_fn *write, const void *context,
                         pprofc_error *error);
void files_put_copy(struct ci_run *run, const char *from, const char *path);
pprofc_status files_copy(const char *from, const char *to, pprofc_error *error);

/* Lists the names in a folder, including hidden ones. `order` sorts the names, such as
 * alphasort(3). */
typedef int files_order(const struct dirent **a, const struct dirent **b);
pprofc_status files_list(struct ci_run *run, const char *folder, files_order *order,
                         const char ***names, size_t *count, pprofc_error *error);

bool files_is_folder(const char *path);
bool files_is_regular(const char *path);
bool files_are_same(const char *a, const char *b);

/* Returns the longest suffix of `file` that is a file below the current folder, or "". The whole
 * path is often not a file here, because profiles name files by module or by the folder of the
 * build. */
pprofc_str place_in_checkout(const char *file);

struct found_file {
  const char *path;
  const char *side; /* "base" or "head" if a folder above the file has this name, else the side that
                       the caller gave */
  int depth;        /* depth of the file below the listed folder; 1: directly in the folder */
};

struct found_files {
  struct found_file *items;
  size_t count, capacity;
};

/* Lists the files of a folder and of its subfolders, four levels deep. Sorts them by path, with
 * run2 before run10. Skips hidden files, manifests and warm-up folders. The arena
 * owns the list. */
void found_below(struct arena *arena, const char *folder, const char *side,
                 struct found_files *files);

#endif
