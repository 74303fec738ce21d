/* Output files that appear whole or not at all. */
#ifndef PPROFC_CORE_OUTFILE_H
#define PPROFC_CORE_OUTFILE_H

#include "core/error.h"

/* A file being written under a temporary name beside its target. Devices and pipes are written
 * directly. */
struct outfile {
  int fd;            /* -1 when closed */
  bool straight;     /* no rename at the end */
  char target[4096]; /* the path asked for, its symlink resolved */
  char temporary[4128];
};

pprofc_status outfile_open(struct outfile *file, const char *path, pprofc_error *error);

/* A pprofc_write_fn; its context is a struct outfile. */
int outfile_write(void *file, const void *data, size_t size);

/* Makes the file appear under its name, or removes what was written. Both close. */
pprofc_status outfile_commit(struct outfile *file, pprofc_error *error);
void outfile_discard(struct outfile *file);

/* A pprofc_write_fn; its context is a pointer to a file descriptor. It writes everything or fails.
 */
int fd_write(void *fd, const void *data, size_t size);

#endif
