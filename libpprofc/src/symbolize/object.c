/* Opens the binary of a mapping: its addresses and symbols. */
#include "symbolize/object.h"

#include "core/chars.h"

#include "symbolize/base_address.h"

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

/* Parses a line of nm: "hex type name". */
static bool symbol_line(pprofc_str line, uint64_t *address, pprofc_str *name) {
  line = str_trim(line);
  size_t digits = 0;
  while (digits < line.size && char_is_hex(line.data[digits])) digits++;
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
