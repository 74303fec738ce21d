/* Writes files and folders completely or not at all. ^C removes an incomplete file. */
#ifndef TOOLS_COMMON_SAVE_H
#define TOOLS_COMMON_SAVE_H

#include "common/base.h"

typedef pprofc_status save_fn(const void *context, pprofc_write_fn write, void *to,
                              pprofc_error *error);

typedef pprofc_status save_print_fn(const void *context, struct output *out, pprofc_error *error);

/* Both functions replace the file at `path` by content that a callback writes. On failure, the old
 * file is unchanged. */
pprofc_status save_file(const char *path, save_fn *write, const void *context, pprofc_error *error);
pprofc_status save_printed(const char *path, save_print_fn *print, const void *context,
                           pprofc_error *error);

/* Replaces the file at `path` by a text, like save_file. */
pprofc_status save_text(const char *path, pprofc_str text, pprofc_error *error);

/* Appends a text to a file, which other programs may append to at the same time. */
pprofc_status save_append(const char *path, pprofc_str text, pprofc_error *error);

/* ---- folders -------------------------------------- */

#define NEW_FOLDER_ROOM 4096 /* size of a buffer for the name of a folder */

typedef pprofc_status new_folder_fn(const void *context, const char *folder, pprofc_error *error);

/* Checks that a folder does not exist or is empty. The error message names `flag`. */
pprofc_status new_folder_check(const char *path, const char *flag, pprofc_error *error);

/* Fills a temporary folder next to `path`, then renames it to `path`. After an error, removes the
 * temporary folder. */
pprofc_status new_folder_write(const char *path, const char *flag, new_folder_fn *fill,
                               const void *context, pprofc_error *error);

/* Removes a file, or a folder with its content. Ignores errors. */
void tree_remove(const char *path);

/* Creates a folder and its missing parents. Returns 0 or an errno. */
int folder_make(const char *path, mode_t mode);

#endif
