/* Reads whole files. Writes output files that appear complete or not at all. */
#ifndef PPROFC_CORE_FILE_H
#define PPROFC_CORE_FILE_H

#include "core/buffer.h"
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
 * old temporary files of the target if the processes that made them have ended. */
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

/* True for a regular file, or a symlink to one. */
bool file_is_regular(const char *path);

/* True for a folder, or a symlink to one. */
bool file_is_folder(const char *path);

/* Reads the first bytes of a regular file. Returns how many bytes it read. Returns 0 for "-" and
 * for a pipe, and if the file is unreadable. Opens no pipe, because a pipe can be read only once.
 */
size_t file_begin(const char *path, char *out, size_t size);

/* Reads a whole file. All code of the library that needs the contents of a file at once uses these
 * functions. */

/* Appends everything up to the end of the input to the buffer. Returns 0 or an errno. Sets
 * data->failed if memory runs out or the input exceeds the buffer's ceiling. */
int fd_read_all(int fd, struct buffer *data);

/* Appends a whole file to the buffer. Errors: PPROFC_E_IO, PPROFC_E_LIMIT for a file above the
 * buffer's ceiling, PPROFC_E_NOMEM. */
pprofc_status file_read(const char *path, struct buffer *data, pprofc_error *error);

/* Reads a whole file of at most `most` bytes into an arena. */
pprofc_status file_keep(const char *path, size_t most, struct arena *arena, pprofc_str *text,
                        pprofc_error *error);

/* Converts `number`, a result of fd_read_all, to a status. The error message names `path`. */
pprofc_status file_read_status(const char *path, int number, const struct buffer *data,
                               pprofc_error *error);

#endif
