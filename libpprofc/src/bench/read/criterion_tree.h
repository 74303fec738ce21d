/* Finding criterion's samples in a folder like target/criterion. */
#ifndef PPROFC_BENCH_READ_CRITERION_TREE_H
#define PPROFC_BENCH_READ_CRITERION_TREE_H

#include "core/error.h"
#include "core/mem.h"

struct criterion_tree {
  const char **paths; /* of sample.json files, sorted; the arena's, like the texts */
  size_t count, capacity;
};

/* Lists FOLDER/sample.json if there is one, else every .../new/sample.json below the folder. None
 * is no error. */
pprofc_status criterion_tree_find(struct arena *arena, const char *folder,
                                  struct criterion_tree *tree, pprofc_error *error);

#endif
