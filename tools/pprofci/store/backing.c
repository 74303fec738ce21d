/* Opens stores, and implements the store in a folder: a file is written under tmp/, synchronized
 * with the disk, and renamed. */
#include "store/backing.h"

#include "core/array.h"
#include "core/outfile.h"
#include "gate/read/record.h"
#include "run/files.h"
#include "run/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static pprofc_status backing_create(struct backing *backing, pprofc_error *error) {
  const struct backing_kind *kind = backing->kind;
  pprofc_status status = kind->check_new ? kind->check_new(backing, error) : PPROFC_OK;
  return status == PPROFC_OK ? kind->put(backing, RECORD_MARK, STR(RECORD_MARK_TEXT), error)
                             : status;
}

static pprofc_status backing_check_mark(struct backing *backing, bool create, pprofc_error *error) {
  struct buffer mark;
  buffer_init(&mark, &ci_mem, 4096);
  pprofc_status status = backing->kind->get(backing, RECORD_MARK, &mark, error);
  if (status == PPROFC_E_NO_MATCH && create)
    status = backing_create(backing, error);
  else if (status == PPROFC_E_NO_MATCH)
    status =
        error_set(error, PPROFC_E_INVALID, "'%s' is not a store of pprofci: the %s '%s' is missing",
                  backing->where, backing->kind->what, RECORD_MARK);
  else if (status == PPROFC_OK && !str_equal(buffer_str(&mark), STR(RECORD_MARK_TEXT)))
    status = error_set(error, PPROFC_E_FORMAT, "'%s' is a store of another version (see '%s')",
                       backing->where, RECORD_MARK);
  buffer_free(&mark);
  return status;
}

pprofc_status backing_open(struct backing *backing, const char *where, bool create,
                           pprofc_error *error) {
  /* Ignore the signal. If a file exceeds the size limit, the write must fail instead of ending the
   * process. */
  (void)signal(SIGXFSZ, SIG_IGN);
  bool bucket = str_starts(str_of(where), str_of(backing_s3.scheme));
  *backing = (struct backing){
      .kind = bucket ? &backing_s3 : &backing_folder, .where = where, .arena = ci_arena()};
  pprofc_status status = backing->kind->open(backing, error);
  if (status == PPROFC_OK) status = backing_check_mark(backing, create, error);
  if (status != PPROFC_OK) backing_close(backing);
  return status;
}

void backing_close(struct backing *backing) {
  if (backing->kind->close && backing->state) backing->kind->close(backing);
  backing->state = NULL;
  arena_free(&backing->arena);
}

static int stored_by_name(const void *a, const void *b) {
  const struct stored_key *x = a, *y = b;
  return strcmp(x->name, y->name);
}

pprofc_status backing_list(struct backing *backing, const char *prefix, struct stored_keys *keys,
                           pprofc_error *error) {
  *keys = (struct stored_keys){.arena = ci_arena()};
  pprofc_status status = backing->kind->list(backing, prefix, keys, error);
  if (keys->count) qsort(keys->items, keys->count, sizeof *keys->items, stored_by_name);
  return status;
}

pprofc_status backing_each(struct backing *backing, const char *prefix, backing_key_fn *take,
                           void *context, pprofc_error *error) {
  struct stored_keys keys;
  pprofc_status status = backing_list(backing, prefix, &keys, error);
  for (size_t i = 0; i < keys.count && status == PPROFC_OK; i++)
    status = take(context, &keys.items[i], error);
  stored_keys_free(&keys);
  return status;
}

void stored_keys_free(struct stored_keys *keys) {
  keys->count = 0;
  arena_free(&keys->arena);
}

void stored_keys_add(struct stored_keys *keys, pprofc_str name, uint64_t size, int64_t time) {
  (void)ARRAY_PUSH_IN(&keys->arena, keys->items, keys->count, keys->capacity,
                      (struct stored_key){text_keep(&keys->arena, name), size, time});
}

/* Maximum number of attempts to write a file. An attempt fails if another process removes the
 * file's empty folder. */
#define FOLDER_TRIES 5

static pprofc_status folder_failed(const char *what, const char *path, pprofc_error *error) {
  int number = errno;
  return error_set(error, PPROFC_E_IO, "cannot %s '%s': %s", what, path, ERRNO_TEXT(number));
}

static char *folder_path(struct backing *backing, const char *key) {
  return text_printf(&backing->arena, "%s/%s", backing->where, key);
}

/* Opens a new file "TMP/PID-NUMBER" with the permissions of the umask. */
static int folder_open_new(struct arena *arena, const char *tmp, char **path) {
  static unsigned number;
  for (int tries = 0; tries < 10000; tries++) {
    *path = text_printf(arena, "%s/%ld-%u", tmp, (long)getpid(), number++);
    int fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

static pprofc_status folder_write(int fd, const char *path, pprofc_str data, pprofc_error *error) {
  bool good = fd_write(&fd, data.data, data.size) == 0 && fsync(fd) == 0;
  int number = errno;
  if (close(fd) != 0 && good) {
    number = errno;
    good = false;
  }
  if (good) return PPROFC_OK;
  (void)unlink(path);
  errno = number;
  return folder_failed("write", path, error);
}

static void folder_sync(const char *path) {
  char parent[4096];
  if (strlen(path) + 2 > sizeof parent) return;
  pprofc_str folder = str_path_dir(str_of(path), parent);
  parent[folder.size] = '\0';
  int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)fsync(fd);
  close(fd);
}

/* Renames a file into a folder. Creates the folder if it is missing, for example because another
 * process removed it. */
static bool folder_rename(struct arena *arena, const char *from, const char *to) {
  pprofc_str whole = str_of(to);
  char *parent = text_keep(arena, str_slice(whole, 0, str_find_last_char(whole, '/')));
  for (int i = 0; i < FOLDER_TRIES; i++) {
    if (!files_make_folders(parent)) return false;
    if (rename(from, to) == 0) return true;
    if (errno != ENOENT) return false;
  }
  return false;
}

static pprofc_status folder_put_new(struct backing *backing, const char *path, pprofc_str data,
                                    pprofc_error *error) {
  struct arena *arena = &backing->arena;
  const char *tmp = folder_path(backing, "tmp");
  char *temporary = NULL;
  if (!files_make_folders(tmp)) return folder_failed("make the folder", tmp, error);
  int fd = folder_open_new(arena, tmp, &temporary);
  if (fd < 0) return folder_failed("write", temporary, error);
  pprofc_status status = folder_write(fd, temporary, data, error);
  if (status != PPROFC_OK) return status;
  if (folder_rename(arena, temporary, path)) {
    folder_sync(path);
    return PPROFC_OK;
  }
  status = folder_failed("write", path, error);
  (void)unlink(temporary);
  return status;
}

static pprofc_status folder_put(struct backing *backing, const char *key, pprofc_str data,
                                pprofc_error *error) {
  struct stat info;
  const char *path = folder_path(backing, key);
  /* An existing file of another size is damaged, and is therefore written again. */
  bool there = stat(path, &info) == 0 && (size_t)info.st_size == data.size &&
               utimensat(AT_FDCWD, path, NULL, 0) == 0;
  return there ? PPROFC_OK : folder_put_new(backing, path, data, error);
}

static bool folder_is_empty(const char *path) {
  DIR *dir = opendir(path);
  size_t count = 0;
  if (!dir) return true;
  for (struct dirent *entry; (entry = readdir(dir));) {
    /* Another process that opens the store may have created this entry. */
    bool one_of_ours = strcmp(entry->d_name, "tmp") == 0;
    count += entry->d_name[0] != '.' && !one_of_ours;
  }
  closedir(dir);
  return count == 0;
}

/* Accepts an empty folder, and a folder that another process has made a store in the meantime. */
static pprofc_status folder_check_new(struct backing *backing, pprofc_error *error) {
  const char *mark = folder_path(backing, RECORD_MARK);
  if (folder_is_empty(backing->where) || access(mark, F_OK) == 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "'%s' is not a store and not empty; give a new folder",
                   backing->where);
}

static pprofc_status folder_get(struct backing *backing, const char *key, struct buffer *data,
                                pprofc_error *error) {
  struct stat info;
  const char *path = folder_path(backing, key);
  if (stat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return error_set(error, PPROFC_E_NO_MATCH, "'%s' does not exist", path);
  return file_read(path, data, error);
}

static pprofc_status folder_open(struct backing *backing, pprofc_error *error) {
  if (*backing->where) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "the name of the store is empty");
}

/* Adds an entry of a folder. Skips the entry if another process has removed it. */
static void folder_list_entry(DIR *dir, const char *below, const char *name,
                              struct stored_keys *keys) {
  struct stat info;
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return;
  if (fstatat(dirfd(dir), name, &info, 0) != 0) return;
  const char *key = text_printf(&keys->arena, "%s/%s", below, name);
  uint64_t size = S_ISDIR(info.st_mode) ? UINT64_MAX : (uint64_t)info.st_size;
  stored_keys_add(keys, str_of(key), size, (int64_t)info.st_mtime);
}

static pprofc_status folder_list_one(struct backing *backing, const char *below,
                                     struct stored_keys *keys, pprofc_error *error) {
  const char *path = folder_path(backing, below);
  DIR *dir = opendir(path);
  if (!dir && (errno == ENOENT || errno == ENOTDIR)) return PPROFC_OK;
  if (!dir) return folder_failed("read", path, error);
  for (struct dirent *entry; (entry = readdir(dir));)
    folder_list_entry(dir, below, entry->d_name, keys);
  closedir(dir);
  return PPROFC_OK;
}

/* Lists keys one or two levels below the prefix. The size UINT64_MAX marks a subfolder, which is
 * removed from the list at the end. */
static pprofc_status folder_list(struct backing *backing, const char *prefix,
                                 struct stored_keys *keys, pprofc_error *error) {
  pprofc_status status = folder_list_one(backing, prefix, keys, error);
  size_t first = keys->count, kept = 0;
  for (size_t i = 0; i < first && status == PPROFC_OK; i++)
    if (keys->items[i].size == UINT64_MAX)
      status = folder_list_one(backing, keys->items[i].name, keys, error);
  for (size_t i = 0; i < keys->count; i++)
    if (keys->items[i].size != UINT64_MAX) keys->items[kept++] = keys->items[i];
  keys->count = kept;
  return status;
}

static pprofc_status folder_remove(struct backing *backing, const char *key, pprofc_error *error) {
  char *path = folder_path(backing, key);
  pprofc_status status = PPROFC_OK;
  if (unlink(path) != 0 && errno != ENOENT) status = folder_failed("remove", path, error);
  char *slash = strrchr(path, '/');
  if (slash && strchr(key, '/')) {
    *slash = '\0';
    (void)rmdir(path); /* removes the folder only if it is empty */
  }
  return status;
}

const struct backing_kind backing_folder = {"",           "file",     folder_open, folder_check_new,
                                            NULL,         folder_put, folder_get,  folder_list,
                                            folder_remove};
