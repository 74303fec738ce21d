/* Tells which functions of two programs have the same machine code. Operands that are addresses
 * are compared by what they refer to: the same offset of the same function, or data with the
 * same contents. Everything else is compared byte by byte. */
#ifndef PPROFC_SYMBOLIZE_CODE_H
#define PPROFC_SYMBOLIZE_CODE_H

#include "core/error.h"
#include "core/map.h"

enum code_state {
  CODE_UNKNOWN, /* no function of that name, or its code cannot be read */
  CODE_SAME,
  CODE_CHANGED /* also a function that only one side has */
};

#define CODE_CACHE_LINE 64

struct code_function {
  pprofc_str name;       /* of the linker */
  enum code_state state; /* of several functions with the name, the one that differs most */
  bool moved;            /* same code at another place in its cache line */
};

struct code_comparison {
  struct arena arena;
  struct code_function *functions; /* by linker name, each name once */
  size_t count;
  size_t same, changed, unknown, moved; /* functions of each kind; `moved` is part of `same` */
  struct interner names;                /* linker names and readable names */
  uint32_t *by_name;                    /* [names] index in functions */
  size_t by_name_capacity;
};

/* Compares two ELF files for x86-64. Free it also after a failure. Errors: as
 * code_image_open, with the path. */
pprofc_status code_compare(struct code_comparison *comparison, const char *base, const char *head,
                           const pprofc_allocator *mem, pprofc_error *error);
void code_comparison_free(struct code_comparison *comparison);

/* Returns the function with a linker name or a readable name, of several the one that differs most;
 * NULL without one. */
const struct code_function *code_find(const struct code_comparison *comparison, pprofc_str name);

#endif
