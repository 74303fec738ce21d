/* Default of -max_memory. */
#include "memory.h"

#include "core/str.h"

#include <stdio.h>
#include <unistd.h>

#define MEMORY_MAX ((uint64_t)16 << 30)

/* Files with the memory limit of a container: control groups 2 and 1. */
static const char *const group_files[] = {"/sys/fs/cgroup/memory.max",
                                          "/sys/fs/cgroup/memory/memory.limit_in_bytes"};

/* Returns the number in a file, or UINT64_MAX if the file has no number, as in "max". */
static uint64_t number_in(const char *path) {
  FILE *file = fopen(path, "re");
  char line[32];
  uint64_t number = UINT64_MAX;
  if (!file) return number;
  if (!fgets(line, sizeof line, file) || !str_parse_uint(str_trim(str_of(line)), 10, &number))
    number = UINT64_MAX;
  fclose(file);
  return number;
}

uint64_t memory_default(void) {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  uint64_t all = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
  for (size_t i = 0; i < sizeof group_files / sizeof *group_files; i++) {
    uint64_t group = number_in(group_files[i]);
    if (group < all) all = group;
  }
  return all / 2 < MEMORY_MAX ? all / 2 : MEMORY_MAX;
}
