/* Hides differences between operating systems: provides names that Linux has and other systems lack
 * or spell differently. All code that depends on the system is here and in system.c. */
#ifndef PPROFC_CORE_SYSTEM_H
#define PPROFC_CORE_SYSTEM_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#ifdef __linux__
#include <malloc.h> /* declares M_ARENA_MAX and similar names, if the C library has them */
#endif

#ifndef CLOCK_MONOTONIC_COARSE
#define CLOCK_MONOTONIC_COARSE CLOCK_MONOTONIC
#endif

#ifndef POLLRDHUP
#define POLLRDHUP POLLHUP
#endif

/* The operating systems whose libraries have different file names (library_names.c). */
enum system {
  SYSTEM_LINUX,
  SYSTEM_FREEBSD,
  SYSTEM_NETBSD,
  SYSTEM_OPENBSD,
  SYSTEM_MACOS,
  SYSTEM_WINDOWS,
  SYSTEMS
};

/* The operating system for which this file is compiled. Other systems are taken for Linux. */
#if defined __APPLE__
#define SYSTEM_HERE SYSTEM_MACOS
#elif defined __FreeBSD__
#define SYSTEM_HERE SYSTEM_FREEBSD
#elif defined __NetBSD__
#define SYSTEM_HERE SYSTEM_NETBSD
#elif defined __OpenBSD__
#define SYSTEM_HERE SYSTEM_OPENBSD
#elif defined _WIN32
#define SYSTEM_HERE SYSTEM_WINDOWS
#else
#define SYSTEM_HERE SYSTEM_LINUX
#endif

/* 1 if the system has dl_iterate_phdr, which lists the loaded objects; else 0. */
#if defined __APPLE__ || defined _WIN32
#define SYSTEM_LISTS_OBJECTS 0
#else
#define SYSTEM_LISTS_OBJECTS 1
#endif

/* True if the system keeps time zones as files of tzfile(5). */
#ifdef _WIN32
#define SYSTEM_ZONE_FILES false
#else
#define SYSTEM_ZONE_FILES true
#endif

/* Returns the time at which a file was modified last. */
static inline struct timespec system_modified(const struct stat *file) {
#if defined __APPLE__
  return file->st_mtimespec;
#elif defined _WIN32
  return (struct timespec){file->st_mtime, 0};
#else
  return file->st_mtim;
#endif
}

/* Returns a number that changes when the file changes. The number is never 0. */
static inline uint64_t system_stamp(const struct stat *file) {
  struct timespec time = system_modified(file);
  return ((uint64_t)time.tv_sec * 1000000007u ^ (uint64_t)time.tv_nsec << 1 ^
          (uint64_t)file->st_ino << 24 ^ (uint64_t)file->st_size << 3) |
         1;
}

/* True if a and b describe the same file. Always false on Windows, where every file has the inode
 * number 0. */
static inline bool system_same_file(const struct stat *a, const struct stat *b) {
  return a->st_ino && a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* Returns a time in milliseconds that never decreases, counted from an arbitrary moment. */
static inline int64_t system_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Fills `size` bytes, at most 256, with random bytes of the kernel. Returns false and sets errno on
 * failure. */
bool system_random(void *bytes, size_t size);

/* Makes a pipe that started programs do not inherit. Returns false and sets errno on failure. */
bool system_pipe(int ends[2]);

/* Makes an empty file without a name. Returns -1 and sets errno on failure. */
int system_memory_file(void);

/* Turns off address randomization in programs that this process starts from now on, because the
 * counts of callgrind vary slightly with random addresses. Returns the earlier state, which
 * system_let_addresses restores. Does nothing and returns -1 on systems other than Linux, and in
 * containers that forbid the change. */
int system_fix_addresses(void);
void system_let_addresses(int before);

#endif
