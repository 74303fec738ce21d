/* Reads a linked ELF file for a comparison of its machine code. */
#include "symbolize/code_image.h"
#include "core/file.h"
#include "symbolize/elf_file.h"
#include "symbolize/elf_format.h"

#define MAX_FILE ((size_t)1 << 30)

/* ---- reading ----------------------------------------- */

/* Returns the `size` bytes at an offset of the file, or NULL if the file ends before them. */
static const uint8_t *code_file_at(const struct code_image *m, uint64_t offset, uint64_t size) {
  if (offset > m->file.size || size > m->file.size - offset) return NULL;
  return (const uint8_t *)m->file.data + offset;
}

/* Returns the NUL-terminated string at an offset of a string section; "" if the offset is
 * invalid. */
static pprofc_str code_string(const struct code_image *m, const struct elf_section *strings,
                              uint64_t offset) {
  const uint8_t *at = code_file_at(m, strings->offset, strings->size);
  if (!at || offset >= strings->size) return STR("");
  const void *end = memchr(at + offset, 0, (size_t)(strings->size - offset));
  if (!end) return STR("");
  return (pprofc_str){(const char *)at + offset, (size_t)((const uint8_t *)end - (at + offset))};
}

int64_t code_number(const uint8_t *bytes, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | bytes[i];
  if (size && size < 8 && bytes[size - 1] & 0x80) value |= ~(uint64_t)0 << (8 * size);
  return (int64_t)value;
}

/* ---- sections ---------------------------------------- */

/* Compares two addresses. Also compares sections or relocations, which begin with their address. */
static int code_address_order(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Adds the sections that are in memory while the program runs. */
static bool add_sections(struct code_image *m, const struct elf_file *elf) {
  struct elf_section names = {0}, header;
  (void)elf_section_at(elf, elf->section_names, &names);
  m->sections = arena_array(&m->arena, elf->section_count, sizeof *m->sections);
  for (size_t i = 0; m->sections && i < elf->section_count; i++) {
    if (!elf_section_at(elf, i, &header) || !(header.flags & SHF_ALLOC)) continue;
    pprofc_str name = code_string(m, &names, header.name);
    m->go |= str_equal(name, STR(".gopclntab"));
    if (header.flags & SHF_TLS || !header.size) continue;
    struct code_section *section = &m->sections[m->section_count++];
    *section = (struct code_section){.address = header.address,
                                     .size = header.size,
                                     .executable = header.flags & SHF_EXECINSTR,
                                     .numbers = str_equal(name, STR(".noptrdata")),
                                     .made = str_starts(name, STR(".go."))};
    if (header.type != SHT_NOBITS) section->bytes = code_file_at(m, header.offset, header.size);
    if (section->address + section->size < section->address) m->section_count--;
  }
  if (m->section_count)
    qsort(m->sections, m->section_count, sizeof *m->sections, code_address_order);
  return m->sections;
}

const struct code_section *code_section_at(const struct code_image *m, uint64_t address) {
  BISECT(at, m->section_count, m->sections[at].address <= address);
  const struct code_section *section = at ? &m->sections[at - 1] : NULL;
  return section && address - section->address < section->size ? section : NULL;
}

const uint8_t *code_bytes(const struct code_image *m, uint64_t address, uint64_t *size) {
  const struct code_section *section = code_section_at(m, address);
  if (!section || !section->bytes) return NULL;
  *size = section->size - (address - section->address);
  return section->bytes + (address - section->address);
}

/* ---- symbols ----------------------------------------- */

static int code_symbol_order(const void *a, const void *b) {
  const struct code_symbol *x = a, *y = b;
  if (x->address != y->address) return x->address < y->address ? -1 : 1;
  if (x->size != y->size) return x->size > y->size ? -1 : 1; /* larger symbols first */
  return str_compare(x->name, y->name);
}

/* True for a name that does not identify an object. For example, Go's linker gives one name to many
 * objects ("type:*", "go:string.*", "go:func.*"). LLVM numbers constants without a name:
 * "anon.0a1b.12". */
static bool is_collective(const struct code_image *m, pprofc_str name) {
  if (!m->go) return str_starts(name, STR("anon."));
  return str_ends(name, STR(".*")) || str_equal(name, STR("type:*")) ||
         str_equal(name, STR("go:funcdesc"));
}

/* If the symbol marks the start or the end of Go's type descriptors, stores its address. The
 * descriptors end at runtime.etypes or at the strings (go:string.*), whichever comes first. */
static void find_go_types(struct code_image *m, uint64_t address, pprofc_str name) {
  bool ends = str_equal(name, STR("runtime.etypes")) || str_equal(name, STR("go:string.*"));
  if (str_equal(name, STR("runtime.types"))) m->types_from = address;
  if (ends && (!m->types_to || address < m->types_to)) m->types_to = address;
}

pprofc_str code_plain_name(pprofc_str name) {
  size_t end = name.size - str_last_run(name, char_is_digit);
  bool numbered = end < name.size && str_ends(str_slice(name, 0, end), STR(".llvm."));
  return numbered ? str_slice(name, 0, end - STR(".llvm.").size) : name;
}

static void add_symbol(struct code_image *m, const Elf64_Sym *symbol, pprofc_str name) {
  unsigned type = ELF64_ST_TYPE(symbol->st_info);
  bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
  if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE || !name.size) return;
  if (!function && type != STT_OBJECT && !(type == STT_NOTYPE && symbol->st_size)) return;
  find_go_types(m, symbol->st_value, name);
  if (!symbol->st_size || symbol->st_value + symbol->st_size < symbol->st_value) return;
  m->symbols[m->symbol_count++] = (struct code_symbol){.address = symbol->st_value,
                                                       .size = symbol->st_size,
                                                       .name = code_plain_name(name),
                                                       .function = function,
                                                       .collective = is_collective(m, name)};
}

static int code_name_order(const void *a, const void *b) {
  const struct code_symbol *x = a, *y = b;
  int order = str_compare(x->name, y->name);
  return order ? order : code_symbol_order(a, b);
}

static pprofc_status read_symbols(struct code_image *m, const struct elf_file *elf,
                                  pprofc_error *error) {
  struct elf_section table, strings;
  if (!elf_section_of(elf, SHT_SYMTAB, &table, &strings) &&
      !elf_section_of(elf, SHT_DYNSYM, &table, &strings))
    return error_set(error, PPROFC_E_UNSUPPORTED, "the file has no symbols");
  size_t count = (size_t)(table.size / sizeof(Elf64_Sym));
  const uint8_t *at = code_file_at(m, table.offset, count * sizeof(Elf64_Sym));
  if (!at) return error_set(error, PPROFC_E_FORMAT, "the symbols are cut off");
  m->symbols = arena_array(&m->arena, count, sizeof *m->symbols);
  m->functions = arena_array(&m->arena, count, sizeof *m->functions);
  if (!m->symbols || !m->functions) return error_nomem(error);
  for (size_t i = 0; i < count; i++) {
    Elf64_Sym symbol;
    memcpy(&symbol, at + i * sizeof symbol, sizeof symbol);
    add_symbol(m, &symbol, code_string(m, &strings, symbol.st_name));
  }
  for (size_t i = 0; i < m->symbol_count; i++)
    if (m->symbols[i].function) m->functions[m->function_count++] = m->symbols[i];
  if (!m->function_count)
    return error_set(error, PPROFC_E_UNSUPPORTED, "the file has no symbols of functions");
  qsort(m->symbols, m->symbol_count, sizeof *m->symbols, code_symbol_order);
  qsort(m->functions, m->function_count, sizeof *m->functions, code_name_order);
  return PPROFC_OK;
}

const struct code_symbol *code_symbol_at(const struct code_image *m, uint64_t address) {
  BISECT(at, m->symbol_count, m->symbols[at].address <= address);
  /* Symbols may overlap, so check up to 8 symbols that begin at or before the address. If several
   * symbols with the same start contain the address, return the first. */
  for (size_t steps = 0; at && steps < 8; at--, steps++) {
    const struct code_symbol *symbol = &m->symbols[at - 1];
    if (address - symbol->address >= symbol->size) continue;
    while (at > 1 && symbol[-1].address == symbol->address &&
           address - symbol->address < symbol[-1].size)
      symbol--, at--;
    return symbol;
  }
  return NULL;
}

/* ---- relocations ------------------------------------- */

static bool add_relocations(struct code_image *m, const struct elf_file *elf,
                            const struct elf_section *section) {
  struct elf_section table = {0}, strings = {0};
  size_t count = (size_t)(section->size / sizeof(Elf64_Rela));
  const uint8_t *at = code_file_at(m, section->offset, count * sizeof(Elf64_Rela));
  const uint8_t *symbols = NULL;
  if (section->link && elf_section_at(elf, section->link, &table) &&
      elf_section_at(elf, table.link, &strings))
    symbols = code_file_at(m, table.offset, table.size);
  for (size_t i = 0; at && i < count; i++) {
    Elf64_Rela entry;
    Elf64_Sym symbol = {0};
    memcpy(&entry, at + i * sizeof entry, sizeof entry);
    uint64_t index = ELF64_R_SYM(entry.r_info);
    if (index && symbols && index < table.size / sizeof symbol)
      memcpy(&symbol, symbols + index * sizeof symbol, sizeof symbol);
    if (!ARRAY_RESERVE_IN(&m->arena, m->relocations, m->relocation_capacity,
                          m->relocation_count + 1))
      return false;
    struct code_relocation *made = &m->relocations[m->relocation_count++];
    *made = (struct code_relocation){.address = entry.r_offset,
                                     .target = symbol.st_value + (uint64_t)entry.r_addend,
                                     .symbol = STR("")};
    if (index && symbol.st_shndx == SHN_UNDEF)
      made->symbol = code_string(m, &strings, symbol.st_name);
  }
  return true;
}

const struct code_relocation *code_relocation_at(const struct code_image *m, uint64_t address) {
  if (!m->relocation_count) return NULL;
  return bsearch(&address, m->relocations, m->relocation_count, sizeof *m->relocations,
                 code_address_order);
}

/* ---- marks ------------------------------------------- */

static bool add_mark(struct code_image *m, uint64_t address) {
  const struct code_section *section = code_section_at(m, address);
  if (!section || section->executable) return true;
  if (!ARRAY_RESERVE(m->mem, m->marks, m->mark_capacity, m->mark_count + 1)) return false;
  m->marks[m->mark_count++] = address;
  return true;
}

uint64_t code_displacement_target(const struct x86_instruction *i, const uint8_t *bytes,
                                  uint64_t address) {
  uint64_t value = (uint64_t)code_number(bytes + i->displacement, i->displacement_size);
  return i->relative_displacement ? address + i->size + value : value;
}

uint64_t code_immediate_target(const struct x86_instruction *i, const uint8_t *bytes,
                               uint64_t address) {
  uint64_t value = (uint64_t)code_number(bytes + i->immediate, i->immediate_size);
  return i->relative_immediate ? address + i->size + value : value;
}

/* Adds to m->marks the addresses of data to which an instruction refers. */
static bool mark_instruction(struct code_image *m, const struct x86_instruction *i,
                             const uint8_t *bytes, uint64_t address) {
  /* A 4-byte number may be an address, except in Go and in position-independent code. */
  bool absolute = m->fixed && !m->go;
  bool data = i->relative_displacement || (absolute && i->displacement_size == 4);
  if (data && !add_mark(m, code_displacement_target(i, bytes, address))) return false;
  if (!absolute || i->immediate_size < 4 || i->relative_immediate) return true;
  return add_mark(m, code_immediate_target(i, bytes, address));
}

/* Adds to m->marks the addresses of data to which the code of a function refers. */
static bool mark_function(struct code_image *m, const struct code_symbol *function) {
  uint64_t size = 0;
  const uint8_t *bytes = code_bytes(m, function->address, &size);
  struct x86_instruction i;
  if (!bytes) return true;
  if (function->size < size) size = function->size;
  for (uint64_t at = 0; at < size && x86_read(bytes + at, size - at, &i); at += i.size)
    if (!mark_instruction(m, &i, bytes + at, function->address + at)) return false;
  return true;
}

/* Adds to m->marks all words of a data section that may be addresses. */
static bool mark_words(struct code_image *m, const struct code_section *section) {
  if (!section->bytes || section->executable || section->numbers) return true;
  for (uint64_t at = (8 - section->address % 8) % 8; at + 8 <= section->size; at += 8)
    if (!add_mark(m, (uint64_t)code_number(section->bytes + at, 8))) return false;
  return true;
}

/* Adds to m->marks all addresses of data to which the program refers. */
static bool mark_all(struct code_image *m) {
  bool room = true;
  for (size_t i = 0; room && i < m->symbol_count; i++)
    room = m->symbols[i].function ? mark_function(m, &m->symbols[i])
                                  : add_mark(m, m->symbols[i].address);
  for (size_t i = 0; room && i < m->relocation_count; i++)
    room = add_mark(m, m->relocations[i].target);
  for (size_t i = 0; room && m->fixed && i < m->section_count; i++)
    room = mark_words(m, &m->sections[i]);
  return room;
}

static bool add_marks(struct code_image *m) {
  size_t kept = 0;
  if (!mark_all(m)) return false;
  if (!m->mark_count) return true;
  qsort(m->marks, m->mark_count, sizeof *m->marks, code_address_order);
  for (size_t i = 1; i < m->mark_count; i++)
    if (m->marks[i] != m->marks[kept]) m->marks[++kept] = m->marks[i];
  m->mark_count = kept + 1;
  return true;
}

uint64_t code_extent(const struct code_image *m, uint64_t address) {
  const struct code_section *section = code_section_at(m, address);
  if (!section) return 0;
  uint64_t end = section->address + section->size;
  BISECT(at, m->mark_count, m->marks[at] <= address);
  if (at < m->mark_count && m->marks[at] < end) end = m->marks[at];
  return end - address;
}

/* ---- opening ----------------------------------------- */

/* True for a linked program or library for x86-64. */
static bool is_for_x86(const struct elf_file *elf) {
  bool linked = elf->type == ET_EXEC || elf->type == ET_DYN;
  return linked && elf->is64 && !elf->big_endian && elf->machine == EM_X86_64;
}

static bool read_relocations(struct code_image *m, const struct elf_file *elf) {
  struct elf_section header;
  for (size_t i = 0; elf_section_at(elf, i, &header); i++)
    if (header.type == SHT_RELA && header.flags & SHF_ALLOC && !add_relocations(m, elf, &header))
      return false;
  if (m->relocation_count)
    qsort(m->relocations, m->relocation_count, sizeof *m->relocations, code_address_order);
  return true;
}

static pprofc_status code_image_read(struct code_image *m, const struct elf_file *elf,
                                     pprofc_error *error) {
  if (!is_for_x86(elf))
    return error_set(error, PPROFC_E_UNSUPPORTED, "not a linked program for x86-64");
  m->fixed = elf->type == ET_EXEC;
  if (!add_sections(m, elf)) return error_nomem(error);
  pprofc_status status = read_symbols(m, elf, error);
  if (status != PPROFC_OK) return status;
  return read_relocations(m, elf) && add_marks(m) ? PPROFC_OK : error_nomem(error);
}

pprofc_status code_image_open(struct code_image *m, const char *path, const pprofc_allocator *mem,
                              pprofc_error *error) {
  struct elf_file elf;
  *m = (struct code_image){.mem = mem};
  arena_init(&m->arena, mem);
  buffer_init(&m->file, mem, MAX_FILE);
  pprofc_status status = file_read(path, &m->file, error);
  if (status != PPROFC_OK) return status;
  status = elf_open_bytes(&elf, path, buffer_str(&m->file), mem, error);
  if (status == PPROFC_E_FORMAT) return error_set(error, status, "not an ELF file");
  if (status != PPROFC_OK) return status;
  status = code_image_read(m, &elf, error);
  elf_close(&elf);
  return status;
}

void code_image_free(struct code_image *m) {
  if (!m->mem) return;
  mem_free(m->mem, m->marks, m->mark_capacity, sizeof *m->marks);
  buffer_free(&m->file);
  arena_free(&m->arena);
}
