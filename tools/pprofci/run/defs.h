/* Finds the lines of functions in source files by their indentation. */
#ifndef PPROFCI_RUN_DEFS_H
#define PPROFCI_RUN_DEFS_H

#include "report/source/lookup.h"

/* Definition of a function or class in a Python file. */
struct def {
  pprofc_str name;     /* qualified name, as in frames: "Store.top", "parse.<locals>.inner" */
  int64_t first, last; /* lines of the definition with its decorators */
};

struct defs {
  struct def *items; /* sorted by name and line */
  size_t count;
};

/* Reads the definitions of a Python file. Skips text in strings and in brackets. Returns false when
 * out of memory. */
bool defs_read(struct defs *defs, const struct source_file *file, struct arena *arena);

/* Returns the first definition with a name, and sets *count to their number. Returns NULL if there
 * is no such definition. */
const struct def *defs_find(const struct defs *defs, pprofc_str name, size_t *count);

/* Returns the last line of the function that begins on line `first`. Recognizes the end by the
 * indentation. */
int64_t defs_last_line(const struct source_file *file, int64_t first);

#endif
