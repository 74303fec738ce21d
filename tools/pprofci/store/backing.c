/* Opens stores, and implements the store in a folder: a file is written under tmp/, synchronized
 * with the disk, and renamed. */
#include "store/store.h"

#include "gate/read/read.h"
#include "run/files.h"

#include <signal.h>

static void backing_check_mark(struct backing *backing, bool create) {
  const struct backing_kind *kind = backing->kind;
  struct buffer mark = buffer_make(&ci_mem, 4096);
  pprofc_status status = kind->get(backing, RECORD_MARK, &mark, &ci_error);
  if (status != PPROFC_E_NO_MATCH) {
    ci_need(status);
    if (!str_equal(buffer_str(&mark), STR(RECORD_MARK_TEXT)))
      ci_fail("'%s' is a store of another version (see '%s')", backing->where, RECORD_MARK);
  } else if (create) {
    if (kind->check_new) kind->check_new(backing);
    kind->put(backing, RECORD_MARK, STR(RECORD_MARK_TEXT));
  } else {
    ci_fail("'%s' is not a store of pprofci: the %s '%s' is missing", backing->where, kind->what,
            RECORD_MARK);
  }
  buffer_free(&mark);
}

void backing_open(struct backing *backing, const char *where, bool create) {
  /* Ignore the signal. If a file exceeds the size limit, the write must fail instead of ending the
   * process. */
  (void)signal(SIGXFSZ, SIG_IGN);
  bool bucket = str_starts(str_of(where), str_of(backing_s3.scheme));
  *backing = (struct backing){
      .kind = bucket ? &backing_s3 : &backing_folder, .where = where, .arena = ci_arena()};
  backing->kind->open(backing);
  backing_check_mark(backing, create);
}

void backing_close(struct backing *backing) {
  if (backing->kind->close && backing->state) backing->kind->close(backing);
  backing->state = NULL;
  arena_free(&backing->arena);
}

void backing_list(struct backing *backing, const char *prefix, struct stored_keys *keys) {
  *keys = (struct stored_keys){.arena = ci_arena()};
  backing->kind->list(backing, prefix, keys);
  if (keys->count) qsort(keys->items, keys->count, sizeof *keys->items, text_order);
}

struct stored_key *stored_keys_find(const struct stored_keys *keys, const char *name) {
  const struct stored_key wanted = {.name = name};
  if (!keys->count) return NULL;
  return bsearch(&wanted, keys->items, keys->count, sizeof wanted, text_order);
}

void backing_each(struct backing *backing, const char *prefix, backing_key_fn *take,
                  void *context) {
  struct stored_keys keys;
  backing_list(backing, prefix, &keys);
  for (size_t i = 0; i < keys.count; i++) take(context, &keys.items[i]);
  stored_keys_free(&keys);
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

static void folder_fail(const char *what, const char *path) {
  ci_fail("cannot %s '%s': %s", what, path, ERRNO_TEXT(errno));
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

static void folder_write(int fd, const char *path, pprofc_str data) {
  bool good = fd_write(&fd, data.data, data.size) == 0 && fsync(fd) == 0;
  int number = errno;
  if (close(fd) != 0 && good) {
    number = errno;
    good = false;
  }
  if (good) return;
  (void)unlink(path);
  errno = number;
  folder_fail("write", path);
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

static void folder_put_new(struct backing *backing, const char *path, pprofc_str data) {
  struct arena *arena = &backing->arena;
  const char *tmp = folder_path(backing, "tmp");
  char *temporary = NULL;
  if (!files_make_folders(tmp)) folder_fail("make the folder", tmp);
  int fd = folder_open_new(arena, tmp, &temporary);
  if (fd < 0) folder_fail("write", temporary);
  folder_write(fd, temporary, data);
  if (!folder_rename(arena, temporary, path)) {
    int number = errno;
    (void)unlink(temporary);
    errno = number;
    folder_fail("write", path);
  }
  folder_sync(path);
}

static void folder_put(struct backing *backing, const char *key, pprofc_str data) {
  struct stat info;
  const char *path = folder_path(backing, key);
  /* Write an existing file of another size again, because it is damaged. */
  bool there = stat(path, &info) == 0 && (size_t)info.st_size == data.size &&
               utimensat(AT_FDCWD, path, NULL, 0) == 0;
  if (!there) folder_put_new(backing, path, data);
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

/* Checks that the folder can become a store: it is empty, or another process has just made it a
 * store. */
static void folder_check_new(struct backing *backing) {
  const char *mark = folder_path(backing, RECORD_MARK);
  if (!folder_is_empty(backing->where) && access(mark, F_OK) != 0)
    ci_fail("'%s' is not a store and not empty; give a new folder", backing->where);
}

static pprofc_status folder_get(struct backing *backing, const char *key, struct buffer *data,
                                pprofc_error *error) {
  struct stat info;
  const char *path = folder_path(backing, key);
  if (stat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return error_set(error, PPROFC_E_NO_MATCH, "'%s' does not exist", path);
  return file_read(path, data, error);
}

static void folder_open(struct backing *backing) {
  if (!*backing->where) ci_fail("the name of the store is empty");
}

/* Adds a file or subfolder of a folder to a list. Skips it if another process has removed it. */
static void folder_list_entry(DIR *dir, const char *below, const char *name,
                              struct stored_keys *keys) {
  struct stat info;
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return;
  if (fstatat(dirfd(dir), name, &info, 0) != 0) return;
  const char *key = text_printf(&keys->arena, "%s/%s", below, name);
  uint64_t size = S_ISDIR(info.st_mode) ? UINT64_MAX : (uint64_t)info.st_size;
  stored_keys_add(keys, str_of(key), size, (int64_t)info.st_mtime);
}

static void folder_list_one(struct backing *backing, const char *below, struct stored_keys *keys) {
  const char *path = folder_path(backing, below);
  DIR *dir = opendir(path);
  if (!dir && (errno == ENOENT || errno == ENOTDIR)) return;
  if (!dir) folder_fail("read", path);
  for (struct dirent *entry; (entry = readdir(dir));)
    folder_list_entry(dir, below, entry->d_name, keys);
  closedir(dir);
}

/* Lists keys one or two levels below the prefix. During the search, `keys` also has the subfolders,
 * with the size UINT64_MAX. */
static void folder_list(struct backing *backing, const char *prefix, struct stored_keys *keys) {
  folder_list_one(backing, prefix, keys);
  size_t first = keys->count, kept = 0;
  for (size_t i = 0; i < first; i++)
    if (keys->items[i].size == UINT64_MAX) folder_list_one(backing, keys->items[i].name, keys);
  for (size_t i = 0; i < keys->count; i++)
    if (keys->items[i].size != UINT64_MAX) keys->items[kept++] = keys->items[i];
  keys->count = kept;
}

static void folder_remove(struct backing *backing, const char *key) {
  char *path = folder_path(backing, key);
  if (unlink(path) != 0 && errno != ENOENT) folder_fail("remove", path);
  char *slash = strrchr(path, '/');
  if (slash && strchr(key, '/')) {
    *slash = '\0';
    (void)rmdir(path); /* removes the folder only if it is empty */
  }
}

const struct backing_kind backing_folder = {"",           "file",     folder_open, folder_check_new,
                                            NULL,         folder_put, folder_get,  folder_list,
                                            folder_remove};
