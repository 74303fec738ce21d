/* Reads a whole file into a buffer or an arena. */
#include "core/infile.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define INFILE_BLOCK ((size_t)4096)

/* Provides space for a regular file and one more byte. The read that finds the end of the file then
 * needs no more space. */
static void infile_reserve(int fd, struct buffer *data) {
  struct stat info;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
      (uint64_t)info.st_size < data->ceiling - data->size)
    buffer_reserve(data, (size_t)info.st_size + 1);
}

/* Reads the next bytes into the free memory of the buffer. If the buffer is full, reads through a
 * local block. */
static ssize_t infile_step(int fd, struct buffer *data) {
  char block[INFILE_BLOCK];
  size_t room = data->capacity - data->size;
  ssize_t got = room ? read(fd, data->data + data->size, room) : read(fd, block, sizeof block);
  if (got > 0 && room)
    data->size += (size_t)got;
  else if (got > 0)
    buffer_add(data, block, (size_t)got);
  return got;
}

int fd_read_all(int fd, struct buffer *data) {
  infile_reserve(fd, data);
  while (!data->failed) {
    ssize_t got = infile_step(fd, data);
    if (got == 0) return 0;
    if (got < 0 && errno != EINTR) return errno;
  }
  return 0;
}

pprofc_status file_read_status(const char *path, int number, const struct buffer *data,
                               pprofc_error *error) {
  if (number)
    return error_set(error, PPROFC_E_IO, "cannot read '%s': %s", path, ERRNO_TEXT(number));
  if (!data->failed) return PPROFC_OK;
  if (data->size + INFILE_BLOCK <= data->ceiling) return error_nomem(error);
  if (data->ceiling < 1 << 20)
    return error_set(error, PPROFC_E_LIMIT, "'%s' is longer than %zu kB", path,
                     data->ceiling >> 10);
  return error_set(error, PPROFC_E_LIMIT, "'%s' is longer than %zu MB", path, data->ceiling >> 20);
}

pprofc_status file_read(const char *path, struct buffer *data, pprofc_error *error) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  int number = fd < 0 ? errno : fd_read_all(fd, data);
  if (fd >= 0) close(fd);
  return file_read_status(path, number, data, error);
}

pprofc_status file_keep(const char *path, size_t most, struct arena *arena, pprofc_str *text,
                        pprofc_error *error) {
  struct buffer data;
  buffer_init(&data, arena->mem, most);
  pprofc_status status = file_read(path, &data, error);
  *text = buffer_take(&data, arena);
  return status == PPROFC_OK && !text->data ? error_nomem(error) : status;
}
