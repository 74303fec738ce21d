/* Files and folders of a run. */
#include "run/files.h"

#include "core/array.h"
#include "core/outfile.h"
#include "run/text.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TREE_FOLDERS 16 /* open at a time while a tree is removed */

bool files_make_folders(const char *path) {
  char text[PATH_MAX];
  size_t size = strlen(path);
  if (size >= sizeof text) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(text, path, size + 1);
  for (char *slash = strchr(text + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(text, 0777) != 0 && errno != EEXIST) return false;
    *slash = '/';
  }
  if (mkdir(text, 0777) == 0) return true;
  if (errno == EEXIST && !files_is_folder(path)) errno = ENOTDIR;
  return files_is_folder(path);
}

const char *files_temporary(struct arena *arena) {
  const char *folder = getenv("TMPDIR");
  char *path = text_printf(arena, "%s/pprofci.XXXXXX", folder && *folder ? folder : "/tmp");
  return path ? mkdtemp(path) : NULL;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place) {
  (void)info;
  (void)type;
  (void)place;
  (void)remove(path);
  return 0;
}

void files_remove_tree(const char *path) {
  (void)nftw(path, remove_one, TREE_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

pprofc_status files_read(const char *path, struct buffer *text, pprofc_error *error) {
  char block[1 << 16];
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t size = fd < 0 ? -1 : 1;
  while (size > 0) {
    size = read(fd, block, sizeof block);
    if (size < 0 && errno == EINTR)
      size = 1;
    else if (size > 0)
      buffer_add(text, block, (size_t)size);
  }
  int number = errno;
  if (fd >= 0) close(fd);
  if (size < 0)
    return error_set(error, PPROFC_E_IO, "cannot read '%s': %s", path, ERRNO_TEXT(number));
  return text->failed ? error_nomem(error) : PPROFC_OK;
}

/* ---- files of the stage ------------------------------ */

/* The path of a file in the stage, whose folder is there. */
static pprofc_status stage_path(struct ci_run *run, bool of_benchdiff, const char *path,
                                const char **whole, pprofc_error *error) {
  *whole =
      text_printf(&run->arena, "%s/%s/%s", run->stage, of_benchdiff ? "benchdiff" : "ci", path);
  if (!*whole || !ARRAY_RESERVE(run->mem, run->files, run->file_capacity, run->file_count + 1))
    return error_nomem(error);
  run->files[run->file_count++] = (struct run_file){path, of_benchdiff};
  return PPROFC_OK;
}

struct copied_text {
  pprofc_str text;
};

static pprofc_status write_copied(void *context, pprofc_write_fn write, void *to,
                                  pprofc_error *error) {
  const struct copied_text *copied = context;
  if (write(to, copied->text.data, copied->text.size) == 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "cannot write: %s", ERRNO_TEXT(errno));
}

static pprofc_status files_write_to(const char *path, const struct files_writer *writer,
                                    pprofc_error *error) {
  struct outfile file;
  pprofc_status status = outfile_open(&file, path, error);
  if (status != PPROFC_OK) return status;
  status = writer->write(writer->context, outfile_write, &file, error);
  if (status == PPROFC_OK) return outfile_commit(&file, error);
  outfile_discard(&file);
  return status;
}

pprofc_status files_put(struct ci_run *run, bool of_benchdiff, const char *path, pprofc_str text,
                        pprofc_error *error) {
  const char *whole;
  struct copied_text copied = {text};
  pprofc_status status = stage_path(run, of_benchdiff, path, &whole, error);
  if (status != PPROFC_OK) return status;
  return files_write_to(whole, &(struct files_writer){write_copied, &copied}, error);
}

pprofc_status files_make(struct ci_run *run, const char *path, const struct files_writer *writer,
                         pprofc_error *error) {
  const char *whole;
  pprofc_status status = stage_path(run, false, path, &whole, error);
  return status == PPROFC_OK ? files_write_to(whole, writer, error) : status;
}

pprofc_status files_copy(struct ci_run *run, const char *from, const char *path,
                         pprofc_error *error) {
  struct buffer text;
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  pprofc_status status = files_read(from, &text, error);
  if (status == PPROFC_OK) status = files_put(run, false, path, buffer_str(&text), error);
  buffer_free(&text);
  return status;
}

pprofc_status files_append(const char *path, pprofc_str text, pprofc_error *error) {
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  bool good = fd >= 0 && fd_write(&fd, text.data, text.size) == 0;
  int number = errno;
  if (fd >= 0 && close(fd) != 0) good = false;
  if (good) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "cannot write '%s': %s", path, ERRNO_TEXT(number));
}

/* ---- questions --------------------------------------- */

bool files_is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool files_is_regular(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool files_are_same(const char *a, const char *b) {
  struct stat one, other;
  if (!a || !b || stat(a, &one) != 0 || stat(b, &other) != 0) return false;
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}
