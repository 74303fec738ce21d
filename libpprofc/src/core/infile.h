/* Reads a whole file. All code of the library that needs the contents of a file at once uses these
 * functions. */
#ifndef PPROFC_CORE_INFILE_H
#define PPROFC_CORE_INFILE_H

#include "core/buffer.h"
#include "core/error.h"

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
