/* The functions of system.h that use different system calls on different operating systems. */
#include "core/system.h"
#include "core/base.h"

#ifdef __linux__
#include <sys/mman.h>
#include <sys/personality.h>
#else
#include <stdio.h>
#endif
#ifdef __APPLE__
#include <sys/random.h>
#endif

bool system_random(void *bytes, size_t size) {
  return getentropy(bytes, size) == 0;
}

bool system_pipe(int ends[2]) {
#ifdef __APPLE__
  if (pipe(ends) != 0) return false;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return true;
#else
  return pipe2(ends, O_CLOEXEC) == 0;
#endif
}

int system_memory_file(void) {
#ifdef __linux__
  return memfd_create("pprofc", MFD_CLOEXEC);
#else
  FILE *file = tmpfile();
  int fd = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
  if (file) fclose(file);
  return fd;
#endif
}

int system_fix_addresses(void) {
  int before = -1;
#ifdef __linux__
  before = personality(0xFFFFFFFF);
  if (before != -1) personality((unsigned long)before | ADDR_NO_RANDOMIZE);
#endif
  return before;
}

void system_let_addresses(int before) {
#ifdef __linux__
  if (before != -1) personality((unsigned long)before);
#else
  (void)before;
#endif
}
