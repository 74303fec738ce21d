/* Finds criterion's samples in a folder such as target/criterion. */
#ifndef PPROFC_BENCH_READ_CRITERION_TREE_H
#define PPROFC_BENCH_READ_CRITERION_TREE_H

#include "core/error.h"
#include "core/mem.h"

struct criterion_tree {
  const char **paths; /* paths of sample.json files, sorted, in the arena */
  size_t count, capacity;
};

/* Lists FOLDER/sample.json if it exists, else every .../new/sample.json below the folder. An
 * empty list is not an error. */
pprofc_status criterion_tree_find(struct arena *arena, const char *folder,
                                  struct criterion_tree *tree, pprofc_error *error);

#endif
