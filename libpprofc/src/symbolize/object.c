/* Opens the binary of a mapping. Reads its symbols from nm, and its instructions from objdump. */
#include "symbolize/object.h"
#include "symbolize/elf_format.h"

/* ---- addresses -------------------------------------- */

#define PAGE        ((uint64_t)4096)
#define KERNEL_FROM ((uint64_t)1 << 63)
#define PPC64_TEXT  0xc000000000000000u

/* ---- segment of a mapping ---------------------------- */

static const struct elf_segment *text_segment(const struct elf_file *f) {
  struct elf_section text;
  if (!elf_section(f, ".text", &text)) return NULL;
  for (size_t i = 0; i < f->segment_count; i++) {
    const struct elf_segment *s = &f->segments[i];
    if (s->loadable && s->executable && text.address >= s->vaddr &&
        text.address - s->vaddr < s->memory_size)
      return s;
  }
  return NULL;
}

/* True if a mapping of the bytes [offset, offset + size) of the file may contain this segment. */
static bool may_show(const struct elf_segment *s, uint64_t offset, uint64_t size) {
  if (!s->loadable || !s->file_size) return false;
  uint64_t segment_end = s->offset + s->memory_size, end = offset + size;
  if (offset >= segment_end || s->offset >= end) return false;
  uint64_t in_page = s->vaddr & (s->align - 1);
  if (offset < (s->offset > in_page ? s->offset - in_page : 0)) return false;
  /* A mapping belongs to another segment if it starts in the last, partial page of this segment
   * and ends at least a page after this segment. */
  return !(offset > s->offset && segment_end < offset + PAGE && end >= segment_end + PAGE);
}

/* Returns the segment that fits a mapping outside of the kernel. If several segments fit, returns
 * the only one that contains `address`. Returns NULL if there is no such segment. */
static const struct elf_segment *user_segment(const struct elf_file *f,
                                              const struct mapped_range *r, uint64_t address) {
  const struct elf_segment *found = NULL;
  uint64_t size = r->limit - r->start, file_offset = address - r->start + r->offset;
  size_t candidates = 0, decided = 0;
  for (size_t i = 0; i < f->segment_count; i++)
    if (may_show(&f->segments[i], r->offset, size)) {
      candidates++;
      found = &f->segments[i];
    }
  if (candidates <= 1) return found;
  for (size_t i = 0; i < f->segment_count; i++) {
    const struct elf_segment *s = &f->segments[i];
    if (!may_show(s, r->offset, size)) continue;
    if (file_offset < s->offset || file_offset - s->offset >= s->memory_size) continue;
    decided++;
    found = s;
  }
  return decided == 1 ? found : NULL;
}

static bool has_loadable(const struct elf_file *f) {
  for (size_t i = 0; i < f->segment_count; i++)
    if (f->segments[i].loadable) return true;
  return false;
}

/* ---- kernels ----------------------------------------- */

/* Arguments for computing the base of a mapping (see base_address). */
struct question {
  const struct elf_file *file;
  const struct mapped_range *range;
  const struct elf_segment *segment; /* segment of the mapping, or NULL */
  bool symbol_known;
  uint64_t symbol; /* address of the kernel symbol (_stext or _text), if symbol_known */
};

static pprofc_status find_kernel_symbol(struct question *q, pprofc_error *error) {
  const struct mapped_range *r = q->range;
  bool aligned = r->start % PAGE == 0 && r->limit % PAGE == 0 && r->offset % PAGE == 0;
  if (!strstr(q->file->path, "vmlinux") && aligned) return PPROFC_OK;
  char name[64] = "_stext";
  if (r->kernel_symbol.size && r->kernel_symbol.size < sizeof name) {
    memcpy(name, r->kernel_symbol.data, r->kernel_symbol.size);
    name[r->kernel_symbol.size] = '\0';
  }
  return elf_symbol(q->file, name, &q->symbol_known, &q->symbol, error);
}

/* True if the range is in the kernel's part of the address space, and its file offset is usual for
 * a kernel. A usual offset is 0, the start of the range, or the start of the kernel text on
 * PowerPC. */
static bool is_kernel_range(const struct mapped_range *r) {
  if (r->start < KERNEL_FROM || r->limit <= r->start) return false;
  return r->offset == 0 || r->offset == PPC64_TEXT || r->offset == r->start;
}

/* Computes the base of a mapping (see base_address) if the mapping has one of the known layouts of
 * kernels. Returns false if no layout fits. */
static bool kernel_base(const struct question *q, uint64_t *base) {
  const struct mapped_range *r = q->range;
  bool same_page = q->symbol_known && q->symbol % PAGE == r->start % PAGE;
  uint64_t from_symbol = r->start - q->symbol;
  if (q->segment->vaddr == r->start - r->offset)
    *base = r->offset;
  else if (r->start == 0 && r->limit != 0 && q->symbol_known)
    *base = from_symbol;
  else if (is_kernel_range(r))
    *base = same_page ? from_symbol : r->start - q->segment->vaddr;
  else if (r->start % PAGE != 0 && same_page)
    *base = from_symbol;
  else
    return false;
  return true;
}

/* ---- executables and shared objects ------------------ */

static uint64_t user_base(const struct question *q) {
  return q->range->start - q->range->offset + q->segment->offset - q->segment->vaddr;
}

static pprofc_status exec_base(const struct question *q, uint64_t *base, pprofc_error *error) {
  const struct mapped_range *r = q->range;
  *base = 0;
  if (!q->segment) return PPROFC_OK;
  if (!q->symbol_known && r->start > 0 && r->start < KERNEL_FROM) {
    *base = user_base(q);
    return PPROFC_OK;
  }
  if (kernel_base(q, base)) return PPROFC_OK;
  if (r->start == 0 && r->limit != 0 && !q->symbol_known) {
    *base = r->start - q->segment->vaddr;
    return PPROFC_OK;
  }
  return error_set(error, PPROFC_E_FORMAT,
                   "don't know how to handle EXEC segment: start=0x%llx limit=0x%llx offset=0x%llx",
                   (unsigned long long)r->start, (unsigned long long)r->limit,
                   (unsigned long long)r->offset);
}

static void dyn_base(const struct question *q, uint64_t *base) {
  if (!q->segment)
    *base = q->range->start - q->range->offset;
  else if (!kernel_base(q, base))
    *base = user_base(q);
}

/* Sets q->segment to the segment of the mapping. Sets q->symbol if the file is a kernel. The
 * segment stays NULL if the file has no loadable segment or no segment with .text. */
static pprofc_status find_segment(struct question *q, uint64_t address, pprofc_error *error) {
  const struct mapped_range *r = q->range;
  pprofc_status status = find_kernel_symbol(q, error);
  if (status != PPROFC_OK) return status;
  if (q->symbol_known || r->start >= r->limit || r->limit >= KERNEL_FROM) {
    q->segment = text_segment(q->file);
    return PPROFC_OK;
  }
  if (!has_loadable(q->file)) return PPROFC_OK;
  q->segment = user_segment(q->file, r, address);
  if (q->segment) return PPROFC_OK;
  return error_set(error, PPROFC_E_FORMAT,
                   "failed to find program header for file \"%s\", mapping 0x%llx-0x%llx",
                   q->file->path, (unsigned long long)r->start, (unsigned long long)r->limit);
}

/* True for a mapping of the whole address space and for an empty mapping at 0. The addresses in
 * such a mapping equal the addresses in the file. */
static bool covers_everything(const struct mapped_range *r) {
  return r->start == 0 && r->offset == 0 && (r->limit == UINT64_MAX || r->limit == 0);
}

pprofc_status base_address(const struct elf_file *f, const struct mapped_range *r, uint64_t address,
                           uint64_t *base, pprofc_error *error) {
  *base = 0;
  if (covers_everything(r)) return PPROFC_OK;
  struct question q = {.file = f, .range = r};
  pprofc_status status = find_segment(&q, address, error);
  if (status != PPROFC_OK) return status;
  switch (f->type) {
  case ET_EXEC:
    return exec_base(&q, base, error);
  case ET_DYN:
    dyn_base(&q, base);
    return PPROFC_OK;
  case ET_REL:
    if (r->offset != 0)
      return error_set(error, PPROFC_E_FORMAT,
                       "cannot use a mapping offset with the relocatable file \"%s\"", f->path);
    *base = r->start;
    return PPROFC_OK;
  default:
    return error_set(error, PPROFC_E_FORMAT, "\"%s\" is neither executable nor shared object",
                     f->path);
  }
}

pprofc_status object_open(struct object *object, const pprofc_profile *profile,
                          const struct mapping *mapping, struct arena *arena, pprofc_error *error) {
  *object = (struct object){.mapping = mapping, .file = {.fd = -1}};
  pprofc_str path = arena_str(arena, profile_string(profile, mapping->file));
  if (!path.data) return error_nomem(error);
  object->path = path.data;
  return elf_open(&object->file, path.data, arena->mem, error);
}

void object_close(struct object *object) {
  if (object->file.mem) elf_close(&object->file);
}

bool object_covers(const struct object *object, uint64_t address) {
  const struct mapping *m = object->mapping;
  return m->start >= m->limit || (address >= m->start && address < m->limit);
}

bool object_address(struct object *object, uint64_t address, uint64_t *file_address) {
  const struct mapping *m = object->mapping;
  if (!object->based) {
    if (!object_covers(object, address)) return false;
    struct mapped_range range = {m->start, m->limit, m->offset, STR("")};
    object->based = true;
    object->base_status = base_address(&object->file, &range, address, &object->base, NULL);
  }
  *file_address = address - object->base;
  return object->base_status == PPROFC_OK;
}

/* ---- symbols ----------------------------------------- */

static size_t object_skip_blanks(pprofc_str s, size_t at) {
  return at + str_run(str_from(s, at), char_is_blank);
}

/* Parses a line of nm: "hex type name". */
static bool symbol_line(pprofc_str line, uint64_t *address, pprofc_str *name) {
  line = str_trim(line);
  size_t digits = str_run(line, char_is_hex);
  size_t type = object_skip_blanks(line, digits), blank = type + 1;
  size_t from = object_skip_blanks(line, blank);
  if (!digits || type == digits || from <= blank) return false;
  *name = str_from(line, from);
  return str_parse_uint(str_slice(line, 0, digits), 16, address);
}

/* Makes one item for each address in nm's output, with all names that nm prints for the address. */
static bool group_symbols(pprofc_str printed, struct arena *arena, struct object_symbol **symbols,
                          size_t *count) {
  pprofc_str line, name;
  uint64_t address;
  size_t lines = 0, n = 0;
  for (pprofc_str rest = printed; str_next_line(&rest, &line);) lines++;
  struct object_symbol *items = arena_array(arena, lines, sizeof *items);
  pprofc_str *names = arena_array(arena, lines, sizeof *names);
  if (!items || !names) return false;
  while (str_next_line(&printed, &line)) {
    if (!symbol_line(line, &address, &name)) continue;
    if (!n || address != items[n - 1].start) {
      if (n) items[n - 1].end = address - 1;
      items[n++] = (struct object_symbol){address, UINT64_MAX, names, 0};
    }
    items[n - 1].name_count++;
    *names++ = name;
  }
  *symbols = items;
  *count = n;
  return true;
}

pprofc_status object_symbols(const struct object *object, const struct tools *tools,
                             struct arena *arena, struct object_symbol **symbols, size_t *count,
                             pprofc_error *error) {
  const char *file = tools_file_argument(object->path, arena);
  if (!file) return error_nomem(error);
  const char *argv[] = {tools->path[TOOL_NM], "-n", file, NULL};
  pprofc_str printed;
  pprofc_status status = tools_run(argv, STR(""), arena, &printed, error);
  if (status == PPROFC_OK && !group_symbols(printed, arena, symbols, count))
    status = error_nomem(error);
  return status;
}

/* ---- instructions ------------------------------------- */

/* Function, file and line that objdump printed last. The next instructions belong to them. */
struct disassemble_place {
  pprofc_str function, file;
  int64_t line;
};

/* Parses "401210: movl (%rdi), %edx". */
static bool instruction_line(pprofc_str line, struct instruction *instruction) {
  size_t digits = str_run(line, char_is_hex);
  if (!digits || digits + 1 >= line.size || line.data[digits] != ':') return false;
  size_t text = object_skip_blanks(line, digits + 1);
  if (text == digits + 1) return false;
  instruction->text = str_from(line, text);
  return str_parse_uint(str_slice(line, 0, digits), 16, &instruction->address);
}

/* Returns the line without the "; " that LLVM writes first. */
static pprofc_str drop_mark(pprofc_str line) {
  str_take(&line, STR(";"));
  return str_from(line, line.size && char_is_blank(line.data[0]));
}

/* Parses "; /src/a.c:29" or "/src/a.c:29 (discriminator 3)". The line number follows the last colon
 * before a digit. */
static bool file_line(pprofc_str line, struct disassemble_place *place) {
  line = drop_mark(line);
  size_t colon = line.size;
  for (size_t i = line.size; i-- > 0 && colon == line.size;)
    if (line.data[i] == ':' && i + 1 < line.size && char_is_digit(line.data[i + 1])) colon = i;
  if (colon == line.size) return false;
  pprofc_str digits = str_from(line, colon + 1);
  int64_t number;
  digits.size = str_run(digits, char_is_digit);
  if (str_parse_int(digits, 10, &number) && number <= UINT32_MAX) {
    place->file = str_slice(line, 0, colon);
    place->line = number;
  }
  return true;
}

/* Parses "; name():". */
static bool function_line(pprofc_str line, struct disassemble_place *place) {
  line = drop_mark(line);
  if (!line.size || char_is_blank(line.data[0])) return false;
  for (size_t i = line.size; i-- > 1;)
    if (str_starts(str_from(line, i), STR("():"))) {
      place->function = str_slice(line, 0, i);
      return true;
    }
  return false;
}

/* Parses "0000000000401210 <name>:", and any other line with a colon. */
static bool label_line(pprofc_str line, struct disassemble_place *place) {
  size_t colon = str_find_last_char(line, ':');
  if (colon == line.size) return false;
  size_t from = str_run(line, char_is_hex);
  if (from > colon) from = colon;
  if (from < colon && char_is_blank(line.data[from])) from++;
  place->function = str_slice(line, from, colon);
  return true;
}

static bool read_objdump(pprofc_str printed, struct arena *arena, struct instruction **instructions,
                         size_t *count) {
  pprofc_str line;
  size_t lines = 0, n = 0;
  for (pprofc_str rest = printed; str_next_line(&rest, &line);) lines++;
  struct instruction *items = arena_array(arena, lines, sizeof *items);
  if (!items) return false;
  struct disassemble_place nowhere = {STR(""), STR(""), 0}, place = nowhere;
  while (str_next_line(&printed, &line)) {
    line = str_trim(line);
    if (instruction_line(line, &items[n])) {
      items[n].function = place.function;
      items[n].file = place.file;
      items[n].line = place.line;
      n++;
    } else if (!file_line(line, &place) && !function_line(line, &place) &&
               !label_line(line, &place)) {
      place = nowhere;
    }
  }
  *instructions = items;
  *count = n;
  return true;
}

pprofc_status object_disassemble(const struct object *object, const struct tools *tools,
                                 uint64_t start, uint64_t end, bool intel_syntax,
                                 struct arena *arena, struct instruction **instructions,
                                 size_t *count, pprofc_error *error) {
  if (!tools->found[TOOL_OBJDUMP])
    return error_set(error, PPROFC_E_UNSUPPORTED,
                     "cannot disasm: no objdump tool available "
                     "(install binutils or llvm, or set -tools)");
  char from[64], to[64];
  snprintf(from, sizeof from, "--start-address=0x%llx", (unsigned long long)start);
  snprintf(to, sizeof to, "--stop-address=0x%llx", (unsigned long long)end);
  const char *argv[12] = {tools->path[TOOL_OBJDUMP],
                          "--disassemble",
                          "--demangle",
                          "--no-show-raw-insn",
                          "--line-numbers",
                          from,
                          to};
  size_t n = 7;
  if (intel_syntax && tools->objdump_is_llvm) argv[n++] = "--x86-asm-syntax=intel";
  if (intel_syntax && !tools->objdump_is_llvm) argv[n++] = "-M", argv[n++] = "intel";
  argv[n++] = tools_file_argument(object->path, arena);
  if (!argv[n - 1]) return error_nomem(error);
  pprofc_str printed;
  pprofc_status status = tools_run(argv, STR(""), arena, &printed, error);
  if (status == PPROFC_OK && !read_objdump(printed, arena, instructions, count))
    status = error_nomem(error);
  return status;
}
