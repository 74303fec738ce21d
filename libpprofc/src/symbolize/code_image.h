/* A linked ELF file, prepared for a comparison of machine code: its sections, symbols, dynamic
 * relocations, and the addresses to which its code and data refer. */
#ifndef PPROFC_SYMBOLIZE_CODE_IMAGE_H
#define PPROFC_SYMBOLIZE_CODE_IMAGE_H

#include "core/base.h"

/* ---- instructions of x86 ---------------------------- */

/* Decodes the layout of x86-64 instructions: their length, and the position of bytes that may be
 * addresses. */

/* Layout of an instruction. A size of 0 means that the operand is missing. */
struct x86_instruction {
  size_t size;
  size_t displacement, displacement_size; /* offset and size of the displacement, in bytes */
  size_t immediate, immediate_size;       /* offset and size of the immediate, in bytes */
  bool relative_displacement; /* true: the displacement is relative to the next instruction */
  bool relative_immediate;    /* true for a jump or call relative to the next instruction */
  bool bare_displacement;     /* true: 4 bytes, not relative, so it may be an address */
  unsigned access; /* size of the memory that is accessed, in bytes; 0: only its address is used */
};

/* Decodes the instruction at the start of `size` bytes of 64-bit code. Returns false if the
 * instruction is truncated or unknown. */
bool x86_read(const uint8_t *code, uint64_t size, struct x86_instruction *instruction);

struct code_section {
  uint64_t address, size;
  const uint8_t *bytes; /* bytes of the section; NULL: all are zero */
  bool executable;
  bool numbers; /* true if no word of the section can be an address */
  bool made;    /* true for a section that Go's linker made; any edit of the program changes it */
};

struct code_symbol {
  uint64_t address, size;
  pprofc_str name; /* name without the suffix ".llvm.123" */
  bool function;
  /* true if Go's linker uses the name for many objects, or if LLVM made the name */
  bool collective;
};

/* A word of data that the loader fills with the address `target` or the address of `symbol`. */
struct code_relocation {
  uint64_t address, target;
  pprofc_str symbol; /* imported symbol; "" if `target` is in this file */
};

struct code_image {
  const pprofc_allocator *mem;
  struct arena arena;
  struct buffer file;
  bool fixed; /* true if code and data may contain absolute addresses */
  bool go;
  uint64_t types_from, types_to; /* addresses of Go's type descriptors: [from, to), or 0 */
  struct code_section *sections; /* sections, sorted by address */
  size_t section_count;
  struct code_symbol *symbols; /* symbols by ascending address, then descending size, then name */
  size_t symbol_count;
  struct code_symbol *functions; /* symbols of functions by name, then by address */
  size_t function_count;
  struct code_relocation *relocations; /* relocations, sorted by address */
  size_t relocation_count, relocation_capacity;
  uint64_t *marks; /* addresses of data to which code or data refers, ascending */
  size_t mark_count, mark_capacity;
};

/* Opens an x86-64 file with symbols. The caller frees the image, even after an error. Errors:
 * PPROFC_E_IO, PPROFC_E_FORMAT, PPROFC_E_UNSUPPORTED for another machine or a file without symbols,
 * PPROFC_E_LIMIT, PPROFC_E_NOMEM. */
pprofc_status code_image_open(struct code_image *image, const char *path,
                              const pprofc_allocator *mem, pprofc_error *error);
void code_image_free(struct code_image *image);

/* Returns the name of a symbol without the suffix ".llvm.123", whose number depends on the whole
 * program. */
pprofc_str code_plain_name(pprofc_str name);

/* Returns the section at an address, or NULL. */
const struct code_section *code_section_at(const struct code_image *image, uint64_t address);

/* Returns the bytes from an address to the end of its section and sets *size. Returns NULL outside
 * of sections and for sections of zeros. */
const uint8_t *code_bytes(const struct code_image *image, uint64_t address, uint64_t *size);

/* Returns the symbol that contains an address, or NULL. If several symbols begin at the same
 * address, returns the largest symbol that contains the address; if their sizes are equal, the
 * first by name. */
const struct code_symbol *code_symbol_at(const struct code_image *image, uint64_t address);

/* Returns the relocation of the word at an address, or NULL. */
const struct code_relocation *code_relocation_at(const struct code_image *image, uint64_t address);

/* Returns the size of the object at an address without a symbol. The object ends at the next
 * address in `marks`, or at the end of the section. Returns 0 outside of sections. */
uint64_t code_extent(const struct code_image *image, uint64_t address);

/* Returns the signed little-endian number in `size` bytes, at most 8. */
int64_t code_number(const uint8_t *bytes, size_t size);

/* Both functions return the address to which an operand of an instruction refers:
 * code_displacement_target by the displacement, code_immediate_target by the immediate value.
 * `address` is the address of the instruction. */
uint64_t code_displacement_target(const struct x86_instruction *i, const uint8_t *bytes,
                                  uint64_t address);
uint64_t code_immediate_target(const struct x86_instruction *i, const uint8_t *bytes,
                               uint64_t address);

#endif
