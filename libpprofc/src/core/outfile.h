/* Writes output files that appear complete or not at all. */
#ifndef PPROFC_CORE_OUTFILE_H
#define PPROFC_CORE_OUTFILE_H

#include "core/error.h"

/* An output file. It is written as TARGET.tmp-PROCESS-NUMBER in the folder of its target, and then
 * renamed. Devices and pipes are written directly. */
struct outfile {
  const char *path;  /* path as the caller gave it; not copied */
  int fd;            /* file descriptor; -1: closed */
  bool straight;     /* true for devices and pipes, which are not renamed at the end */
  char target[4096]; /* path of the target after resolving symlinks */
  char temporary[4128];
  int reason; /* errno of the first write that failed, or 0 */
};

/* Creates the file. Its mode is the mode of an existing target, or else the default mode. Removes
 * temporary files of this target that killed processes left. */
pprofc_status outfile_open(struct outfile *file, const char *path, pprofc_error *error);

/* Writes to the file. The function is a pprofc_write_fn whose context is a struct outfile. */
int outfile_write(void *file, const void *data, size_t size);

/* outfile_commit renames the file to its target. outfile_discard removes the file instead. Both
 * close the file. */
pprofc_status outfile_commit(struct outfile *file, pprofc_error *error);
void outfile_discard(struct outfile *file);

/* Commits the file if `status` is PPROFC_OK, else discards it. If a write failed, adds the file and
 * the reason to the message. */
pprofc_status outfile_end(struct outfile *file, pprofc_status status, pprofc_error *error);

/* Writes all bytes to a file descriptor, or fails. The function is a pprofc_write_fn whose context
 * is a pointer to the descriptor. */
int fd_write(void *fd, const void *data, size_t size);

#endif
