/* Reads the locations at the end of Java profiles (docs/spec/pprof.md, 5.7):
 * "0x00000003 com.example.Main.run (Main.java:12)". */
#include "import/legacy/legacy.h"

/* Fields of a location's line, after the address. */
struct java_locations_frame {
  pprofc_str function, file;
  int64_t line;
};

/* Finds the last '(' that follows white space and has at least `least` bytes after it. */
static bool last_parenthesis(pprofc_str text, size_t least, size_t *place) {
  for (size_t i = text.size; i-- > 1;)
    if (text.data[i] == '(' && char_is_blank(text.data[i - 1]) && text.size - i - 1 >= least) {
      *place = i;
      return true;
    }
  return false;
}

/* Parses "function (file:12)". */
static bool parse_file_line(pprofc_str text, struct java_locations_frame *frame) {
  if (!str_ends(text, STR(")"))) return false;
  size_t end = text.size - 1, place;
  size_t digits = end - str_last_run(str_slice(text, 0, end), char_is_digit);
  if (digits == end) return false;
  size_t number = digits > 0 && text.data[digits - 1] == '-' ? digits - 1 : digits;
  if (number == 0 || text.data[number - 1] != ':') return false;
  pprofc_str before = str_slice(text, 0, number - 1);
  if (!last_parenthesis(before, 1, &place)) return false;
  *frame =
      (struct java_locations_frame){str_slice(text, 0, place - 1), str_from(before, place + 1), 0};
  int64_t line;
  if (str_parse_int(str_slice(text, number, end), 10, &line) && line > 0) frame->line = line;
  return true;
}

/* Parses "function (path)". The path names a shared library. Keeps only the last part of the
 * path. */
static bool parse_path(pprofc_str text, struct java_locations_frame *frame) {
  size_t place;
  if (!str_ends(text, STR(")"))) return false;
  text.size--;
  if (!last_parenthesis(text, 0, &place)) return false;
  *frame = (struct java_locations_frame){str_slice(text, 0, place - 1),
                                         str_path_base(str_from(text, place + 1)), 0};
  return true;
}

static struct java_locations_frame java_parse_frame(pprofc_str text) {
  struct java_locations_frame frame = {text, STR(""), 0};
  if (parse_file_line(text, &frame) || parse_path(text, &frame)) return frame;
  if (str_contains(text, STR("generated stub/JIT"))) frame.function = STR("STUB");
  return frame;
}

/* Parses "0x00000003 text". Returns false for any other line. Sets *fits to false if the address is
 * too large. */
static bool parse_line(pprofc_str line, uint64_t *address, pprofc_str *text, bool *fits) {
  pprofc_str digits, white;
  if (!str_take(&line, STR("0x")) || !str_take_run(&line, char_is_hex, &digits) ||
      !str_take_run(&line, char_is_blank, &white))
    return false;
  *fits = str_parse_uint(digits, 16, address);
  *text = line;
  return true;
}

/* Returns the index of the function with a name, and adds the function if it is new. The first
 * frame with this name determines the file. Returns MAP_NONE when out of memory. */
static uint32_t java_function_of(struct legacy *l, struct interner *names,
                                 const struct java_locations_frame *frame) {
  size_t count = names->count;
  uint32_t index = interner_add(names, frame->function);
  if (!import_need(l->builder, index != MAP_NONE && ARRAY_RESERVE(l->mem, l->functions,
                                                                  l->function_room, index + 1u)))
    return MAP_NONE;
  if (names->count > count)
    l->functions[index] = (struct legacy_function){frame->function, frame->file};
  return index;
}

static void java_read_location(struct legacy *l, struct interner *names, pprofc_str line) {
  pprofc_str rest;
  uint64_t address = 0;
  bool fits;
  if (!parse_line(line, &address, &rest, &fits)) {
    l->bad_lines += line.size > 0;
    return;
  }
  if (!fits)
    import_refuse(l->builder, PPROFC_E_FORMAT, "address is too large: %.*s",
                  STR_ARG(str_slice(line, 0, 200)));
  MAP_FIND(index, &l->by_address, hash_mix(0, address), l->locations[index].made_for == address);
  if (index == NONE) return;
  struct java_locations_frame frame = java_parse_frame(rest);
  l->locations[index].function = java_function_of(l, names, &frame);
  l->locations[index].line = frame.line;
  l->locations[index].address = 0;
}

void legacy_read_java_locations(struct legacy *l) {
  struct interner names;
  pprofc_str line;
  interner_init(&names, l->mem);
  while (builder_ok(l->builder) && str_next_line(&l->rest, &line))
    java_read_location(l, &names, str_trim(line));
  interner_free(&names);
  legacy_place_locations(l);
  /* Addresses differ between runs, which would prevent the merge of equal stacks, so clear them. */
  for (size_t i = 0; builder_ok(l->builder) && i < l->location_count; i++)
    l->locations[i].address = 0;
}
