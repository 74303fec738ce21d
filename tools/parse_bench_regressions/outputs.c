/* Files of -out. Old files are removed first, so that no verdict of an earlier run remains if
 * this run fails. */
#include "outputs.h"
#include "common/save.h"

#include "core/outfile.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40 /* limit of Linux */

/* Returns the value of -out at argv[i], in any spelling of the flag; NULL for other arguments. */
static const char *value_of_out(int argc, char *const *argv, int i) {
  const char *name = argv[i];
  if (*name++ != '-') return NULL;
  name += *name == '-';
  if (strncmp(name, "out", 3) != 0) return NULL;
  if (name[3] == '=') return name + 4;
  return !name[3] && i + 1 < argc ? argv[i + 1] : NULL;
}

static bool same_file(const char *path, const struct stat *file) {
  struct stat other;
  return stat(path, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

/* True if the file is another argument, or the value after the = of one. */
static bool is_input(int argc, char *const *argv, const struct stat *file) {
  for (int i = 1; i < argc; i++) {
    const char *equals = strchr(argv[i], '=');
    bool flag = argv[i][0] == '-';
    if (value_of_out(argc, argv, i)) {
      i += !equals;
      continue;
    }
    if (same_file(argv[i], file) || (flag && equals && same_file(equals + 1, file))) return true;
  }
  return false;
}

/* ---- symlinks ---------------------------------------- */

/* Replaces `path` (PATH_MAX) by the target of the link, relative to its folder. False with
 * errno 0 if it is not a link. */
static bool outputs_follow(char *path) {
  char link[PATH_MAX], whole[2 * PATH_MAX];
  ssize_t size = readlink(path, link, sizeof link - 1);
  errno = 0;
  if (size < 0) return false;
  link[size] = '\0';
  const char *slash = strrchr(path, '/');
  int folder = slash && link[0] != '/' ? (int)(slash - path) + 1 : 0;
  int length = snprintf(whole, sizeof whole, "%.*s%s", folder, path, link);
  if (length < 0 || length >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(path, whole, (size_t)length + 1);
  return true;
}

/* Resolves all symlinks of `path`, even if the target does not exist. The path of a device or
 * pipe stays. False with errno on failure. */
static bool outputs_target(const char *path, char target[PATH_MAX]) {
  struct stat info;
  size_t size = strlen(path);
  if (size >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(target, path, size + 1);
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return true;
  for (int links = 0; links < LINKS_MAX; links++)
    if (!outputs_follow(target)) return errno == 0;
  errno = ELOOP;
  return false;
}

/* Returns the descriptor of this process (1 or 2) that is the file, or -1. */
static int outputs_stream(const char *path) {
  struct stat file, stream;
  if (stat(path, &file) != 0) return -1;
  for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
    if (fstat(fd, &stream) == 0 && stream.st_dev == file.st_dev && stream.st_ino == file.st_ino)
      return fd;
  return -1;
}

/* ---- removing and writing ---------------------------- */

void outputs_remove(int argc, char *const *argv) {
  for (int i = 1; i < argc; i++) {
    const char *value = value_of_out(argc, argv, i);
    const char *equals = value ? strchr(value, '=') : NULL;
    struct stat file;
    char target[PATH_MAX];
    if (!equals || stat(equals + 1, &file) != 0 || !S_ISREG(file.st_mode)) continue;
    if (is_input(argc, argv, &file) || outputs_stream(equals + 1) >= 0) continue;
    if (outputs_target(equals + 1, target)) (void)unlink(target);
  }
}

static pprofc_status outputs_fail(const char *path, pprofc_error *error) {
  char reason[200];
  int number = errno;
  return error_set(error, PPROFC_E_IO, "cannot write '%s': %s", path,
                   error_errno_text(number, reason, sizeof reason));
}

pprofc_status outputs_write(const char *path, pprofc_str text, pprofc_error *error) {
  char target[PATH_MAX];
  int stream = outputs_stream(path);
  if (stream >= 0)
    return fd_write(&stream, text.data, text.size) == 0 ? PPROFC_OK : outputs_fail(path, error);
  if (!outputs_target(path, target)) return outputs_fail(path, error);
  return save_text(target, text, error);
}
