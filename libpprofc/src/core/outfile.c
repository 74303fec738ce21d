/* Writes a temporary file in the folder of the target, then renames it to the target. */
#include "core/base.h"
#include "core/file.h"

#include <dirent.h>
#include <signal.h>
#include <sys/file.h>

/* ---- reading ---------------------------------------- */

static mode_t file_type(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 ? info.st_mode & S_IFMT : 0;
}

bool file_is_regular(const char *path) {
  return file_type(path) == S_IFREG;
}

bool file_is_folder(const char *path) {
  return file_type(path) == S_IFDIR;
}

size_t file_begin(const char *path, char *out, size_t size) {
  if (strcmp(path, "-") == 0 || !file_is_regular(path)) return 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  ssize_t got = fd < 0 ? 0 : read(fd, out, size);
  if (fd >= 0) close(fd);
  return got > 0 ? (size_t)got : 0;
}

#define INFILE_BLOCK ((size_t)4096)

/* Provides space for a regular file and one more byte, so that the read that finds the end of the
 * file needs no more space. */
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
  if (number) return error_file(error, "read", path, number);
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
  struct buffer data = buffer_make(arena->mem, most);
  pprofc_status status = file_read(path, &data, error);
  *text = buffer_take(&data, arena);
  return status == PPROFC_OK && !text->data ? error_nomem(error) : status;
}

/* Resolves a symlink, so that the rename replaces the target of the link, and not the link. */
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

/* ---- temporary files --------------------------------- */

/* Maximum number of bytes of the target's name in the temporary name, so that the temporary name
 * fits into NAME_MAX. */
#define TEMPORARY_STEM  220
#define TEMPORARY_TRIES 100

/* Writes "FOLDER/NAME.tmp-" to file->temporary. Returns the size of this text. */
static size_t temporary_stem(struct outfile *file) {
  const char *slash = strrchr(file->target, '/');
  size_t folder = slash ? (size_t)(slash + 1 - file->target) : 0;
  int size = snprintf(file->temporary, sizeof file->temporary, "%.*s%.*s.tmp-", (int)folder,
                      file->target, TEMPORARY_STEM, file->target + folder);
  return (size_t)size;
}

/* Locks a new temporary file until this process ends. Returns false if another process considered
 * the file abandoned and locked it first. */
static bool temporary_lock(int fd) {
  struct stat info;
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return fstat(fd, &info) == 0 && info.st_nlink > 0;
}

static int temporary_create(struct outfile *file, size_t stem, mode_t mode) {
  struct timespec now;
  for (int i = 0; i < TEMPORARY_TRIES; i++) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(file->temporary + stem, sizeof file->temporary - stem, "%ld-%lx", (long)getpid(),
             (unsigned long)now.tv_nsec);
    int fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0 && errno != EEXIST) return -1;
    if (fd >= 0 && temporary_lock(fd)) return fd;
    if (fd >= 0) close(fd);
  }
  errno = EEXIST;
  return -1;
}

/* True if the suffix of a temporary file's name has the id of a process that has ended. */
static bool temporary_has_dead_writer(pprofc_str suffix) {
  pprofc_str process;
  uint64_t writer, number;
  return str_next(&suffix, '-', &process) && str_parse_uint(process, 10, &writer) &&
         str_parse_uint(suffix, 16, &number) && writer && writer <= INT_MAX &&
         kill((pid_t)writer, 0) != 0 && errno == ESRCH;
}

/* Removes a temporary file unless a process has locked it. The process id in the name does not
 * suffice, because the process may be in another container. */
static void temporary_remove(int folder, const char *name) {
  int fd = openat(folder, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) (void)unlinkat(folder, name, 0);
  close(fd);
}

/* Removes this target's temporary files whose processes have ended. */
static void temporary_sweep(struct outfile *file, size_t stem) {
  char *slash = strrchr(file->temporary, '/');
  const char *name = slash ? slash + 1 : file->temporary;
  size_t size = stem - (size_t)(name - file->temporary);
  char first = *name;
  if (slash) slash[1] = '\0';
  DIR *folder = opendir(slash ? file->temporary : ".");
  if (slash) slash[1] = first;
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));)
    if (strncmp(entry->d_name, name, size) == 0 &&
        temporary_has_dead_writer(str_of(entry->d_name + size)))
      temporary_remove(dirfd(folder), entry->d_name);
  closedir(folder);
}

/* ---- output files ------------------------------------ */

pprofc_status outfile_open(struct outfile *file, const char *path, pprofc_error *error) {
  memset(file, 0, sizeof *file);
  file->fd = -1;
  file->path = path;
  struct stat info;
  bool exists = stat(path, &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    file->straight = true;
    file->fd = open(path, O_WRONLY | O_CLOEXEC);
    return file->fd < 0 ? error_file(error, "write", path, errno) : PPROFC_OK;
  }
  if (!outfile_resolve(file, path)) return error_file(error, "write", path, errno);
  size_t stem = temporary_stem(file);
  temporary_sweep(file, stem);
  /* Let the kernel apply the umask, because reading the umask would change it for a moment in all
   * threads. */
  file->fd = temporary_create(file, stem, exists ? S_IRUSR | S_IWUSR : 0666);
  if (file->fd < 0) return error_file(error, "write", path, errno);
  if (exists) (void)fchmod(file->fd, info.st_mode & 07777);
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

int outfile_write(void *context, const void *data, size_t size) {
  struct outfile *file = context;
  if (fd_write(&file->fd, data, size) == 0) return 0;
  if (!file->reason) file->reason = errno;
  return -1;
}

pprofc_status outfile_commit(struct outfile *file, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  if (!file->straight && fsync(file->fd) != 0)
    status = error_file(error, "write", file->target, errno);
  /* Rename before closing, because closing releases the lock. */
  if (status == PPROFC_OK && !file->straight && rename(file->temporary, file->target) != 0)
    status = error_file(error, "write", file->target, errno);
  if (close(file->fd) != 0 && status == PPROFC_OK)
    status = error_file(error, "write", file->target, errno);
  file->fd = -1;
  if (status != PPROFC_OK) outfile_discard(file);
  return status;
}

void outfile_discard(struct outfile *file) {
  if (file->fd >= 0) close(file->fd);
  file->fd = -1;
  if (!file->straight && file->temporary[0]) unlink(file->temporary);
}

pprofc_status outfile_end(struct outfile *file, pprofc_status status, pprofc_error *error) {
  if (status == PPROFC_OK) return outfile_commit(file, error);
  outfile_discard(file);
  if (!file->reason || status == PPROFC_E_NOMEM) return status;
  errno = file->reason;
  return error_file(error, "write", file->path, errno);
}
