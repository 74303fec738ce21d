/* Writes a folder completely or not at all. */
#ifndef TOOLS_COMMON_NEW_FOLDER_H
#define TOOLS_COMMON_NEW_FOLDER_H

#include "core/error.h"

#include <sys/types.h>

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
