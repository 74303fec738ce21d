/* Converts an address in a process to an address in its file (docs/spec/pprof.md, 8.2). */
#ifndef PPROFC_SYMBOLIZE_BASE_ADDRESS_H
#define PPROFC_SYMBOLIZE_BASE_ADDRESS_H

#include "symbolize/elf_file.h"

/* A mapping. `kernel_symbol` is the symbol in the name of a kernel mapping that shows its
 * relocation, "_text" or "_stext"; else "". */
struct mapped_range {
  uint64_t start, limit, offset;
  pprofc_str kernel_symbol;
};

/* Computes the base: address in the process minus address in the file. `address` must be in the
 * mapping. The base of a mapping comes from its first address. */
pprofc_status base_address(const struct elf_file *file, const struct mapped_range *range,
                           uint64_t address, uint64_t *base, pprofc_error *error);

#endif
