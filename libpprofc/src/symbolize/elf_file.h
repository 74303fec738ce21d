/* Reads the parts of an ELF file that symbolization needs: kind, load segments, build id, single
 * symbols. Reads only headers, notes and symbol tables, and checks all bounds. External tools read
 * the debug information. */
#ifndef PPROFC_SYMBOLIZE_ELF_FILE_H
#define PPROFC_SYMBOLIZE_ELF_FILE_H

#include "core/base.h"

struct elf_segment {
  uint64_t offset, file_size, vaddr, memory_size, align;
  bool executable, loadable;
};

struct elf_file {
  const pprofc_allocator *mem;
  const char *path;     /* path of the file; the caller owns it */
  int fd;               /* descriptor of the file; -1 if the caller has its bytes in memory */
  const uint8_t *bytes; /* bytes of the file if the caller has them in memory */
  uint64_t size;
  bool is64, big_endian;
  uint16_t type, machine; /* type: ET_EXEC, ET_DYN or ET_REL; machine: type of the processor */
  uint64_t section_offset;
  uint16_t section_size, section_count, section_names;
  struct elf_segment *segments;
  size_t segment_count;
  char build_id[129]; /* build id in hexadecimal; "" if the file lacks one or has several */
  bool out_of_memory; /* true if memory ran out while reading the notes; elf_open then fails */
};

/* Opens an ELF file. Errors have the messages of pprof: "error reading magic number from F: EOF",
 * "unrecognized binary format: F", "stat F: no such file or directory". */
pprofc_status elf_open(struct elf_file *file, const char *path, const pprofc_allocator *mem,
                       pprofc_error *error);
void elf_close(struct elf_file *file);

/* Does the same as elf_open for a file that the caller has in memory. The bytes must outlive
 * `file`. */
pprofc_status elf_open_bytes(struct elf_file *file, const char *path, pprofc_str bytes,
                             const pprofc_allocator *mem, pprofc_error *error);

/* True if elf_open accepts the file. The command line uses this function to distinguish binaries
 * from profiles. */
bool elf_is_object(const char *path, const pprofc_allocator *mem);

/* Finds the address of a symbol in .symtab. Sets *found to false if the file has no symbol with
 * this name. Returns PPROFC_OK, or PPROFC_E_NOMEM. */
pprofc_status elf_symbol(const struct elf_file *file, const char *name, bool *found,
                         uint64_t *address, pprofc_error *error);

struct elf_section {
  uint32_t name; /* offset of the name in the section of names */
  uint32_t type, link;
  uint64_t flags, address, offset, size, align;
};

/* Reads the header of a section. Returns false if the file has no such section. */
bool elf_section_at(const struct elf_file *file, uint64_t index, struct elf_section *section);

/* Finds the first section of a type such as SHT_SYMTAB, and the section that it links to. */
bool elf_section_of(const struct elf_file *file, uint32_t type, struct elf_section *section,
                    struct elf_section *linked);

/* Finds a section by its name, such as ".text". */
bool elf_section(const struct elf_file *file, const char *name, struct elf_section *section);

/* Addresses of a section in memory: [from, to). */
struct elf_range {
  uint64_t from, to;
};

/* Returns the ranges of all sections, sorted and without overlaps. If the file has no sections,
 * returns the ranges of the segments. *count is 0 if the file has neither sections nor segments, or
 * is an object that is not linked. */
pprofc_status elf_ranges(const struct elf_file *file, struct arena *arena,
                         struct elf_range **ranges, size_t *count, pprofc_error *error);
bool elf_in_range(const struct elf_range *ranges, size_t count, uint64_t address);

#endif
