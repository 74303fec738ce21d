/* What the names of frames say: which stacks are never a leak, and which frames are only the way to
 * the memory. */
#ifndef PPROFC_LEAKS_NAMES_H
#define PPROFC_LEAKS_NAMES_H

#include "core/error.h"
#include "core/mem.h"

enum leak_list {
  LEAK_LIST_HEAP,   /* a stack with such a frame is not judged in heap profiles */
  LEAK_LIST_COUNTS, /* the same in profiles of goroutines and other counts */
  LEAK_LIST_WAY,    /* skipped at the leaf when a row says where */
  LEAK_LISTS
};

/* One row of the built-in table. */
struct leak_name {
  enum leak_list list;
  const char *pattern; /* a Go regular expression, on the name of a function */
  const char *why;
};

/* The built-in rows in order; NULL past the last. */
const struct leak_name *leak_name_at(size_t index);

struct leak_names {
  struct regex *lists[LEAK_LISTS];
};

/* The built-in table and `more` patterns, which both kinds of profiles ignore. To be freed, also
 * after an error. */
pprofc_status leak_names_init(struct leak_names *names, const pprofc_allocator *mem,
                              const char *const *more, size_t more_count, pprofc_error *error);
void leak_names_free(struct leak_names *names);

bool leak_names_has(const struct leak_names *names, enum leak_list list, pprofc_str function);

#endif
