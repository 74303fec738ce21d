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
  size_t end = text.size - 1, digits = end, place;
  while (digits > 0 && char_is_digit(text.data[digits - 1])) digits--;
  if (digits == end) return false;
  size_t number = digits > 0 && text.data[digits - 1] == '-' ? digits - 1 : digits;
  if (number == 0 || text.data[number - 1] != ':') return false;
  pprofc_str before = str_slice(text, 0, number - 1);
  if (!last_parenthesis(before, 1, &place)) return false;
  *frame = (struct java_locations_frame){str_slice(text, 0, place - 1),
                                         str_slice(before, place + 1, before.size), 0};
  int64_t line;
  if (str_parse_int(str_slice(text, number, end), 10, &line) && line > 0) frame->line = line;
  return true;
}

/* Parses "function (path)". The path is a shared library; keeps only its last part. */
static bool parse_path(pprofc_str text, struct java_locations_frame *frame) {
  size_t place;
  if (!str_ends(text, STR(")"))) return false;
  text.size--;
  if (!last_parenthesis(text, 0, &place)) return false;
  *frame = (struct java_locations_frame){str_slice(text, 0, place - 1),
                                         str_path_base(str_slice(text, place + 1, text.size)), 0};
  return true;
}

static struct java_locations_frame java_parse_frame(pprofc_str text) {
  struct java_locations_frame frame = {text, STR(""), 0};
  if (parse_file_line(text, &frame) || parse_path(text, &frame)) return frame;
  if (text_contains(text, STR("generated stub/JIT"))) frame.function = STR("STUB");
  return frame;
}

/* Parses "0x00000003 text". Returns false for any other line. Sets *fits to false if the address is
 * too large. */
static bool parse_line(pprofc_str line, uint64_t *address, pprofc_str *text, bool *fits) {
  pprofc_str digits, white;
  if (!text_take(&line, STR("0x")) || !text_take_run(&line, char_is_hex, &digits) ||
      !text_take_run(&line, char_is_blank, &white))
    return false;
  *fits = str_parse_uint(digits, 16, address);
  *text = line;
  return true;
}

static uint32_t find_location(const struct legacy *l, uint64_t address) {
  MAP_FIND(i, &l->by_address, hash_mix(0, address), legacy_locations(l)[i].made_for == address);
  return i;
}

/* Returns the index of the function with a name, and adds the function if it is new. The first
 * frame with this name determines the file. Returns MAP_NONE when out of memory. */
static uint32_t java_function_of(struct legacy *l, struct interner *names,
                                 const struct java_locations_frame *frame) {
  size_t count = names->count;
  uint32_t index = interner_add(names, frame->function);
  struct legacy_function function = {frame->function, frame->file};
  if (index == MAP_NONE)
    l->functions.failed = true;
  else if (names->count > count)
    buffer_add(&l->functions, &function, sizeof function);
  return index;
}

static pprofc_status java_read_locations(struct legacy *l, pprofc_str text,
                                         struct interner *names) {
  pprofc_str line, rest;
  while (str_next_line(&text, &line)) {
    uint64_t address;
    bool fits;
    line = str_trim(line);
    if (!parse_line(line, &address, &rest, &fits)) {
      l->bad_lines += line.size > 0;
      continue;
    }
    if (!fits)
      return error_set(l->error, PPROFC_E_FORMAT, "address is too large: %.*s",
                       STR_ARG(str_slice(line, 0, 200)));
    uint32_t index = find_location(l, address);
    if (index == NONE) continue;
    struct java_locations_frame frame = java_parse_frame(rest);
    struct legacy_location *location = &legacy_locations(l)[index];
    location->function = java_function_of(l, names, &frame);
    location->line = frame.line;
    location->address = 0;
  }
  return PPROFC_OK;
}

pprofc_status legacy_read_java_locations(struct legacy *l, pprofc_str text) {
  struct interner names;
  interner_init(&names, l->mem);
  pprofc_status status = legacy_status(l);
  if (status == PPROFC_OK) status = java_read_locations(l, text, &names);
  interner_free(&names);
  if (status == PPROFC_OK) status = legacy_place_locations(l);
  /* Addresses differ between runs, which would prevent the merge of equal stacks, so clear them. */
  for (size_t i = 0; status == PPROFC_OK && i < legacy_location_count(l); i++)
    legacy_locations(l)[i].address = 0;
  return status;
}
