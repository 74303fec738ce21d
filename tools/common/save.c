/* Writes files and folders completely or not at all. */
#include "common/save.h"

#include "common/terminal.h"

#include <ftw.h>
#include <pthread.h>
#include <signal.h>

pprofc_status save_file(const char *path, save_fn *write, const void *context,
                        pprofc_error *error) {
  struct outfile file;
  pprofc_status status = outfile_open(&file, path, error);
  if (status != PPROFC_OK) return status;
  signals_remove(file.straight ? NULL : file.temporary);
  status = outfile_end(&file, write(context, outfile_write, &file, error), error);
  signals_remove(NULL);
  return status;
}

struct save_print {
  save_print_fn *print;
  const void *context;
};

static pprofc_status save_print(const void *context, pprofc_write_fn write, void *to,
                                pprofc_error *error) {
  const struct save_print *printed = context;
  struct output out;
  output_init(&out, write, to);
  pprofc_status status = printed->print(printed->context, &out, error);
  pprofc_status flushed = output_flush(&out, status == PPROFC_OK ? error : NULL);
  return status == PPROFC_OK ? flushed : status;
}

pprofc_status save_printed(const char *path, save_print_fn *print, const void *context,
                           pprofc_error *error) {
  return save_file(path, save_print, &(struct save_print){print, context}, error);
}

static pprofc_status save_bytes(const void *context, pprofc_write_fn write, void *to,
                                pprofc_error *error) {
  const pprofc_str *text = context;
  if (write(to, text->data, text->size) == 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "cannot write");
}

pprofc_status save_text(const char *path, pprofc_str text, pprofc_error *error) {
  return save_file(path, save_bytes, &text, error);
}

pprofc_status save_append(const char *path, pprofc_str text, pprofc_error *error) {
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  bool good = fd >= 0 && fd_write(&fd, text.data, text.size) == 0;
  int number = errno;
  if (fd >= 0 && close(fd) != 0) good = false;
  if (good) return PPROFC_OK;
  return error_file(error, "write", path, number);
}

/* ---- folders -------------------------------------- */

#define TREE_FOLDERS 16 /* maximum number of folders open at the same time */
#define NAME_TRIES   1000

pprofc_status new_folder_check(const char *path, const char *flag, pprofc_error *error) {
  DIR *dir = opendir(path);
  bool empty = true;
  if (!dir && errno == ENOENT) return PPROFC_OK;
  if (!dir) return error_file(error, "write", path, errno);
  for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
    empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
  closedir(dir);
  if (empty) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "'%s' is not empty; %s needs a new folder", path, flag);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place) {
  (void)info, (void)type, (void)place;
  (void)remove(path);
  return 0;
}

void tree_remove(const char *path) {
  (void)nftw(path, remove_one, TREE_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

/* Creates the folder "PATH.PID-NUMBER". The umask determines its permissions. */
static pprofc_status new_folder_make(const char *path, const char *flag, char made[],
                                     pprofc_error *error) {
  size_t size = strlen(path);
  while (size > 1 && path[size - 1] == '/') size--;
  for (int number = 0; number < NAME_TRIES; number++) {
    int length =
        snprintf(made, NEW_FOLDER_ROOM, "%.*s.%ld-%d", (int)size, path, (long)getpid(), number);
    if (size >= NEW_FOLDER_ROOM || length < 0 || length >= NEW_FOLDER_ROOM)
      return error_set(error, PPROFC_E_INVALID, "the name of %s is too long", flag);
    if (mkdir(made, 0777) == 0) return PPROFC_OK;
    if (errno != EEXIST) break;
  }
  return error_file(error, "write", path, errno);
}

static pprofc_status new_folder_fill(const char *path, const char *flag, new_folder_fn *fill,
                                     const void *context, pprofc_error *error) {
  char made[NEW_FOLDER_ROOM];
  pprofc_status status = new_folder_make(path, flag, made, error);
  if (status != PPROFC_OK) return status;
  status = fill(context, made, error);
  if (status == PPROFC_OK && rename(made, path) != 0)
    status = error_file(error, "write", path, errno);
  if (status != PPROFC_OK) tree_remove(made);
  return status;
}

pprofc_status new_folder_write(const char *path, const char *flag, new_folder_fn *fill,
                               const void *context, pprofc_error *error) {
  sigset_t wait, before;
  /* Ignore the signal, so that a write beyond the file size limit returns an error. */
  (void)signal(SIGXFSZ, SIG_IGN);
  sigemptyset(&wait);
  sigaddset(&wait, SIGINT);
  sigaddset(&wait, SIGTERM);
  sigaddset(&wait, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &wait, &before);
  pprofc_status status = new_folder_fill(path, flag, fill, context, error);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return status;
}

int folder_make(const char *path, mode_t mode) {
  char part[4096];
  struct stat info;
  size_t size = strlen(path);
  if (stat(path, &info) == 0) return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
  if (size >= sizeof part) return ENAMETOOLONG;
  for (size_t i = 1; i <= size; i++) {
    if (path[i] != '/' && path[i] != '\0') continue;
    memcpy(part, path, i);
    part[i] = '\0';
    if (mkdir(part, mode) != 0 && errno != EEXIST) return errno;
  }
  if (stat(path, &info) != 0) return errno;
  return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
}
