/* Opens files, but only files below the folders of the command line. */
#ifndef PPROFC_MCP_FILES_H
#define PPROFC_MCP_FILES_H

#include "core/buffer.h"
#include "core/error.h"

#include <sys/stat.h>

#define FILES_FOLDERS 32

struct files {
  const char *names[FILES_FOLDERS]; /* names of the folders, as on the command line */
  char *paths[FILES_FOLDERS];       /* absolute paths of the folders without symlinks */
  int fds[FILES_FOLDERS];
  size_t count;
};

/* Opens the folders, or the current folder if `count` is 0. */
pprofc_status files_open(struct files *files, const char *const *names, size_t count,
                         pprofc_error *error);
void files_close(struct files *files);

/* Opens a regular file for reading. `path` is relative to a folder, or an absolute path below a
 * folder. Rejects ".." and symlinks. Returns the descriptor, or -1 with an error. */
int files_find(const struct files *files, pprofc_str path, struct stat *info, pprofc_error *error);

/* Appends the content of a file to `data`. The size limit of the buffer applies. */
pprofc_status files_read(const struct files *files, pprofc_str path, struct buffer *data,
                         pprofc_error *error);

/* Calls `found` for at most `most` files below a folder, in the order of their names. The path ""
 * means all folders. Returns false when out of memory, or if `path` is not a folder. */
typedef bool (*files_found_fn)(void *context, pprofc_str path, const struct stat *info);
bool files_visit(const struct files *files, pprofc_str path, size_t most, files_found_fn found,
                 void *context);

#endif
