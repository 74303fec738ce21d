/* A temporary folder for targets whose readers need a file name. The folder is removed at the
 * end. */
#ifndef TESTS_FUZZ_SCRATCH_H
#define TESTS_FUZZ_SCRATCH_H

#include "fuzz.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch_folder[64];

static int scratch_remove_one(const char *path, const struct stat *info, int kind,
                              struct FTW *place) {
  (void)info;
  (void)kind;
  if (place->level > 0) remove(path);
  return 0;
}

/* Removes everything in the folder. */
static inline void scratch_clear(void) {
  nftw(scratch_folder, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void scratch_end(void) {
  scratch_clear();
  rmdir(scratch_folder);
}

/* Returns the path of a file in the folder. */
static inline const char *scratch_path(const char *name, char path[128]) {
  if (!*scratch_folder) {
    bool memory = access("/dev/shm", W_OK) == 0;
    snprintf(scratch_folder, sizeof scratch_folder, "%s/fuzz-XXXXXX", memory ? "/dev/shm" : "/tmp");
    REQUIRE(mkdtemp(scratch_folder));
    atexit(scratch_end);
  }
  snprintf(path, 128, "%s/%s", scratch_folder, name);
  return path;
}

static inline const char *scratch_write(const char *name, const void *data, size_t size,
                                        char path[128]) {
  FILE *file = fopen(scratch_path(name, path), "wb");
  REQUIRE(file);
  REQUIRE(fwrite(data, 1, size, file) == size);
  REQUIRE(fclose(file) == 0);
  return path;
}

#endif
