/* Tests ELF files that the test creates byte by byte: opening them, build ids, and base addresses
 * for each type of file. */
#include "failing.h"
#include "unit.h"

#include "symbolize/object.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/pprofc_elf_XXXXXX";

__attribute__((constructor)) static void folder_make(void) {
  if (!mkdtemp(folder)) exit(2);
}

__attribute__((destructor)) static void folder_remove(void) {
  char file[96];
  snprintf(file, sizeof file, "%s/file", folder);
  unlink(file);
  rmdir(folder);
}
static char path[64];
static pprofc_error error;

/* ---- writing ELF files ------------------------------- */

struct image {
  unsigned char bytes[8192];
  size_t size;
};

static void put(struct image *image, size_t at, const void *data, size_t size) {
  if (size) memcpy(image->bytes + at, data, size);
  if (at + size > image->size) image->size = at + size;
}

/* Creates a 64-bit little-endian file. The given program headers follow the ELF header. */
static void make_elf(struct image *image, uint16_t type, const Elf64_Phdr *segments, size_t count) {
  memset(image, 0, sizeof *image);
  Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, 1},
                       .e_type = type,
                       .e_phoff = sizeof header,
                       .e_phentsize = sizeof *segments,
                       .e_phnum = (Elf64_Half)count};
  put(image, 0, &header, sizeof header);
  put(image, sizeof header, segments, count * sizeof *segments);
}

static void save(const struct image *image) {
  snprintf(path, sizeof path, "%s/file", folder);
  FILE *file = fopen(path, "wb");
  if (image->size) fwrite(image->bytes, 1, image->size, file);
  fclose(file);
}

static Elf64_Phdr load(uint32_t flags, uint64_t offset, uint64_t vaddr, uint64_t file_size,
                       uint64_t memory_size) {
  return (Elf64_Phdr){.p_type = PT_LOAD,
                      .p_flags = flags,
                      .p_offset = offset,
                      .p_vaddr = vaddr,
                      .p_filesz = file_size,
                      .p_memsz = memory_size,
                      .p_align = 4096};
}

/* ---- opening ----------------------------------------- */

static void check_fails(const char *expected) {
  struct elf_file file;
  CU_ASSERT_NOT_EQUAL(elf_open(&file, path, &mem_default, &error), PPROFC_OK);
  CU_ASSERT(strncmp(error.message, expected, strlen(expected)) == 0);
  CU_ASSERT_FALSE(elf_is_object(path, &mem_default));
}

TEST(test_what_is_no_object_is_refused) {
  struct image image = {.size = 0};
  snprintf(path, sizeof path, "%s/none", folder);
  check_fails("stat ");
  CU_ASSERT(strstr(error.message, ": no such file or directory") != NULL);
  save(&image);
  check_fails("error reading magic number from ");
  put(&image, 0, "#!/bin/sh\n", 10);
  save(&image);
  check_fails("unrecognized binary format: ");
  put(&image, 0, "\177ELF\2\1", 6);
  save(&image);
  check_fails("error reading ELF file ");
  snprintf(path, sizeof path, "%s", folder);
  check_fails(folder);
  snprintf(path, sizeof path, "/dev/zero");
  check_fails("/dev/zero: not a regular file");
}

TEST(test_headers_that_lie_are_refused) {
  struct image image;
  Elf64_Phdr segment = load(PF_X, 0, 0, 100, 100);
  make_elf(&image, ET_DYN, &segment, 1);
  uint16_t many = 0xFFFF;
  put(&image, offsetof(Elf64_Ehdr, e_phnum), &many, 2);
  save(&image);
  check_fails("error reading ELF file ");
  make_elf(&image, ET_DYN, &segment, 1);
  uint64_t far = UINT64_MAX - 10;
  put(&image, offsetof(Elf64_Ehdr, e_phoff), &far, 8);
  save(&image);
  check_fails("error reading ELF file ");
}

/* ---- build ids --------------------------------------- */

static void add_note(struct image *image, size_t at, uint32_t type, const char *name,
                     const void *desc, uint32_t size) {
  uint32_t head[3] = {4, size, type};
  put(image, at, head, 12);
  put(image, at + 12, name, 4);
  put(image, at + 16, desc, size);
}

static void check_build_id(const struct image *image, const char *expected) {
  struct elf_file file;
  save(image);
  CU_ASSERT_EQUAL_FATAL(elf_open(&file, path, &mem_default, &error), PPROFC_OK);
  CU_ASSERT_STRING_EQUAL(file.build_id, expected);
  elf_close(&file);
}

TEST(test_the_build_id_is_the_gnu_note) {
  struct image image;
  Elf64_Phdr notes[2] = {{.p_type = PT_NOTE, .p_offset = 0x400, .p_filesz = 56, .p_align = 8},
                         {.p_type = PT_NOTE, .p_offset = 0x500, .p_filesz = 20, .p_align = 4}};
  make_elf(&image, ET_DYN, notes, 2);
  check_build_id(&image, "");
  add_note(&image, 0x400, NT_GNU_BUILD_ID, "Go\0", "\1\2\3\4", 4); /* ignored: a note of another
                                                                      vendor */
  add_note(&image, 0x418, NT_GNU_PROPERTY_TYPE_0, "GNU", "\1\2\3\4\5\6\7\10", 8);
  add_note(&image, 0x500, NT_GNU_BUILD_ID, "GNU", "\xab\xcd\0\1", 4);
  check_build_id(&image, "abcd0001");
  add_note(&image, 0x430, NT_GNU_BUILD_ID, "GNU", "\x01\x02", 2); /* the note in the first segment
                                                                     has priority */
  notes[0].p_filesz = 72;
  put(&image, sizeof(Elf64_Ehdr), notes, sizeof notes);
  check_build_id(&image, "0102");
  add_note(&image, 0x400, NT_GNU_BUILD_ID, "GNU", "\1\2\3\4", 4); /* with two notes there is no
                                                                     build id */
  check_build_id(&image, "");
}

TEST(test_notes_that_run_out_of_their_segment_are_ignored) {
  struct image image;
  Elf64_Phdr note = {.p_type = PT_NOTE, .p_offset = 0x400, .p_filesz = 24, .p_align = 4};
  make_elf(&image, ET_DYN, &note, 1);
  add_note(&image, 0x400, NT_GNU_BUILD_ID, "GNU", "\1\2\3\4\5\6\7\10", 8);
  uint32_t huge = UINT32_MAX;
  put(&image, 0x404, &huge, 4);
  check_build_id(&image, "");
  put(&image, 0x400, &huge, 4);
  check_build_id(&image, "");
}

/* ---- base addresses ---------------------------------- */

static pprofc_status open_file(struct faults *faults, const pprofc_allocator *mem) {
  struct elf_file file;
  failing_arm(faults);
  pprofc_status status = elf_open(&file, path, mem, &error);
  if (status == PPROFC_OK) elf_close(&file);
  return status;
}

TEST(test_every_failing_allocation_is_reported) {
  struct image image;
  Elf64_Phdr notes = load(0, 0x400, 0, 0x14, 0x14);
  notes.p_type = PT_NOTE;
  make_elf(&image, ET_DYN, &notes, 1);
  add_note(&image, 0x400, NT_GNU_BUILD_ID, "GNU", "\1\2\3\4", 4);
  save(&image);
  CU_ASSERT_EQUAL(failing_each(open_file), 3); /* three allocations: headers, segments and notes */
}

/* Returns the base address of a mapping, for an address in it. Returns UINT64_MAX - 1 after an
 * error. */
static uint64_t base_of(const struct image *image, uint64_t start, uint64_t limit, uint64_t offset,
                        uint64_t address) {
  struct elf_file file;
  struct mapped_range range = {start, limit, offset, {"", 0}};
  uint64_t base = 0;
  save(image);
  CU_ASSERT_EQUAL_FATAL(elf_open(&file, path, &mem_default, &error), PPROFC_OK);
  pprofc_status status = base_address(&file, &range, address, &base, &error);
  elf_close(&file);
  return status == PPROFC_OK ? base : UINT64_MAX - 1;
}

static uint64_t base_in(const struct image *image, uint64_t start, uint64_t limit,
                        uint64_t offset) {
  return base_of(image, start, limit, offset, start);
}

TEST(test_a_fixed_executable_has_no_base) {
  struct image image;
  Elf64_Phdr segments[] = {load(PF_R, 0, 0x400000, 0x600, 0x600),
                           load(PF_R | PF_X, 0x1000, 0x401000, 0x800, 0x800)};
  make_elf(&image, ET_EXEC, segments, 2);
  CU_ASSERT_EQUAL(base_in(&image, 0x401000, 0x402000, 0x1000), 0);
  CU_ASSERT_EQUAL(base_in(&image, 0x400000, 0x402000, 0), 0);
  CU_ASSERT_EQUAL(base_in(&image, 0, UINT64_MAX, 0), 0); /* these values mean "no mapping" */
  CU_ASSERT_EQUAL(base_in(&image, 0, 0, 0), 0);
}

TEST(test_a_position_independent_file_starts_where_it_is_mapped) {
  struct image image;
  Elf64_Phdr segments[] = {load(PF_R, 0, 0, 0x6e0, 0x6e0),
                           load(PF_R | PF_X, 0x1000, 0x1000, 0x635, 0x635),
                           load(PF_R | PF_W, 0x2db0, 0x3db0, 0x280, 0x462b0)};
  make_elf(&image, ET_DYN, segments, 3);
  CU_ASSERT_EQUAL(base_in(&image, 0x555555555000, 0x555555556000, 0x1000), 0x555555554000);
  CU_ASSERT_EQUAL(base_of(&image, 0x555555557000, 0x555555558000, 0x2000, 0x555555557e00),
                  0x555555554000);
}

TEST(test_the_segments_own_offset_counts) {
  struct image image;
  Elf64_Phdr segment = load(PF_R | PF_X, 0x1040, 0x203040, 0x2000, 0x2000);
  make_elf(&image, ET_DYN, &segment, 1);
  /* The address 0x7f0000001000 is mapped from file offset 0x1000, which has the address 0x203000 in
   * the file. */
  CU_ASSERT_EQUAL(base_in(&image, 0x7f0000001000, 0x7f0000003000, 0x1000), 0x7effffdfe000);
}

/* perf prints offsets in the file. Its reader makes such a mapping begin at that offset. lld and Go
 * place segments at addresses that differ from their offsets. */
TEST(test_addresses_that_are_offsets_in_the_file) {
  struct image image;
  Elf64_Phdr lld[] = {load(PF_R, 0, 0, 0x650, 0x650),
                      load(PF_R | PF_X, 0x1650, 0x3650, 0x800, 0x800)};
  make_elf(&image, ET_DYN, lld, 2);
  CU_ASSERT_EQUAL(base_of(&image, 0x1000, 0x2000, 0x1000, 0x1700), (uint64_t)-0x2000);
  Elf64_Phdr go = load(PF_R | PF_X, 0, 0x400000, 0x2000, 0x2000);
  make_elf(&image, ET_EXEC, &go, 1);
  CU_ASSERT_EQUAL(base_of(&image, 0, 0x2000, 0, 0x700), (uint64_t)-0x400000);
}

TEST(test_of_two_segments_on_one_page_the_address_decides) {
  struct image image;
  Elf64_Phdr segments[] = {load(PF_R, 0, 0, 0x800, 0x800),
                           load(PF_R | PF_X, 0x800, 0x1800, 0x500, 0x500)};
  make_elf(&image, ET_DYN, segments, 2);
  CU_ASSERT_EQUAL(base_of(&image, 0x10000, 0x11000, 0, 0x10100), 0x10000);
  CU_ASSERT_EQUAL(base_of(&image, 0x10000, 0x11000, 0, 0x10900), 0x10000 - 0x1000);
  CU_ASSERT_EQUAL(base_of(&image, 0x10000, 0x11000, 0, 0x10e00), UINT64_MAX - 1);
}

TEST(test_a_mapping_beside_every_segment_is_an_error) {
  struct image image;
  Elf64_Phdr segment = load(PF_R | PF_X, 0x1000, 0x1000, 0x500, 0x500);
  make_elf(&image, ET_DYN, &segment, 1);
  CU_ASSERT_EQUAL(base_in(&image, 0x10000, 0x11000, 0x8000), UINT64_MAX - 1);
}

TEST(test_files_without_segments_start_at_their_offset) {
  struct image image;
  make_elf(&image, ET_DYN, NULL, 0);
  CU_ASSERT_EQUAL(base_in(&image, 0x20000, 0x30000, 0x1000), 0x1f000);
  make_elf(&image, ET_REL, NULL, 0);
  CU_ASSERT_EQUAL(base_in(&image, 0x20000, 0x30000, 0), 0x20000);
  CU_ASSERT_EQUAL(base_in(&image, 0x20000, 0x30000, 0x1000), UINT64_MAX - 1);
  make_elf(&image, ET_CORE, NULL, 0);
  CU_ASSERT_EQUAL(base_in(&image, 0x20000, 0x30000, 0), UINT64_MAX - 1);
}

/* ---- kernels ----------------------------------------- */

/* Creates a kernel with .text in its only segment, and _stext in its symbol table. */
static void make_kernel(struct image *image, uint64_t vaddr, uint64_t stext) {
  Elf64_Phdr segment = load(PF_R | PF_X, 0x1000, vaddr, 0x100000, 0x100000);
  make_elf(image, ET_EXEC, &segment, 1);
  static const char names[] = "\0.text\0_stext";
  Elf64_Sym symbols[2] = {{0}, {.st_name = 7, .st_value = stext}};
  Elf64_Shdr sections[4] = {
      {0},
      {.sh_name = 1,
       .sh_type = SHT_PROGBITS,
       .sh_addr = vaddr,
       .sh_offset = 0x1000,
       .sh_size = 0x1000},
      {.sh_type = SHT_SYMTAB, .sh_offset = 0x600, .sh_size = sizeof symbols, .sh_link = 3},
      {.sh_type = SHT_STRTAB, .sh_offset = 0x700, .sh_size = sizeof names}};
  put(image, 0x600, symbols, sizeof symbols);
  put(image, 0x700, names, sizeof names);
  put(image, 0x800, sections, sizeof sections);
  Elf64_Ehdr header;
  memcpy(&header, image->bytes, sizeof header);
  header.e_shoff = 0x800;
  header.e_shentsize = sizeof *sections;
  header.e_shnum = 4;
  header.e_shstrndx = 3;
  put(image, 0, &header, sizeof header);
}

TEST(test_kernels_start_at_their_relocation_symbol) {
  struct image image;
  make_kernel(&image, 0xffffffff80200000, 0xffffffff80200198);
  /* The kernel is at its linked address, so the offset is the base. */
  CU_ASSERT_EQUAL(base_in(&image, 0xffffffff80200000, 0xffffffff90000000, 0), 0);
  /* The kernel was moved. The mapping starts at a page boundary, so the segment gives the base. */
  CU_ASSERT_EQUAL(base_in(&image, 0xffffffff83200000, 0xffffffff84200000, 0), 0x3000000);
  /* The kernel was moved. The mapping starts at the new address of the symbol. */
  CU_ASSERT_EQUAL(base_in(&image, 0xffffffff83200198, 0xffffffff84200000, 0), 0x3000000);
  /* The kernel is at address 0, as in ChromeOS. */
  CU_ASSERT_EQUAL(base_in(&image, 0, 0x10000001, 0), (uint64_t)0 - 0xffffffff80200198);
  CU_ASSERT_EQUAL(base_in(&image, 0x198, 0x2f9fffff, 0), 0x198 - 0xffffffff80200198);
}

/* Finds the base address of a kernel, which requires the symbols of the file. */
static pprofc_status find_kernel_base(struct faults *faults, const pprofc_allocator *mem) {
  struct elf_file file;
  struct mapped_range range = {0x198, 0x2f9fffff, 0, {"", 0}};
  uint64_t base = 0;
  CU_ASSERT_EQUAL_FATAL(elf_open(&file, path, mem, &error), PPROFC_OK);
  failing_arm(faults);
  pprofc_status status = base_address(&file, &range, 0x198, &base, &error);
  if (status == PPROFC_OK) CU_ASSERT_EQUAL(base, 0x198 - 0xffffffff80200198);
  elf_close(&file);
  return status;
}

TEST(test_a_symbol_table_without_memory_is_an_error) {
  struct image image;
  make_kernel(&image, 0xffffffff80200000, 0xffffffff80200198);
  save(&image);
  CU_ASSERT_EQUAL(failing_each(find_kernel_base), 1);
}
