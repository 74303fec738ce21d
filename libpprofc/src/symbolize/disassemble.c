/* Runs objdump (GNU or LLVM) and parses its output. A line of objdump without an instruction names
 * the function, or the file and line, of the instructions that follow. */
#include "symbolize/object.h"

#include "core/chars.h"

#include <stdio.h>

/* Function, file and line that objdump printed last; the next instructions belong to them. */
struct disassemble_place {
  pprofc_str function, file;
  int64_t line;
};

static size_t skip_hex(pprofc_str line) {
  size_t at = 0;
  while (at < line.size && char_is_hex(line.data[at])) at++;
  return at;
}

/* Parses "401210: movl (%rdi), %edx". */
static bool instruction_line(pprofc_str line, struct instruction *instruction) {
  size_t digits = skip_hex(line);
  if (!digits || digits + 1 >= line.size || line.data[digits] != ':') return false;
  size_t text = digits + 1;
  while (text < line.size && char_is_blank(line.data[text])) text++;
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
