/* Opens the binary of a mapping. Lists its symbols with nm and its instructions with objdump. */
#ifndef PPROFC_SYMBOLIZE_OBJECT_H
#define PPROFC_SYMBOLIZE_OBJECT_H

#include "profile/profile.h"
#include "symbolize/elf_file.h"
#include "symbolize/tools.h"

/* ---- addresses -------------------------------------- */

/* Converts an address in a process to an address in its file (docs/spec/pprof.md, 8.2). */

/* Addresses and file offset of a mapping. For a kernel mapping, `kernel_symbol` is the end of the
 * mapping's name, "_text" or "_stext". The address of this symbol shows where the kernel was
 * loaded. For other mappings, `kernel_symbol` is "". */
struct mapped_range {
  uint64_t start, limit, offset;
  pprofc_str kernel_symbol;
};

/* Computes the base: the difference between an address in the process and its address in the file.
 * `address` must be in the mapping; it selects the segment if several segments fit. As in pprof,
 * callers compute the base for one address and use it for the whole mapping. */
pprofc_status base_address(const struct elf_file *file, const struct mapped_range *range,
                           uint64_t address, uint64_t *base, pprofc_error *error);

struct object {
  const struct mapping *mapping;
  const char *path; /* path of the file, in the arena */
  struct elf_file file;
  bool based;                /* true after the base (see base_address) was computed */
  pprofc_status base_status; /* result of base_address if `based`; PPROFC_E_NOMEM: out of memory */
  uint64_t base;
};

/* Opens the binary of a mapping. Returns the errors of elf_open. */
pprofc_status object_open(struct object *object, const pprofc_profile *profile,
                          const struct mapping *mapping, struct arena *arena, pprofc_error *error);
void object_close(struct object *object);

/* True if the mapping contains an address. A mapping without a range contains all addresses. */
bool object_covers(const struct object *object, uint64_t address);

/* Converts an address of the process to an address of the file. Returns false if the address of the
 * file is unknown. In the first call, `address` must be in the mapping. */
bool object_address(struct object *object, uint64_t address, uint64_t *file_address);

/* Symbols at one address, as `nm -n` lists them. The symbols at the last address extend to the end
 * of the address space. */
struct object_symbol {
  uint64_t start, end; /* addresses of the first and the last byte of the symbol's code */
  pprofc_str *names;
  size_t name_count;
};

pprofc_status object_symbols(const struct object *object, const struct tools *tools,
                             struct arena *arena, struct object_symbol **symbols, size_t *count,
                             pprofc_error *error);

struct instruction {
  uint64_t address;
  /* Text, function and file of the instruction; "" if unknown. */
  pprofc_str text, function, file;
  int64_t line;
};

/* Returns the instructions in [start, end), addresses of the file, as objdump prints them. */
pprofc_status object_disassemble(const struct object *object, const struct tools *tools,
                                 uint64_t start, uint64_t end, bool intel_syntax,
                                 struct arena *arena, struct instruction **instructions,
                                 size_t *count, pprofc_error *error);

#endif
