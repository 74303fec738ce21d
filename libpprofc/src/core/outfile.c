/* Output files that appear whole or not at all: temporary file beside the target, then rename. */
#include "core/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pprofc_status outfile_fail(pprofc_error *error, const char *path) {
  return error_set(error, PPROFC_E_IO, "cannot write '%s': %s", path, ERRNO_TEXT(errno));
}

/* Follows a symlink so that the link stays and what it names is replaced. */
static bool outfile_resolve(struct outfile *file, const char *path) {
  if (strlen(path) >= sizeof file->target) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(file->target, path, strlen(path) + 1);
  struct stat info;
  if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode)) return true;
  _Static_assert(sizeof file->target >= PATH_MAX, "realpath may fill it");
  char real[PATH_MAX];
  if (!realpath(path, real)) return errno == ENOENT;
  memcpy(file->target, real, strlen(real) + 1);
  return true;
}

pprofc_status outfile_open(struct outfile *file, const char *path, pprofc_error *error) {
  memset(file, 0, sizeof *file);
  file->fd = -1;
  struct stat info;
  bool exists = stat(path, &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    file->straight = true;
    file->fd = open(path, O_WRONLY | O_CLOEXEC);
    return file->fd < 0 ? outfile_fail(error, path) : PPROFC_OK;
  }
  if (!outfile_resolve(file, path)) return outfile_fail(error, path);
  snprintf(file->temporary, sizeof file->temporary, "%s.tmp-XXXXXX", file->target);
  file->fd = mkstemp(file->temporary);
  if (file->fd < 0) return outfile_fail(error, path);
  fcntl(file->fd, F_SETFD, FD_CLOEXEC);
  mode_t mask = umask(0);
  umask(mask);
  fchmod(file->fd, exists ? info.st_mode & 07777 : 0666 & ~mask);
  return PPROFC_OK;
}

int fd_write(void *fd, const void *data, size_t size) {
  const char *p = data;
  while (size) {
    ssize_t written = write(*(int *)fd, p, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return -1;
    p += written;
    size -= (size_t)written;
  }
  return 0;
}

int outfile_write(void *file, const void *data, size_t size) {
  return fd_write(&((struct outfile *)file)->fd, data, size);
}

pprofc_status outfile_commit(struct outfile *file, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  if (!file->straight && fsync(file->fd) != 0) status = outfile_fail(error, file->target);
  if (close(file->fd) != 0 && status == PPROFC_OK) status = outfile_fail(error, file->target);
  file->fd = -1;
  if (status == PPROFC_OK && !file->straight && rename(file->temporary, file->target) != 0)
    status = outfile_fail(error, file->target);
  if (status != PPROFC_OK) outfile_discard(file);
  return status;
}

void outfile_discard(struct outfile *file) {
  if (file->fd >= 0) close(file->fd);
  file->fd = -1;
  if (!file->straight && file->temporary[0]) unlink(file->temporary);
}
