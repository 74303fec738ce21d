/* Opens only files below the folders of the command line, and follows no symlink. */
#include "mcp/mcp.h"

/* Maximum depth of folders in a list. */
#define FILES_DEPTH 6

static pprofc_status files_add(struct files *files, const char *name, pprofc_error *error) {
  char path[PATH_MAX];
  if (files->count == FILES_FOLDERS)
    return error_set(error, PPROFC_E_INVALID, "more than %d folders", FILES_FOLDERS);
  if (!realpath(name, path)) return error_file(error, "open", name, errno);
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return error_file(error, "open", name, errno);
  char *kept = text_copy(str_of(path));
  if (!kept) {
    close(fd);
    return error_nomem(error);
  }
  files->names[files->count] = name;
  files->paths[files->count] = kept;
  files->fds[files->count++] = fd;
  return PPROFC_OK;
}

pprofc_status files_open(struct files *files, const char *const *names, size_t count,
                         pprofc_error *error) {
  *files = (struct files){.count = 0};
  pprofc_status status = count ? PPROFC_OK : files_add(files, ".", error);
  for (size_t i = 0; i < count && !status; i++) status = files_add(files, names[i], error);
  return status;
}

void files_close(struct files *files) {
  for (size_t i = 0; i < files->count; i++) {
    close(files->fds[i]);
    text_free(files->paths[i]);
  }
  files->count = 0;
}

/* Opens one component of a path. Does not follow a symlink, and does not wait for a pipe. */
static int files_step(int at, pprofc_str part, bool last) {
  char name[NAME_MAX + 1];
  if (part.size > NAME_MAX || str_equal(part, STR(".."))) {
    errno = part.size > NAME_MAX ? ENAMETOOLONG : EACCES;
    return -1;
  }
  memcpy(name, part.data, part.size);
  name[part.size] = '\0';
  int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (last ? 0 : O_DIRECTORY);
  return openat(at, name, flags);
}

static int files_walk(int folder, pprofc_str path) {
  int at = fcntl(folder, F_DUPFD_CLOEXEC, 0);
  while (path.size && at >= 0) {
    size_t slash = str_find_char(path, '/');
    pprofc_str part = str_slice(path, 0, slash);
    path = str_slice(path, slash + 1, path.size);
    if (!part.size || str_equal(part, STR("."))) continue;
    int next = files_step(at, part, !path.size);
    int number = errno;
    close(at);
    errno = number;
    at = next;
  }
  return at;
}

/* Removes the folder from the start of an absolute path. The result's data is NULL if the path is
 * not below the folder. */
static pprofc_str files_below(const struct files *files, size_t folder, pprofc_str path) {
  pprofc_str root = str_of(files->paths[folder]);
  if (!path.size || path.data[0] != '/') return path;
  if (!str_starts(path, root)) return (pprofc_str){NULL, 0};
  pprofc_str rest = str_slice(path, root.size, path.size);
  bool inside = !rest.size || rest.data[0] == '/' || root.data[root.size - 1] == '/';
  return inside ? rest : (pprofc_str){NULL, 0};
}

static int files_open_one(const struct files *files, size_t folder, pprofc_str path,
                          struct stat *info) {
  pprofc_str below = files_below(files, folder, path);
  errno = EACCES;
  int fd = below.data ? files_walk(files->fds[folder], below) : -1;
  if (fd < 0 || (fstat(fd, info) == 0 && S_ISREG(info->st_mode))) return fd;
  close(fd);
  errno = S_ISDIR(info->st_mode) ? EISDIR : EACCES;
  return -1;
}

int files_find(const struct files *files, pprofc_str path, struct stat *info, pprofc_error *error) {
  int number = EACCES;
  pprofc_str shown = str_slice(path, 0, 400);
  if (path.size && memchr(path.data, 0, path.size)) path.size = 0;
  for (size_t i = 0; i < files->count && path.size; i++) {
    int fd = files_open_one(files, i, path, info);
    if (fd >= 0) return fd;
    if (errno != EACCES) number = errno;
  }
  if (number == EACCES || number == ELOOP)
    error_set(error, PPROFC_E_IO,
              "cannot open '%.*s': it is not a file below the folders of this server",
              STR_ARG(shown));
  else
    error_set(error, PPROFC_E_IO, "cannot open '%.*s': %s", STR_ARG(shown), ERRNO_TEXT(number));
  return -1;
}

pprofc_status files_read(const struct files *files, pprofc_str path, struct buffer *data,
                         pprofc_error *error) {
  struct stat info;
  int fd = files_find(files, path, &info, error);
  if (fd < 0) return PPROFC_E_IO;
  int number = fd_read_all(fd, data);
  close(fd);
  if (number)
    return error_set(error, PPROFC_E_IO, "cannot read '%.*s': %s", STR_ARG(path),
                     ERRNO_TEXT(number));
  if (data->failed) return error_set(error, PPROFC_E_LIMIT, "'%.*s' is too large", STR_ARG(path));
  return PPROFC_OK;
}

struct files_listing {
  struct arena arena;
  struct files_entry {
    const char *path;
    struct stat info;
  } * entries;
  size_t count, capacity, most;
  bool failed;
};

static void files_list_folder(struct files_listing *l, int fd, const char *prefix, int depth);

/* Adds a file, or all files of a folder. Skips hidden files and symlinks. */
static void files_list_one(struct files_listing *l, int fd, const char *prefix, const char *name,
                           int depth) {
  struct stat info;
  if (name[0] == '.' || fstatat(fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return;
  const char *path = text_printf(&l->arena, "%s%s%s", prefix, *prefix ? "/" : "", name);
  l->failed |= !path;
  if (!path) return;
  if (S_ISDIR(info.st_mode) && depth < FILES_DEPTH) {
    int inner = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner >= 0) files_list_folder(l, inner, path, depth + 1);
  } else if (S_ISREG(info.st_mode)) {
    l->failed |= !ARRAY_PUSH(&mem_default, l->entries, l->count, l->capacity,
                             (struct files_entry){path, info});
  }
}

/* Lists the files of a folder and closes `fd`. `depth` is at most FILES_DEPTH. */
static void files_list_folder(struct files_listing *l, int fd, const char *prefix, int depth) {
  DIR *dir = fdopendir(fd);
  if (!dir) {
    close(fd);
    return;
  }
  for (struct dirent *entry; !l->failed && l->count < l->most && (entry = readdir(dir));)
    files_list_one(l, dirfd(dir), prefix, entry->d_name, depth);
  closedir(dir);
}

bool files_visit(const struct files *files, pprofc_str path, size_t most, files_found_fn found,
                 void *context) {
  struct files_listing l = {.most = most};
  arena_init(&l.arena, &mem_default);
  bool any = false;
  for (size_t i = 0; i < files->count; i++) {
    pprofc_str below = files_below(files, i, path);
    int fd = below.data || !path.size ? files_walk(files->fds[i], below) : -1;
    struct stat info;
    if (fd < 0) continue;
    if (fstat(fd, &info) != 0 || !S_ISDIR(info.st_mode)) {
      close(fd);
      continue;
    }
    pprofc_str prefix = arena_str(&l.arena, below);
    any = true;
    if (prefix.data)
      files_list_folder(&l, fd, prefix.data, 0);
    else
      close(fd);
    l.failed |= !prefix.data;
  }
  if (l.count) qsort(l.entries, l.count, sizeof *l.entries, text_order);
  bool good = any && !l.failed;
  for (size_t i = 0; i < l.count && good; i++)
    good = found(context, str_of(l.entries[i].path), &l.entries[i].info);
  ARRAY_FREE(&mem_default, l.entries, l.capacity);
  arena_free(&l.arena);
  return good;
}
