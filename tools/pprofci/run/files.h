/* Files and folders of a run. Paths are as for open(2). */
#ifndef PPROFCI_RUN_FILES_H
#define PPROFCI_RUN_FILES_H

#include "run/run.h"

/* Makes a folder and those above it; false with errno. */
bool files_make_folders(const char *path);

/* A new folder in the one for temporary files, or NULL with errno. */
const char *files_temporary(struct arena *arena);

/* Removes a folder and everything in it. */
void files_remove_tree(const char *path);

/* Reads a file whole into the buffer. */
pprofc_status files_read(const char *path, struct buffer *text, pprofc_error *error);

/* Writes a new file of the stage and notes it for the manifest. `path` is below the folder of the
 * page, or with `of_benchdiff` below that of the benchmark tables. */
pprofc_status files_put(struct ci_run *run, bool of_benchdiff, const char *path, pprofc_str text,
                        pprofc_error *error);

/* The same, written by a function of the library through a callback. */
struct files_writer {
  pprofc_status (*write)(void *context, pprofc_write_fn write, void *to, pprofc_error *error);
  void *context;
};
pprofc_status files_make(struct ci_run *run, const char *path, const struct files_writer *writer,
                         pprofc_error *error);

/* Adds text to the end of a file, which may be new. */
pprofc_status files_append(const char *path, pprofc_str text, pprofc_error *error);

/* Copies a file into the stage, as it is. */
pprofc_status files_copy(struct ci_run *run, const char *from, const char *path,
                         pprofc_error *error);

bool files_is_folder(const char *path);
bool files_is_regular(const char *path);

/* Both paths are of one file. */
bool files_are_same(const char *a, const char *b);

#endif
