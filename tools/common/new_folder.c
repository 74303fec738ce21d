/* Fills a folder that has a temporary name. Then renames the folder. */
#include "common/new_folder.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TREE_FOLDERS 16 /* maximum number of folders open at the same time */
#define NAME_TRIES   1000

static pprofc_status new_folder_failed(pprofc_error *error, const char *path) {
  return error_set(error, PPROFC_E_IO, "cannot write '%s': %s", path, ERRNO_TEXT(errno));
}

pprofc_status new_folder_check(const char *path, const char *flag, pprofc_error *error) {
  DIR *dir = opendir(path);
  bool empty = true;
  if (!dir && errno == ENOENT) return PPROFC_OK;
  if (!dir) return new_folder_failed(error, path);
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
  return new_folder_failed(error, path);
}

static pprofc_status new_folder_fill(const char *path, const char *flag, new_folder_fn *fill,
                                     const void *context, pprofc_error *error) {
  char made[NEW_FOLDER_ROOM];
  pprofc_status status = new_folder_make(path, flag, made, error);
  if (status != PPROFC_OK) return status;
  status = fill(context, made, error);
  if (status == PPROFC_OK && rename(made, path) != 0) status = new_folder_failed(error, path);
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
