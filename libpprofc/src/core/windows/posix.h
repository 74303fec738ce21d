/* Declares the parts of POSIX that Windows lacks. For Windows, CMake includes this file before each
 * C file, and creates empty files in place of the missing system headers.
 *
 * Flags without a meaning on Windows are 0. Signals that Windows never sends have numbers that
 * signal() refuses. */
#ifndef PPROFC_CORE_WINDOWS_POSIX_H
#define PPROFC_CORE_WINDOWS_POSIX_H

#include <direct.h>
#include <dirent.h>
#include <fcntl.h>
#include <io.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* ---- files ------------------------------------------- */

#define O_CLOEXEC  _O_NOINHERIT
#define O_NOCTTY   0
#define O_NOFOLLOW 0
#define O_NONBLOCK 0

#define LOCK_EX 0
#define LOCK_NB 0

#define S_ISLNK(mode) 0

/* Opens a file like `open` of POSIX: other programs may rename or remove the file while it is
 * open. */
int posix_open(const char *path, int flags, ...);
/* Renames a file. Replaces an existing file. */
int posix_rename(const char *from, const char *to);
int posix_mkdir(const char *path, mode_t mode);

/* The macros below also rename parameters and fields, which then shadow functions. Ignore the
 * warnings about this. */
#pragma GCC diagnostic ignored "-Wshadow"

static inline ssize_t posix_read(int fd, void *data, size_t size) {
  return read(fd, data, size < INT32_MAX ? (unsigned)size : INT32_MAX);
}
/* Writes like write(). Ends the program if the reader of a pipe has ended, as SIGPIPE does. */
ssize_t posix_write(int fd, const void *data, size_t size);

#define open   posix_open
#define read   posix_read
#define write  posix_write
#define rename posix_rename
#define mkdir  posix_mkdir
#define lstat  stat

/* Does the work of stat, and accepts a '/' at the end of a path. Callers reach this function by the
 * macro _stat64, because MinGW-w64 defines `stat` as a macro for _stat64. */
int posix_stat(const char *path, struct stat *info);
#define _stat64(path, info) posix_stat(path, info)

ssize_t pread(int fd, void *data, size_t size, off_t offset);
int mkstemps(char *path, int suffix);
int fsync(int fd);
int link(const char *from, const char *to);
char *realpath(const char *path, char *real);

/* These functions do nothing and succeed. */
int fchmod(int fd, mode_t mode);
int flock(int fd, int how);
/* These functions always fail. */
int dirfd(DIR *folder);
int openat(int folder, const char *name, int flags, ...);
int scandir(const char *path, struct dirent ***entries, int (*choose)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **));
ssize_t readlink(const char *path, char *to, size_t size);
int unlinkat(int folder, const char *name, int flags);

#define FTW_DEPTH 1
#define FTW_PHYS  2
struct FTW {
  int level;
};
/* Calls `visit` for all files below a folder, then for the folder. */
int nftw(const char *path, int (*visit)(const char *, const struct stat *, int, struct FTW *),
         int folders, int flags);

/* ---- memory ------------------------------------------ */

#define PROT_READ     1
#define MAP_PRIVATE   2
#define MAP_FAILED    ((void *)-1)
#define MADV_DONTNEED 4

/* Maps a file from its beginning to read it. */
void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
int munmap(void *address, size_t size);
/* Does nothing and succeeds. */
int madvise(void *address, size_t size, int advice);

/* ---- processes and signals --------------------------- */

#define SIGHUP  1
#define SIGBUS  7
#define SIGKILL 9
#define SIGXFSZ 25

typedef _sigset_t sigset_t;
typedef short uid_t; /* same type as st_uid of struct stat */

struct sigaction {
  void (*sa_handler)(int);
  sigset_t sa_mask;
};
int sigaction(int number, const struct sigaction *action, struct sigaction *before);
int sigemptyset(sigset_t *set);
int sigaddset(sigset_t *set, int number);
#undef pthread_sigmask
/* Does nothing and succeeds. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before);
/* Succeeds for every process. */
int kill(pid_t pid, int number);
uid_t geteuid(void);

#define WNOHANG          1
#define WIFSIGNALED(how) ((void)(how), 0)
#define WTERMSIG(how)    (how)
#define WEXITSTATUS(how) (how)
/* Always fails, because pprofc starts no programs on Windows. */
pid_t waitpid(pid_t pid, int *how, int flags);

/* ---- the system -------------------------------------- */

enum { _SC_PAGESIZE, _SC_PHYS_PAGES, _SC_NPROCESSORS_ONLN };
long sysconf(int name);
int getentropy(void *bytes, size_t size);
int setenv(const char *name, const char *value, int replace);

#define TIOCGWINSZ 0
struct winsize {
  unsigned short ws_col;
};
int ioctl(int fd, int what, struct winsize *size);

#define POLLIN  1
#define POLLHUP 2
struct pollfd {
  int fd;
  short events, revents;
};

#define RTLD_LOCAL 0
#define RTLD_NOW   0
/* Always fails, because pprofc loads no libraries on Windows. */
void *dlopen(const char *name, int flags);
void *dlsym(void *library, const char *name);

#define AF_INET  2
#define AF_INET6 23
struct in6_addr {
  unsigned char bytes[16];
};
/* Refuses every address, because pprofc sends no requests on Windows. */
int inet_pton(int family, const char *text, void *address);

/* ---- the C library ----------------------------------- */

struct tm *gmtime_r(const time_t *time, struct tm *parts);
/* Writes %z as an offset, and %Z as an abbreviation, because strftime of Windows writes long names
 * for both. */
size_t posix_strftime(char *text, size_t size, const char *format, const struct tm *time);
#define strftime posix_strftime
struct tm *localtime_r(const time_t *time, struct tm *parts);
/* Returns a * b + c, rounded once, because fma of MinGW-w64 rounds twice. The values must be far
 * from overflow and underflow. */
double posix_fma(double a, double b, double c);
#define fma posix_fma
double lgamma_r(double x, int *sign);
void *memmem(const void *data, size_t size, const void *part, size_t part_size);
char *strsep(char **rest, const char *separators);

#endif
