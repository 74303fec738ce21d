/* Converts an address in a process to an address in its file (docs/spec/pprof.md, 8.2). */
#ifndef PPROFC_SYMBOLIZE_BASE_ADDRESS_H
#define PPROFC_SYMBOLIZE_BASE_ADDRESS_H

#include "symbolize/elf_file.h"

/* Addresses and file offset of a mapping. `kernel_symbol` is the end of the name of a kernel
 * mapping, "_text" or "_stext": the symbol whose address shows where the kernel was loaded. For
 * other mappings, `kernel_symbol` is "". */
struct mapped_range {
  uint64_t start, limit, offset;
  pprofc_str kernel_symbol;
};

/* Computes the base: an address in the process minus the same address in the file. `address` must
 * be in the mapping; it selects the segment if several segments fit. Like pprof, callers use the
 * base of the first address for the whole mapping. */
pprofc_status base_address(const struct elf_file *file, const struct mapped_range *range,
                           uint64_t address, uint64_t *base, pprofc_error *error);

#endif
