/* Converts an address at run time to an address in the file (docs/spec/pprof.md, 8.2). */
#ifndef PPROFC_SYMBOLIZE_BASE_ADDRESS_H
#define PPROFC_SYMBOLIZE_BASE_ADDRESS_H

#include "symbolize/elf_file.h"

/* A mapping. `kernel_symbol` is the relocation symbol in the name of a kernel mapping ("_text",
 * "_stext"), or "". */
struct mapped_range {
  uint64_t start, limit, offset;
  pprofc_str kernel_symbol;
};

/* Returns the base to subtract from `address`, which is in the mapping. Computed once per
 * mapping, for its first address. */
pprofc_status base_address(const struct elf_file *file, const struct mapped_range *range,
                           uint64_t address, uint64_t *base, pprofc_error *error);

#endif
