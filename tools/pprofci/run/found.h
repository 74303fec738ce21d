/* Lists the files of a folder of profiles, such as the folder of `pprofci capture`. */
#ifndef PPROFCI_RUN_FOUND_H
#define PPROFCI_RUN_FOUND_H

#include "core/error.h"
#include "core/mem.h"

struct found_file {
  const char *path;
  const char *side; /* "base" or "head" by the folder above it, or the caller's */
  int depth;        /* level of the file; 1 directly in the folder */
};

struct found_files {
  struct found_file *items;
  size_t count, capacity;
};

/* Lists the files of a folder, four levels deep, by path with run2 before run10. Skips hidden
 * files, manifests and warm-up folders. The caller frees the list, also after an error. */
pprofc_status found_below(struct arena *arena, const char *folder, const char *side,
                          struct found_files *files, pprofc_error *error);
void found_free(struct found_files *files);

#endif
