/* Opens the binary of a mapping. Reads its symbols from nm, and its instructions from objdump. */
#include "symbolize/object.h"

#include "core/chars.h"
#include "symbolize/base_address.h"

#include <stdio.h>

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
  while (at < s.size && char_is_blank(s.data[at])) at++;
  return at;
}

static size_t skip_hex(pprofc_str line) {
  size_t at = 0;
  while (at < line.size && char_is_hex(line.data[at])) at++;
  return at;
}

/* Parses a line of nm: "hex type name". */
static bool symbol_line(pprofc_str line, uint64_t *address, pprofc_str *name) {
  line = str_trim(line);
  size_t digits = skip_hex(line);
  size_t type = object_skip_blanks(line, digits), blank = type + 1;
  size_t from = object_skip_blanks(line, blank);
  if (!digits || type == digits || from <= blank) return false;
  *name = str_slice(line, from, line.size);
  return str_parse_uint(str_slice(line, 0, digits), 16, address);
}

/* Makes one item for each address of nm's output, with all names of the address. */
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

/* Function, file and line that objdump printed last; the next instructions belong to them. */
struct disassemble_place {
  pprofc_str function, file;
  int64_t line;
};

/* Parses "401210: movl (%rdi), %edx". */
static bool instruction_line(pprofc_str line, struct instruction *instruction) {
  size_t digits = skip_hex(line);
  if (!digits || digits + 1 >= line.size || line.data[digits] != ':') return false;
  size_t text = object_skip_blanks(line, digits + 1);
  if (text == digits + 1) return false;
  instruction->text = str_slice(line, text, line.size);
  return str_parse_uint(str_slice(line, 0, digits), 16, &instruction->address);
}

/* Returns the line without the "; " that LLVM writes first. */
static pprofc_str drop_mark(pprofc_str line) {
  size_t at = line.size && line.data[0] == ';';
  if (at < line.size && char_is_blank(line.data[at])) at++;
  return str_slice(line, at, line.size);
}

/* Parses "; /src/a.c:29" or "/src/a.c:29 (discriminator 3)". The line number follows the last colon
 * before a digit. */
static bool file_line(pprofc_str line, struct disassemble_place *place) {
  line = drop_mark(line);
  size_t colon = line.size;
  for (size_t i = line.size; i-- > 0 && colon == line.size;)
    if (line.data[i] == ':' && i + 1 < line.size && char_is_digit(line.data[i + 1])) colon = i;
  if (colon == line.size) return false;
  size_t end = colon + 1;
  while (end < line.size && char_is_digit(line.data[end])) end++;
  int64_t number;
  if (str_parse_int(str_slice(line, colon + 1, end), 10, &number) && number <= UINT32_MAX) {
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
    if (str_starts(str_slice(line, i, line.size), STR("():"))) {
      place->function = str_slice(line, 0, i);
      return true;
    }
  return false;
}

/* Parses "0000000000401210 <name>:", and any other line with a colon. */
static bool label_line(pprofc_str line, struct disassemble_place *place) {
  size_t colon = str_find_last_char(line, ':');
  if (colon == line.size) return false;
  size_t from = skip_hex(line);
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
