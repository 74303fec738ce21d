/* Finds functions of two programs with the same machine code. Operands that are addresses are
 * compared by their targets: the same offset of the same function, or data with the same
 * contents. All other bytes must be equal. */
#ifndef PPROFC_SYMBOLIZE_CODE_H
#define PPROFC_SYMBOLIZE_CODE_H

#include "core/error.h"
#include "core/map.h"

enum code_state {
  CODE_UNKNOWN, /* no function with that name, or its code cannot be read */
  CODE_SAME,
  CODE_CHANGED /* the code differs, or only one side has the function */
};

#define CODE_CACHE_LINE 64

struct code_function {
  pprofc_str name;       /* mangled name, as the linker has it */
  enum code_state state; /* state; of several functions with the name, the one that differs most */
  bool moved;            /* true if the same code is at another offset in its cache line */
};

struct code_comparison {
  struct arena arena;
  struct code_function *functions; /* functions by linker name, each name once */
  size_t count;
  /* Numbers of functions of each kind; `moved` is part of `same`. */
  size_t same, changed, unknown, moved;
  struct interner names; /* linker names and readable names of the functions */
  uint32_t *by_name;     /* index in `functions` of each name */
  size_t by_name_capacity;
};

/* Compares two ELF files for x86-64. The caller frees it, also after a failure. Errors are as
 * for code_image_open, with the path. */
pprofc_status code_compare(struct code_comparison *comparison, const char *base, const char *head,
                           const pprofc_allocator *mem, pprofc_error *error);
void code_comparison_free(struct code_comparison *comparison);

/* Returns the function with a mangled or demangled name. Of several, returns the one that
 * differs most; NULL if no function has the name. */
const struct code_function *code_find(const struct code_comparison *comparison, pprofc_str name);

#endif
