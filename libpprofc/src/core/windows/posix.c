/* The functions of posix.h. */
#include "core/windows/posix.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>

#undef open
#undef strftime
#undef read
#undef write
#undef _stat64
#undef rename
#undef mkdir

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Sets the files and streams to binary mode. In text mode, the C library would write "\n" as
 * "\r\n", and would end input at ^Z. */
__attribute__((constructor)) static void posix_start(void) {
  _fmode = _O_BINARY;
  for (int fd = 0; fd < 3; fd++) _setmode(fd, _O_BINARY);
}

/* ---- files ------------------------------------------- */

/* Sets errno to the reason of the last failure. Returns -1. */
static int posix_fail(void) {
  switch (GetLastError()) {
  case ERROR_FILE_NOT_FOUND:
  case ERROR_PATH_NOT_FOUND:
  case ERROR_INVALID_NAME:
    errno = ENOENT;
    break;
  case ERROR_FILE_EXISTS:
  case ERROR_ALREADY_EXISTS:
    errno = EEXIST;
    break;
  case ERROR_ACCESS_DENIED:
  case ERROR_SHARING_VIOLATION:
    errno = EACCES;
    break;
  case ERROR_DISK_FULL:
    errno = ENOSPC;
    break;
  default:
    errno = EIO;
  }
  return -1;
}

static DWORD posix_disposition(int flags) {
  if (!(flags & O_CREAT)) return flags & O_TRUNC ? TRUNCATE_EXISTING : OPEN_EXISTING;
  if (flags & O_EXCL) return CREATE_NEW;
  return flags & O_TRUNC ? CREATE_ALWAYS : OPEN_ALWAYS;
}

int posix_open(const char *path, int flags, ...) {
  int mode = flags & (O_WRONLY | O_RDWR);
  DWORD access = mode == O_WRONLY ? GENERIC_WRITE : GENERIC_READ;
  if (mode == O_RDWR) access |= GENERIC_WRITE;
  if (strcmp(path, "/dev/null") == 0) path = "NUL";
  HANDLE file = CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                            NULL, posix_disposition(flags), FILE_ATTRIBUTE_NORMAL, NULL);
  if (file == INVALID_HANDLE_VALUE) {
    DWORD attributes = GetLastError() == ERROR_ACCESS_DENIED ? GetFileAttributesA(path) : 0;
    if (attributes == INVALID_FILE_ATTRIBUTES || !(attributes & FILE_ATTRIBUTE_DIRECTORY))
      return posix_fail();
    errno = EISDIR;
    return -1;
  }
  int fd = _open_osfhandle((intptr_t)file, (flags & O_APPEND) | _O_BINARY);
  if (fd < 0) CloseHandle(file);
  return fd;
}

int posix_rename(const char *from, const char *to) {
  return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) ? 0 : posix_fail();
}

ssize_t posix_write(int fd, const void *data, size_t size) {
  int written = write(fd, data, size < INT32_MAX ? (unsigned)size : INT32_MAX);
  /* The C library reports a closed pipe as EPIPE or as EINVAL. */
  if (written < 0 && GetFileType((HANDLE)_get_osfhandle(fd)) == FILE_TYPE_PIPE)
    TerminateProcess(GetCurrentProcess(), 141);
  return written;
}

int posix_stat(const char *path, struct stat *info) {
  char room[_MAX_PATH];
  size_t size = strlen(path);
  while (size > 1 && size < sizeof room && path[size - 1] == '/' && path[size - 2] != ':') size--;
  if (!path[size] || size >= sizeof room) return _stat64(path, info);
  memcpy(room, path, size);
  room[size] = '\0';
  return _stat64(room, info);
}

int posix_mkdir(const char *path, mode_t mode) {
  (void)mode;
  return _mkdir(path);
}

int link(const char *from, const char *to) {
  return CreateHardLinkA(to, from, NULL) ? 0 : posix_fail();
}

ssize_t pread(int fd, void *data, size_t size, off_t offset) {
  OVERLAPPED place = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)((uint64_t)offset >> 32)};
  off_t before = lseek(fd, 0, SEEK_CUR);
  DWORD got = 0, most = size < INT32_MAX ? (DWORD)size : INT32_MAX;
  bool done = ReadFile((HANDLE)_get_osfhandle(fd), data, most, &got, &place);
  DWORD reason = GetLastError();
  lseek(fd, before, SEEK_SET); /* restore the position, which pread must not move */
  if (done || reason == ERROR_HANDLE_EOF) return (ssize_t)got;
  SetLastError(reason);
  return posix_fail();
}

int mkstemps(char *path, int suffix) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  char *name = path + strlen(path) - (size_t)suffix - 6;
  for (int tries = 0; tries < 100; tries++) {
    unsigned char random[6];
    if (getentropy(random, sizeof random) != 0) return -1;
    for (size_t i = 0; i < sizeof random; i++) name[i] = letters[random[i] % (sizeof letters - 1)];
    int fd = posix_open(path, O_RDWR | O_CREAT | O_EXCL);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

int fsync(int fd) {
  return _commit(fd);
}

/* Returns the path with '/' in place of backslashes, because the programs expect '/' in paths. */
char *realpath(const char *path, char *real) {
  struct stat info;
  if (stat(path, &info) != 0 || !_fullpath(real, path, _MAX_PATH)) return NULL;
  for (char *at = real; *at; at++)
    if (*at == '\\') *at = '/';
  return real;
}

int fchmod(int fd, mode_t mode) {
  (void)fd, (void)mode;
  return 0;
}

int flock(int fd, int how) {
  (void)fd, (void)how;
  return 0;
}

int dirfd(DIR *folder) {
  (void)folder;
  return -1;
}

int openat(int folder, const char *name, int flags, ...) {
  (void)folder, (void)name, (void)flags;
  errno = ENOSYS;
  return -1;
}

int scandir(const char *path, struct dirent ***entries, int (*choose)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **)) {
  (void)path, (void)entries, (void)choose, (void)compare;
  errno = ENOSYS;
  return -1;
}

ssize_t readlink(const char *path, char *to, size_t size) {
  (void)path, (void)to, (void)size;
  errno = EINVAL;
  return -1;
}

int unlinkat(int folder, const char *name, int flags) {
  (void)folder, (void)name, (void)flags;
  errno = ENOSYS;
  return -1;
}

int nftw(const char *path, int (*visit)(const char *, const struct stat *, int, struct FTW *),
         int folders, int flags) {
  DIR *dir = opendir(path);
  struct FTW place = {0};
  char below[_MAX_PATH];
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    int size = snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
    bool itself = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (!itself && size > 0 && (size_t)size < sizeof below) nftw(below, visit, folders, flags);
  }
  if (dir) closedir(dir);
  return visit(path, NULL, 0, &place);
}

/* ---- memory ------------------------------------------ */

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
  (void)address, (void)size, (void)protection, (void)flags, (void)offset;
  HANDLE map = CreateFileMappingA((HANDLE)_get_osfhandle(fd), NULL, PAGE_READONLY, 0, 0, NULL);
  void *data = map ? MapViewOfFile(map, FILE_MAP_READ, 0, 0, 0) : NULL;
  if (map) CloseHandle(map);
  return data ? data : MAP_FAILED;
}

int munmap(void *address, size_t size) {
  (void)size;
  return UnmapViewOfFile(address) ? 0 : posix_fail();
}

int madvise(void *address, size_t size, int advice) {
  (void)address, (void)size, (void)advice;
  return 0;
}

/* ---- processes and signals --------------------------- */

int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
  void (*earlier)(int) = signal(number, action ? action->sa_handler : SIG_DFL);
  if (earlier == SIG_ERR) return -1;
  if (!action) signal(number, earlier);
  if (before) before->sa_handler = earlier;
  return 0;
}

int sigemptyset(sigset_t *set) {
  *set = 0;
  return 0;
}

int sigaddset(sigset_t *set, int number) {
  *set |= (sigset_t)1 << number;
  return 0;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
  (void)how, (void)set, (void)before;
  return 0;
}

int kill(pid_t pid, int number) {
  (void)pid, (void)number;
  return 0;
}

uid_t geteuid(void) {
  return 0;
}

pid_t waitpid(pid_t pid, int *how, int flags) {
  (void)pid, (void)how, (void)flags;
  errno = ECHILD;
  return -1;
}

/* ---- the system -------------------------------------- */

long sysconf(int name) {
  SYSTEM_INFO system;
  MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
  GetSystemInfo(&system);
  if (name == _SC_NPROCESSORS_ONLN) return (long)system.dwNumberOfProcessors;
  if (name == _SC_PAGESIZE) return (long)system.dwPageSize;
  if (!GlobalMemoryStatusEx(&memory)) return -1;
  return (long)(memory.ullTotalPhys / system.dwPageSize);
}

int getentropy(void *bytes, size_t size) {
  unsigned number;
  for (size_t i = 0; i < size; i++) {
    if (rand_s(&number) != 0) return -1;
    ((unsigned char *)bytes)[i] = (unsigned char)number;
  }
  return 0;
}

int setenv(const char *name, const char *value, int replace) {
  (void)replace;
  return _putenv_s(name, value);
}

int ioctl(int fd, int what, struct winsize *size) {
  (void)fd, (void)what, (void)size;
  return -1;
}

void *dlopen(const char *name, int flags) {
  (void)name, (void)flags;
  return NULL;
}

void *dlsym(void *library, const char *name) {
  (void)library, (void)name;
  return NULL;
}

int inet_pton(int family, const char *text, void *address) {
  (void)family, (void)text, (void)address;
  return 0;
}

/* ---- the C library ----------------------------------- */

struct tm *gmtime_r(const time_t *time, struct tm *parts) {
  return gmtime_s(parts, time) == 0 ? parts : NULL;
}

#define ZONE_MAX 16

/* Writes the capital letters of the time zone's name, as Go does. */
static void zone_abbreviate(const struct tm *time, char zone[ZONE_MAX]) {
  const char *set = getenv("TZ"), *name = _tzname[time->tm_isdst > 0];
  size_t size = 0;
  if (set && strcmp(set, "UTC0") == 0) name = "UTC";
  for (; *name && size + 1 < ZONE_MAX; name++)
    if (*name >= 'A' && *name <= 'Z') zone[size++] = *name;
  zone[size] = '\0';
}

static void zone_offset(const struct tm *time, char zone[ZONE_MAX]) {
  struct tm local = *time, global = *time;
  int minutes = (int)((_mkgmtime(&global) - mktime(&local)) / 60);
  snprintf(zone, ZONE_MAX, "%c%02d%02d", minutes < 0 ? '-' : '+', abs(minutes) / 60 % 100,
           abs(minutes) % 60);
}

size_t posix_strftime(char *text, size_t size, const char *format, const struct tm *time) {
  char own[128], zone[ZONE_MAX];
  size_t used = 0;
  for (; *format && used + ZONE_MAX < sizeof own; format++) {
    bool name = strncmp(format, "%Z", 2) == 0;
    own[used++] = *format;
    if (!name && strncmp(format, "%z", 2) != 0) continue;
    if (name)
      zone_abbreviate(time, zone);
    else
      zone_offset(time, zone);
    memcpy(own + used - 1, zone, strlen(zone));
    used += strlen(zone) - 1;
    format++;
  }
  own[used] = '\0';
  return strftime(text, size, own, time);
}

struct tm *localtime_r(const time_t *time, struct tm *parts) {
  return localtime_s(parts, time) == 0 ? parts : NULL;
}

double lgamma_r(double x, int *sign) {
  *sign = x < 0 && fmod(floor(x), 2) != 0 ? -1 : 1;
  return lgamma(x);
}

/* A sum of two numbers, and its rounding error. */
struct exact {
  double sum, error;
};

static struct exact exact_add(double a, double b) {
  double sum = a + b, part = sum - a;
  return (struct exact){sum, (a - (sum - part)) + (b - part)};
}

/* Returns the upper half of the binary digits of a number. */
static double exact_upper(double a) {
  double scaled = a * 134217729; /* 2^27 + 1 */
  return scaled - (scaled - a);
}

static struct exact exact_multiply(double a, double b) {
  double product = a * b, high = exact_upper(a), low = a - high, top = exact_upper(b);
  double rest = b - top;
  return (struct exact){product, low * rest - (product - high * top - low * top - high * rest)};
}

/* Rounds to the neighbour with an odd last digit, so that a second rounding gives the correct
 * result (Boldo and Melquiond, 2008). */
static double exact_odd(struct exact value) {
  uint64_t bits;
  memcpy(&bits, &value.sum, sizeof bits);
  if (!(value.error != 0) || bits & 1) return value.sum;
  bits += (value.error > 0) == (value.sum > 0) ? 1 : UINT64_MAX;
  memcpy(&value.sum, &bits, sizeof bits);
  return value.sum;
}

double posix_fma(double a, double b, double c) {
  struct exact product = exact_multiply(a, b), low = exact_add(c, product.error);
  struct exact high = exact_add(product.sum, low.sum);
  return high.sum + exact_odd(exact_add(low.error, high.error));
}

void *memmem(const void *data, size_t size, const void *part, size_t part_size) {
  const char *at = data, *first = part;
  if (!part_size) return (void *)(uintptr_t)at;
  while (size >= part_size) {
    const char *found = memchr(at, *first, size - part_size + 1);
    if (!found) return NULL;
    if (memcmp(found, part, part_size) == 0) return (void *)(uintptr_t)found;
    size -= (size_t)(found + 1 - at);
    at = found + 1;
  }
  return NULL;
}

char *strsep(char **rest, const char *separators) {
  char *word = *rest;
  if (!word) return NULL;
  char *end = word + strcspn(word, separators);
  *rest = *end ? end + 1 : NULL;
  *end = '\0';
  return word;
}
