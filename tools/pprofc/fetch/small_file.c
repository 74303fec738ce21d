/* Reading a small file whole. */
#include "fetch/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define STEP 4096

pprofc_status small_file_read(const char *path, struct buffer *text, pprofc_error *error) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? -1 : 1;
  while (got > 0 && buffer_reserve(text, STEP)) {
    got = read(fd, text->data + text->size, STEP);
    if (got > 0) text->size += (size_t)got;
    if (got < 0 && errno == EINTR) got = 1;
  }
  int failed = errno;
  if (fd >= 0) close(fd);
  if (got < 0)
    return error_set(error, PPROFC_E_IO, "cannot read '%s': %s", path, ERRNO_TEXT(failed));
  if (text->failed) return error_set(error, PPROFC_E_LIMIT, "'%s' is too large", path);
  return PPROFC_OK;
}
