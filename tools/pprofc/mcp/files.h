/* Opens files below the folders of the command line, and no others. */
#ifndef PPROFC_MCP_FILES_H
#define PPROFC_MCP_FILES_H

#include "core/buffer.h"
#include "core/error.h"

#include <sys/stat.h>

#define FILES_FOLDERS 32

struct files {
  const char *names[FILES_FOLDERS]; /* names of the folders as on the command line */
  char *paths[FILES_FOLDERS];       /* absolute paths of the folders, links resolved */
  int fds[FILES_FOLDERS];
  size_t count;
};

/* Opens the folders; without folders, the current one. */
pprofc_status files_open(struct files *files, const char *const *names, size_t count,
                         pprofc_error *error);
void files_close(struct files *files);

/* Opens a regular file for reading. A path is relative to a folder, or absolute and below one.
 * ".." and links are refused. Returns the descriptor, or -1 with an error. */
int files_find(const struct files *files, pprofc_str path, struct stat *info, pprofc_error *error);

/* Appends a file, at most the buffer's ceiling. */
pprofc_status files_read(const struct files *files, pprofc_str path, struct buffer *data,
                         pprofc_error *error);

/* Calls `found` with each file below a folder, sorted by name, at most `most`. A path that names
 * a folder lists this folder alone; "" lists all. False when out of memory or if `path` is not
 * a folder. */
typedef bool (*files_found_fn)(void *context, pprofc_str path, const struct stat *info);
bool files_visit(const struct files *files, pprofc_str path, size_t most, files_found_fn found,
                 void *context);

#endif
