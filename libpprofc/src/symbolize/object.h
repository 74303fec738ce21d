/* The binary behind a mapping, and what its tools say about it: symbols and instructions. */
#ifndef PPROFC_SYMBOLIZE_OBJECT_H
#define PPROFC_SYMBOLIZE_OBJECT_H

#include "profile/profile.h"
#include "symbolize/elf_file.h"
#include "symbolize/tools.h"

struct object {
  const struct mapping *mapping;
  const char *path; /* in the arena */
  struct elf_file file;
  bool based;                /* the base was looked for */
  pprofc_status base_status; /* whether it is known; PPROFC_E_NOMEM: out of memory */
  uint64_t base;
};

/* Opens the binary that a mapping names. Messages are those of elf_open. */
pprofc_status object_open(struct object *object, const pprofc_profile *profile,
                          const struct mapping *mapping, struct arena *arena, pprofc_error *error);
void object_close(struct object *object);

/* Whether the mapping covers an address. The mapping that a profile without mappings gets covers
 * all. */
bool object_covers(const struct object *object, uint64_t address);

/* The file's own address for one of the process; false when it cannot be told. The first address
 * must be one that the mapping covers; others go on from there. */
bool object_address(struct object *object, uint64_t address, uint64_t *file_address);

/* Symbols that share an address, as `nm -n` lists them; the last one goes on to the end of the
 * address space. */
struct object_symbol {
  uint64_t start, end; /* end is the last byte of it */
  pprofc_str *names;
  size_t name_count;
};

pprofc_status object_symbols(const struct object *object, const struct tools *tools,
                             struct arena *arena, struct object_symbol **symbols, size_t *count,
                             pprofc_error *error);

struct instruction {
  uint64_t address;
  pprofc_str text, function, file; /* what is not known is "" */
  int64_t line;
};

/* The instructions from `start` to before `end`, file's addresses, as objdump tells them. */
pprofc_status object_disassemble(const struct object *object, const struct tools *tools,
                                 uint64_t start, uint64_t end, bool intel_syntax,
                                 struct arena *arena, struct instruction **instructions,
                                 size_t *count, pprofc_error *error);

#endif
