/* Finds functions whose machine code is the same in two programs, called base and head. Operands
 * that are addresses count as equal if they have the same target: the same offset of the same
 * function, or data with the same contents. All other bytes must be equal. */
#ifndef PPROFC_SYMBOLIZE_CODE_H
#define PPROFC_SYMBOLIZE_CODE_H

#include "core/base.h"

enum code_state {
  CODE_UNKNOWN, /* the code cannot be decoded, or the programs have different numbers of functions
                   with the name */
  CODE_SAME,
  CODE_CHANGED /* the code differs, or only base or only head has the function */
};

/* Size of a cache line in bytes. */
#define CODE_CACHE_LINE 64

struct code_function {
  pprofc_str name;       /* mangled name, without the suffix ".llvm.123" */
  enum code_state state; /* the highest state (state_rank) of the functions with this name */
  bool lone;             /* true if only base or only head has the function */
  bool moved; /* true if the code is the same but begins at another offset in its cache line */
};

struct code_comparison {
  struct arena arena;
  struct code_function *functions; /* functions sorted by mangled name, each name once */
  size_t count;
  /* Numbers of functions in each state. `moved` functions also count as `same`. */
  size_t same, changed, unknown, moved;
  struct interner names; /* mangled and demangled names of the functions */
  uint32_t *by_name;     /* for each name in `names`, the index of the function in `functions` */
  size_t by_name_capacity;
};

/* Compares two ELF files for x86-64. The caller frees the result, even after an error. Returns the
 * errors of code_image_open, with the path of the file in the message. */
pprofc_status code_compare(struct code_comparison *comparison, const char *base, const char *head,
                           const pprofc_allocator *mem, pprofc_error *error);
void code_comparison_free(struct code_comparison *comparison);

/* Returns the function whose mangled or demangled name is `name`, or NULL. If several functions
 * have the name, prefers CODE_CHANGED, then CODE_UNKNOWN. */
const struct code_function *code_find(const struct code_comparison *comparison, pprofc_str name);

/* ---- builds ----------------------------------------- */

/* How a program was built. Each text has one line for each item. A text is "" if the file does not
 * contain this information. */
struct built {
  pprofc_str compiler;  /* compiler and its version: "go1.22.1", "GCC: (Debian 12.2.0-14) 12.2.0" */
  pprofc_str flags;     /* build flags: "-race=true", "GNU C17 12.2.0 -mtune=generic -O2" */
  pprofc_str libraries; /* libraries: "golang.org/x/text v0.14.0", "libc.so.6" */
};

/* Reads how an ELF file was built. The texts are in the arena. Returns the errors of elf_open. */
pprofc_status built_read(struct built *built, const char *path, struct arena *arena,
                         pprofc_error *error);

#endif
