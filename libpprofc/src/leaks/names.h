/* Classes of frame names: stacks that are never a leak, and frames of allocators. */
#ifndef PPROFC_LEAKS_NAMES_H
#define PPROFC_LEAKS_NAMES_H

#include "core/error.h"
#include "core/mem.h"

enum leak_list {
  LEAK_LIST_HEAP,   /* ignored in heap profiles */
  LEAK_LIST_COUNTS, /* ignored in goroutine profiles and other counts */
  LEAK_LIST_WAY,    /* allocator: skipped at the leaf to find the allocating line */
  LEAK_LISTS
};

/* One row of the built-in table. */
struct leak_name {
  enum leak_list list;
  const char *pattern; /* Go regular expression for the name of a function */
  const char *why;
};

/* Returns the built-in rows in order; NULL after the last. */
const struct leak_name *leak_name_at(size_t index);

struct leak_names {
  struct regex *lists[LEAK_LISTS];
};

/* Compiles the built-in table and `more` patterns, which are ignored in all profiles. The
 * caller frees *out, also after an error. */
pprofc_status leak_names_init(struct leak_names *names, const pprofc_allocator *mem,
                              const char *const *more, size_t more_count, pprofc_error *error);
void leak_names_free(struct leak_names *names);

bool leak_names_has(const struct leak_names *names, enum leak_list list, pprofc_str function);

#endif
