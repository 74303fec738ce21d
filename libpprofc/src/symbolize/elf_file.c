/* Reads the parts of an ELF file that symbolization needs. */
#include "symbolize/elf_file.h"
#include "symbolize/code.h"
#include "symbolize/elf_format.h"

#define MAX_SEGMENTS  4096u
#define MAX_NOTE_SIZE ((uint64_t)1 << 20)
#define MAX_TABLE     ((uint64_t)512 << 20)

/* ---- bytes ------------------------------------------- */

/* Reads bytes at an offset. Returns false if the file has too few bytes there. */
static bool elf_read(const struct elf_file *f, uint64_t offset, void *out, size_t size) {
  if (offset > f->size || size > f->size - offset) return false;
  uint8_t *p = out;
  if (f->bytes) memcpy(p, f->bytes + offset, size);
  while (size && !f->bytes) {
    ssize_t got = pread(f->fd, p, size, (off_t)offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    p += got;
    offset += (uint64_t)got;
    size -= (size_t)got;
  }
  return true;
}

static uint64_t number(const struct elf_file *f, const uint8_t *p, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) value = value << 8 | p[f->big_endian ? i : size - 1 - i];
  return value;
}

/* Offset and size of a header field, in bytes, for 32-bit and for 64-bit files. */
struct elf_file_place {
  uint8_t at32, size32, at64, size64;
};

static uint64_t get(const struct elf_file *f, const uint8_t *header, struct elf_file_place place) {
  return f->is64 ? number(f, header + place.at64, place.size64)
                 : number(f, header + place.at32, place.size32);
}

static const struct elf_file_place e_phoff = {28, 4, 32, 8}, e_shoff = {32, 4, 40, 8},
                                   e_phentsize = {42, 2, 54, 2}, e_phnum = {44, 2, 56, 2},
                                   e_shentsize = {46, 2, 58, 2}, e_shnum = {48, 2, 60, 2},
                                   e_shstrndx = {50, 2, 62, 2};
static const struct elf_file_place p_type = {0, 4, 0, 4}, p_flags = {24, 4, 4, 4},
                                   p_offset = {4, 4, 8, 8}, p_vaddr = {8, 4, 16, 8},
                                   p_filesz = {16, 4, 32, 8}, p_memsz = {20, 4, 40, 8},
                                   p_align = {28, 4, 48, 8};
static const struct elf_file_place sh_name = {0, 4, 0, 4}, sh_type = {4, 4, 4, 4},
                                   sh_flags = {8, 4, 8, 8}, sh_addr = {12, 4, 16, 8},
                                   sh_offset = {16, 4, 24, 8}, sh_size = {20, 4, 32, 8},
                                   sh_link = {24, 4, 40, 4}, sh_addralign = {32, 4, 48, 8};
static const struct elf_file_place st_name = {0, 4, 0, 4}, st_value = {4, 4, 8, 8};

/* ---- sections ---------------------------------------- */

bool elf_section_at(const struct elf_file *f, uint64_t index, struct elf_section *section) {
  uint8_t header[64];
  size_t size = f->is64 ? 64 : 40;
  if (index >= f->section_count || f->section_size < size ||
      !elf_read(f, f->section_offset + index * f->section_size, header, size))
    return false;
  *section = (struct elf_section){
      .name = (uint32_t)get(f, header, sh_name),
      .type = (uint32_t)get(f, header, sh_type),
      .link = (uint32_t)get(f, header, sh_link),
      .flags = get(f, header, sh_flags),
      .address = get(f, header, sh_addr),
      .offset = get(f, header, sh_offset),
      .size = get(f, header, sh_size),
      .align = get(f, header, sh_addralign),
  };
  return true;
}

bool elf_section_of(const struct elf_file *f, uint32_t type, struct elf_section *section,
                    struct elf_section *linked) {
  for (uint32_t i = 0; elf_section_at(f, i, section); i++)
    if (section->type == type) return elf_section_at(f, section->link, linked);
  return false;
}

/* True if the NUL-terminated name in a string section equals `name`. */
static bool name_is(const struct elf_file *f, const struct elf_section *strings,
                    uint64_t name_offset, const char *name) {
  char text[64];
  size_t size = strlen(name) + 1;
  if (size > sizeof text || name_offset + size > strings->size) return false;
  return elf_read(f, strings->offset + name_offset, text, size) && memcmp(text, name, size) == 0;
}

bool elf_section(const struct elf_file *f, const char *name, struct elf_section *section) {
  struct elf_section strings;
  if (!elf_section_at(f, f->section_names, &strings)) return false;
  for (uint32_t i = 0; elf_section_at(f, i, section); i++)
    if (name_is(f, &strings, section->name, name)) return true;
  return false;
}

static bool find_symbol(const struct elf_file *f, const uint8_t *table, uint64_t size,
                        const struct elf_section *strings, const char *name, uint64_t *address) {
  size_t entry = f->is64 ? 24 : 16;
  for (const uint8_t *symbol = table; size >= entry; symbol += entry, size -= entry) {
    if (!name_is(f, strings, get(f, symbol, st_name), name)) continue;
    *address = get(f, symbol, st_value);
    return true;
  }
  return false;
}

pprofc_status elf_symbol(const struct elf_file *f, const char *name, bool *found, uint64_t *address,
                         pprofc_error *error) {
  struct elf_section section, strings;
  *found = false;
  if (!elf_section_of(f, SHT_SYMTAB, &section, &strings) || section.size > MAX_TABLE)
    return PPROFC_OK;
  size_t size = (size_t)section.size;
  uint8_t *table = mem_array(f->mem, size, 1);
  if (!table) return error_nomem(error);
  *found = elf_read(f, section.offset, table, size) &&
           find_symbol(f, table, size, &strings, name, address);
  mem_free(f->mem, table, size, 1);
  return PPROFC_OK;
}

/* ---- ranges of addresses ----------------------------- */

static int range_order(const void *a, const void *b) {
  const struct elf_range *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

static void elf_file_add_range(struct elf_range *ranges, size_t *count, uint64_t from,
                               uint64_t size) {
  uint64_t to;
  if (__builtin_add_overflow(from, size, &to)) to = UINT64_MAX;
  if (size) ranges[(*count)++] = (struct elf_range){from, to};
}

/* Sorts the ranges and joins ranges that overlap or touch. Returns the new number of ranges. */
static size_t join_ranges(struct elf_range *ranges, size_t count) {
  if (!count) return 0;
  qsort(ranges, count, sizeof *ranges, range_order);
  size_t last = 0;
  for (size_t i = 1; i < count; i++) {
    if (ranges[i].from > ranges[last].to)
      ranges[++last] = ranges[i];
    else if (ranges[i].to > ranges[last].to)
      ranges[last].to = ranges[i].to;
  }
  return last + 1;
}

pprofc_status elf_ranges(const struct elf_file *f, struct arena *arena, struct elf_range **ranges,
                         size_t *count, pprofc_error *error) {
  struct elf_section section;
  *count = 0;
  *ranges = arena_array(arena, f->section_count + f->segment_count, sizeof **ranges);
  if (!*ranges) return error_nomem(error);
  if (f->type == ET_REL) return PPROFC_OK;
  for (uint32_t i = 0; elf_section_at(f, i, &section); i++)
    if (section.flags & SHF_ALLOC)
      elf_file_add_range(*ranges, count, section.address, section.size);
  for (size_t i = 0; !f->section_count && i < f->segment_count; i++)
    if (f->segments[i].loadable)
      elf_file_add_range(*ranges, count, f->segments[i].vaddr, f->segments[i].memory_size);
  *count = join_ranges(*ranges, *count);
  return PPROFC_OK;
}

bool elf_in_range(const struct elf_range *ranges, size_t count, uint64_t address) {
  BISECT(at, count, ranges[at].to <= address);
  return at < count && ranges[at].from <= address;
}

/* ---- notes: the build id ----------------------------- */

/* Build ids that were found in one segment or section of notes. */
struct notes {
  char id[129]; /* last build id that was read, in hexadecimal */
  unsigned found;
};

static void note_id(struct notes *notes, const uint8_t *data, size_t size) {
  notes->found++;
  notes->id[0] = '\0';
  if (size > 64) return;
  for (size_t i = 0; i < size; i++) {
    notes->id[2 * i] = "0123456789abcdef"[data[i] >> 4];
    notes->id[2 * i + 1] = "0123456789abcdef"[data[i] & 15];
  }
  notes->id[2 * size] = '\0';
}

static void read_notes(const struct elf_file *f, const uint8_t *data, size_t size,
                       uint64_t alignment, struct notes *notes) {
  uint64_t mask = alignment == 8 ? 7 : 3;
  for (size_t at = 0; size - at >= 12;) {
    uint64_t name_size = number(f, data + at, 4), desc_size = number(f, data + at + 4, 4);
    uint64_t type = number(f, data + at + 8, 4);
    uint64_t desc = at + ((12 + name_size + mask) & ~mask);
    uint64_t next = desc + ((desc_size + mask) & ~mask);
    if (desc > size || desc_size > size - desc) break;
    if (type == NT_GNU_BUILD_ID && name_size == 4 && memcmp(data + at + 12, "GNU", 4) == 0)
      note_id(notes, data + desc, (size_t)desc_size);
    if (next > size) break;
    at = (size_t)next;
  }
}

/* Reads the notes at `offset`. If they contain exactly one build id, stores it in f->build_id.
 * Returns true if the notes contain any build id. */
static bool scan_notes(struct elf_file *f, uint64_t offset, uint64_t size, uint64_t alignment) {
  struct notes notes = {"", 0};
  if (size > MAX_NOTE_SIZE) return false;
  uint8_t *data = mem_array(f->mem, (size_t)size, 1);
  f->out_of_memory |= !data;
  if (data && elf_read(f, offset, data, (size_t)size))
    read_notes(f, data, (size_t)size, alignment, &notes);
  mem_free(f->mem, data, (size_t)size, 1);
  if (notes.found == 1) memcpy(f->build_id, notes.id, sizeof notes.id);
  return notes.found > 0;
}

static void find_build_id(struct elf_file *f, const uint8_t *program_headers, size_t entry) {
  for (size_t i = 0; i < f->segment_count; i++) {
    const uint8_t *header = program_headers + i * entry;
    if (get(f, header, p_type) == PT_NOTE &&
        scan_notes(f, get(f, header, p_offset), get(f, header, p_filesz), get(f, header, p_align)))
      return;
  }
  struct elf_section section;
  for (uint32_t i = 0; elf_section_at(f, i, &section); i++)
    if (section.type == SHT_NOTE && scan_notes(f, section.offset, section.size, section.align))
      return;
}

/* ---- opening ----------------------------------------- */

static pprofc_status corrupt(const struct elf_file *f, pprofc_error *error) {
  return error_set(error, PPROFC_E_FORMAT, "error reading ELF file %s: truncated or corrupt header",
                   f->path);
}

static void fill_segments(struct elf_file *f, const uint8_t *table, size_t entry) {
  for (size_t i = 0; i < f->segment_count; i++) {
    const uint8_t *p = table + i * entry;
    f->segments[i] = (struct elf_segment){
        .offset = get(f, p, p_offset),
        .file_size = get(f, p, p_filesz),
        .vaddr = get(f, p, p_vaddr),
        .memory_size = get(f, p, p_memsz),
        .align = get(f, p, p_align),
        .executable = get(f, p, p_flags) & PF_X,
        .loadable = get(f, p, p_type) == PT_LOAD,
    };
  }
}

/* Reads `count` program headers of `entry` bytes into `table`, and parses them. */
static pprofc_status read_program_headers(struct elf_file *f, uint64_t offset, uint8_t *table,
                                          size_t count, size_t entry, pprofc_error *error) {
  f->segments = mem_zero_array(f->mem, count, sizeof *f->segments);
  f->segment_count = f->segments ? count : 0;
  if (!table || !f->segments) return error_nomem(error);
  if (!elf_read(f, offset, table, count * entry)) return corrupt(f, error);
  fill_segments(f, table, entry);
  find_build_id(f, table, entry);
  return f->out_of_memory ? error_nomem(error) : PPROFC_OK;
}

static pprofc_status read_segments(struct elf_file *f, const uint8_t *header, pprofc_error *error) {
  size_t count = (size_t)get(f, header, e_phnum), entry = (size_t)get(f, header, e_phentsize);
  if (count == 0) {
    find_build_id(f, NULL, 0);
    return f->out_of_memory ? error_nomem(error) : PPROFC_OK;
  }
  if (count > MAX_SEGMENTS || entry < (f->is64 ? 56u : 32u)) return corrupt(f, error);
  uint8_t *table = mem_array(f->mem, count, entry);
  pprofc_status status =
      read_program_headers(f, get(f, header, e_phoff), table, count, entry, error);
  mem_free(f->mem, table, count, entry);
  return status;
}

static pprofc_status read_headers(struct elf_file *f, pprofc_error *error) {
  uint8_t header[64] = {0};
  size_t head = f->size < sizeof header ? (size_t)f->size : sizeof header;
  if (head < 4 || !elf_read(f, 0, header, head))
    return error_set(error, PPROFC_E_FORMAT, "error reading magic number from %s: EOF", f->path);
  if (memcmp(header, ELFMAG, 4) != 0)
    return error_set(error, PPROFC_E_FORMAT, "unrecognized binary format: %s", f->path);
  f->is64 = header[EI_CLASS] == ELFCLASS64;
  f->big_endian = header[EI_DATA] == ELFDATA2MSB;
  if (head < (f->is64 ? 64u : 52u)) return corrupt(f, error);
  f->type = (uint16_t)number(f, header + 16, 2);
  f->machine = (uint16_t)number(f, header + 18, 2);
  f->section_offset = get(f, header, e_shoff);
  f->section_size = (uint16_t)get(f, header, e_shentsize);
  f->section_count = (uint16_t)get(f, header, e_shnum);
  f->section_names = (uint16_t)get(f, header, e_shstrndx);
  return read_segments(f, header, error);
}

pprofc_status elf_open(struct elf_file *file, const char *path, const pprofc_allocator *mem,
                       pprofc_error *error) {
  *file = (struct elf_file){.mem = mem, .path = path, .fd = -1};
  struct stat info;
  /* Call stat first, because opening a device may have side effects. */
  if (stat(path, &info) != 0)
    return error_set(error, PPROFC_E_IO, "stat %s: %s", path, ERRNO_TEXT(errno));
  if (!S_ISREG(info.st_mode))
    return error_set(error, PPROFC_E_FORMAT, "%s: not a regular file", path);
  file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file->fd < 0 || fstat(file->fd, &info) != 0) {
    pprofc_status status = error_set(error, PPROFC_E_IO, "error opening %s: open %s: %s", path,
                                     path, ERRNO_TEXT(errno));
    elf_close(file);
    return status;
  }
  file->size = S_ISREG(info.st_mode) && info.st_size > 0 ? (uint64_t)info.st_size : 0;
  pprofc_status status = read_headers(file, error);
  if (status != PPROFC_OK) elf_close(file);
  return status;
}

pprofc_status elf_open_bytes(struct elf_file *file, const char *path, pprofc_str bytes,
                             const pprofc_allocator *mem, pprofc_error *error) {
  *file = (struct elf_file){.mem = mem, .path = path, .fd = -1, .size = bytes.size};
  file->bytes = (const uint8_t *)bytes.data;
  pprofc_status status = read_headers(file, error);
  if (status != PPROFC_OK) elf_close(file);
  return status;
}

void elf_close(struct elf_file *file) {
  if (file->fd >= 0) close(file->fd);
  mem_free(file->mem, file->segments, file->segment_count, sizeof *file->segments);
  file->fd = -1;
  file->segments = NULL;
  file->segment_count = 0;
}

bool elf_is_object(const char *path, const pprofc_allocator *mem) {
  struct elf_file file;
  if (elf_open(&file, path, mem, NULL) != PPROFC_OK) return false;
  elf_close(&file);
  return true;
}

/* ---- builds ----------------------------------------- */

#define SECTION_MOST ((uint64_t)16 << 20) /* maximum size of a section that is read, in bytes */
#define ITEMS_MOST   200                  /* maximum number of lines that built_add collects */
#define GO_HEADER    32 /* size in bytes of the header of Go's build information */
#define GO_MARK      16 /* size in bytes of the marks before and after Go's list of modules */
#define DYNAMIC_SIZE 16 /* size in bytes of an entry of .dynamic in a 64-bit file */
#define DT_NEEDED    1

/* Reads a section into `text`. `text` becomes empty if the file has no such section or if the
 * section is too large. */
static void built_section(const struct elf_file *f, const char *name, struct buffer *text) {
  struct elf_section section;
  buffer_clear(text);
  if (!elf_section(f, name, &section) || section.size > SECTION_MOST) return;
  size_t size = (size_t)section.size;
  if (buffer_reserve(text, size) && elf_read(f, section.offset, text->data, size))
    text->size = size;
}

/* Adds a line unless the lines already contain it. */
static void built_add(struct buffer *lines, pprofc_str item) {
  pprofc_str rest = buffer_str(lines), line;
  size_t count = 0;
  while (rest.size && str_next_line(&rest, &line)) {
    if (str_equal(line, item) || ++count == ITEMS_MOST) return;
    if (!rest.data) break;
  }
  if (!item.size) return;
  if (lines->size) buffer_add_char(lines, '\n');
  for (size_t i = 0; i < item.size; i++)
    buffer_add_char(lines, (unsigned char)item.data[i] < ' ' ? ' ' : item.data[i]);
}

/* Adds the NUL-terminated strings of a section that begin with `start`. */
static void built_add_texts(struct buffer *lines, pprofc_str section, pprofc_str start) {
  pprofc_str text;
  while (section.size && str_next(&section, '\0', &text)) {
    if (str_starts(text, start)) built_add(lines, text);
    if (!section.data) break;
  }
}

/* ---- Go ---------------------------------------------- */

/* Removes a string, which begins with its length as a varint, from the start of *rest and returns
 * the string. */
static pprofc_str go_text(pprofc_str *rest) {
  uint64_t size = 0;
  size_t at = 0;
  for (unsigned shift = 0; at < rest->size && shift < 63; shift += 7) {
    unsigned char byte = (unsigned char)rest->data[at++];
    size |= (uint64_t)(byte & 0x7F) << shift;
    if (!(byte & 0x80)) break;
  }
  if (size > rest->size - at) size = 0;
  pprofc_str text = str_slice(*rest, at, at + (size_t)size);
  *rest = str_from(*rest, at + text.size);
  return text;
}

/* Reads a line of Go's list of modules, which has tabs in place of blanks. "build KEY=VALUE" adds a
 * flag. "dep PATH VERSION" and "=> PATH VERSION" add a library. Skips keys of the version control
 * system. */
static void go_line(pprofc_str line, struct buffer *flags, struct buffer *libraries) {
  pprofc_str kind, name, version = STR("");
  char text[512];
  if (!str_next(&line, '\t', &kind) || !line.data || !str_next(&line, '\t', &name)) return;
  if (line.data) str_next(&line, '\t', &version);
  if (str_equal(kind, STR("build")) && !str_starts(name, STR("vcs"))) built_add(flags, name);
  if (!str_equal(kind, STR("dep")) && !str_equal(kind, STR("=>"))) return;
  int size = snprintf(text, sizeof text, "%.*s %.*s", STR_ARG(str_slice(name, 0, 300)),
                      STR_ARG(str_slice(version, 0, 100)));
  if (size > 0) built_add(libraries, (pprofc_str){text, (size_t)size});
}

static void go_read(pprofc_str section, struct buffer *compiler, struct buffer *flags,
                    struct buffer *libraries) {
  pprofc_str line;
  if (section.size < GO_HEADER || !(section.data[15] & 2)) return;
  section = str_from(section, GO_HEADER);
  built_add(compiler, go_text(&section));
  pprofc_str modules = go_text(&section);
  if (modules.size < 2 * GO_MARK) return;
  modules = str_slice(modules, GO_MARK, modules.size - GO_MARK);
  while (modules.size && str_next_line(&modules, &line)) {
    go_line(line, flags, libraries);
    if (!modules.data) break;
  }
}

/* ---- other compilers --------------------------------- */

/* Adds the names of the shared libraries that the dynamic section lists. */
static void built_needed(pprofc_str dynamic, pprofc_str strings, struct buffer *libraries) {
  for (size_t at = 0; at + DYNAMIC_SIZE <= dynamic.size; at += DYNAMIC_SIZE) {
    uint64_t entry[2];
    memcpy(entry, dynamic.data + at, sizeof entry);
    if (entry[0] != DT_NEEDED || entry[1] >= strings.size) continue;
    pprofc_str name = str_from(strings, (size_t)entry[1]);
    built_add(libraries, str_slice(name, 0, str_find_char(name, '\0')));
  }
}

pprofc_status built_read(struct built *built, const char *path, struct arena *arena,
                         pprofc_error *error) {
  struct elf_file file;
  struct buffer texts[5];
  enum { COMPILER, FLAGS, LIBRARIES, SECTION, STRINGS };
  pprofc_status status = elf_open(&file, path, arena->mem, error);
  if (status != PPROFC_OK) return status;
  for (size_t i = 0; i < 5; i++) buffer_init(&texts[i], arena->mem, SIZE_MAX / 2);
  struct buffer *section = &texts[SECTION];
  built_section(&file, ".go.buildinfo", section);
  go_read(buffer_str(section), &texts[COMPILER], &texts[FLAGS], &texts[LIBRARIES]);
  built_section(&file, ".comment", section);
  built_add_texts(&texts[COMPILER], buffer_str(section), STR(""));
  built_section(&file, ".debug_str", section);
  built_add_texts(&texts[FLAGS], buffer_str(section), STR("GNU C"));
  built_section(&file, ".dynstr", &texts[STRINGS]);
  built_section(&file, ".dynamic", section);
  if (file.is64 && !file.big_endian)
    built_needed(buffer_str(section), buffer_str(&texts[STRINGS]), &texts[LIBRARIES]);
  *built = (struct built){buffer_keep(&texts[COMPILER], arena), buffer_keep(&texts[FLAGS], arena),
                          buffer_keep(&texts[LIBRARIES], arena)};
  bool good = built->compiler.data && built->flags.data && built->libraries.data;
  for (size_t i = 0; i < 5; i++) good = good && !texts[i].failed;
  for (size_t i = 0; i < 5; i++) buffer_free(&texts[i]);
  elf_close(&file);
  return good ? PPROFC_OK : error_nomem(error);
}
