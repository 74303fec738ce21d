/* Adds functions, locations, mappings and labels. Names of functions are already demangled.
 *
 * If the system name of a function looks like C++, reports shorten the name of the function: they
 * drop templates and parameters. Reports must not shorten names that are not C++. Examples are
 * Python's "<module>", Ruby's "block in <main>", and "work (calls.py:7)" with a position after the
 * name. */
#include "import/reader.h"

static bool names_is_word(char c) {
  return char_is_word(c) || c == '$' || c == '>' || c == ')' || c == ']' ||
         (unsigned char)c >= 0x80;
}

/* True if the name has a "<" that is not inside brackets and does not follow a word. This "<" does
 * not begin template arguments. */
static bool names_has_tag(pprofc_str name) {
  size_t depth = 0;
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    if (c == '<' && !depth && (i == 0 || !names_is_word(name.data[i - 1]))) return true;
    depth += c == '<' || c == '(';
    depth -= (c == '>' || c == ')') && depth;
  }
  return false;
}

/* True if the name ends with a space and text in parentheses, unless this text begins like a
 * pointer type: "(*". */
static bool names_has_place(pprofc_str name) {
  if (!str_ends(name, STR(")"))) return false;
  size_t open = str_find_last_char(name, '(');
  if (open == 0 || open + 2 >= name.size || name.data[open - 1] != ' ') return false;
  return !strchr("*&)", name.data[open + 1]);
}

/* True for names like "(unknown) [c function]" of rbspy. */
static bool names_begins_with_place(pprofc_str name) {
  return str_starts(name, STR("(")) && !str_starts(name, STR("(anonymous namespace)"));
}

/* True if the name is not C++ and must be shown unchanged: "<module>", "block in <main>",
 * "work.<locals>.<lambda> (calls.py:11)". */
static bool import_name_is_whole(pprofc_str name) {
  return names_begins_with_place(name) || names_has_place(name) ||
         (str_find_char(name, '<') < name.size && names_has_tag(name));
}

uint32_t import_system_name(pprofc_str name, uint32_t text) {
  return import_name_is_whole(name) ? 0 : text;
}

uint32_t import_function(pprofc_builder *builder, pprofc_str name, uint32_t file) {
  uint32_t text = builder_string(builder, name);
  return builder_add_function(builder, text, import_system_name(name, text), file, 0);
}

pprofc_str import_script_name(pprofc_str name, pprofc_str file, int64_t line, char *room) {
  pprofc_str last = str_slice(str_path_base(file), 0, IMPORT_SCRIPT_NAME - 40);
  if (name.size) return name;
  if (!file.size) return STR("(anonymous)");
  snprintf(room, IMPORT_SCRIPT_NAME, "(anonymous %.*s:%lld)", STR_ARG(last), (long long)line);
  return str_of(room);
}

uint32_t import_location(pprofc_builder *builder, uint32_t mapping, uint32_t function,
                         int64_t line) {
  return pprofc_builder_location(builder, mapping, 0, &(pprofc_line){function, line, 0}, 1);
}

uint32_t import_marker(pprofc_builder *builder, pprofc_str name) {
  uint32_t text = builder_string(builder, name);
  return import_location(builder, NONE, builder_add_function(builder, text, text, 0, 0), 0);
}

uint32_t import_object(pprofc_builder *builder, pprofc_str file) {
  if (!file.size) return NONE;
  struct mapping mapping = {.file = builder_string(builder, file), .flags = PPROFC_HAS_FUNCTIONS};
  return builder_add_mapping(builder, &mapping);
}

void import_label(pprofc_builder *builder, const char *key, pprofc_str text) {
  if (!text.size) return;
  struct label label = {.key = builder_string(builder, str_of(key)),
                        .string = builder_string(builder, text)};
  builder_add_label(builder, &label);
}

bool import_no_memory(pprofc_builder *builder) {
  pprofc_error error;
  error_nomem(&error);
  builder_refuse(builder, &error);
  return false;
}

static void names_refuse(pprofc_builder *builder, pprofc_status status, const void *at,
                         const char *format, va_list arguments) {
  char message[sizeof((pprofc_error *)NULL)->message];
  pprofc_error error;
  vsnprintf(message, sizeof message, format, arguments);
  error_at(&error, status, at ? (uint64_t)(uintptr_t)at : PPROFC_NO_OFFSET, "%s", message);
  builder_refuse(builder, &error);
}

bool import_refuse(pprofc_builder *builder, pprofc_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  names_refuse(builder, status, NULL, format, arguments);
  va_end(arguments);
  return false;
}

bool import_refuse_at(pprofc_builder *builder, const void *at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  names_refuse(builder, PPROFC_E_FORMAT, at, format, arguments);
  va_end(arguments);
  return false;
}

void import_end_of_stream(pprofc_builder *builder, const struct text_stream *text) {
  pprofc_error error;
  pprofc_status status = text_stream_status(text, &error);
  if (status == PPROFC_E_NO_MATCH)
    import_refuse(builder, status, "%s", "");
  else if (status != PPROFC_OK)
    builder_refuse(builder, &error);
}

/* Splits a position like "Main.hs:12:1-20". Returns the file and sets *line and *column, which are
 * 0 if the position has no line. */
static pprofc_str names_split_place(pprofc_str place, uint64_t *line, uint64_t *column) {
  pprofc_str number;
  size_t colon = str_find_char(place, ':');
  *line = *column = 0;
  if (str_starts(place, STR("<"))) return STR("");
  if (colon == place.size) return place;
  pprofc_str rest = str_from(place, colon + 1);
  bool range = str_take(&rest, STR("("));
  if (str_next(&rest, range ? ',' : ':', &number)) str_parse_uint(number, 10, line);
  str_parse_uint(str_slice(rest, 0, str_find_char(rest, range ? ')' : '-')), 10, column);
  return *line ? str_slice(place, 0, colon) : place;
}

uint32_t import_cost_centre(pprofc_builder *builder, pprofc_str module, pprofc_str label,
                            pprofc_str place) {
  char name[512];
  uint64_t line, column;
  pprofc_str file = names_split_place(place, &line, &column);
  if (module.size + label.size + 1 > sizeof name) {
    module = str_slice(module, 0, 200);
    label = str_slice(label, 0, 300);
  }
  if (module.size) memcpy(name, module.data, module.size);
  name[module.size] = '.';
  if (label.size) memcpy(name + module.size + 1, label.data, label.size);
  uint32_t function = builder_add_function(
      builder, builder_string(builder, (pprofc_str){name, module.size + label.size + 1}),
      builder_string(builder, STR("")), builder_string(builder, file), 0);
  pprofc_line where = {function, (int64_t)(line & INT32_MAX), (int64_t)(column & INT32_MAX)};
  return pprofc_builder_location(builder, NONE, 0, &where, 1);
}

bool import_is_library(pprofc_str file) {
  if (str_ends(file, STR(".so"))) return true;
  for (pprofc_str rest = file;;) {
    size_t at = str_find(rest, STR(".so"));
    if (at == rest.size) return false;
    rest = str_from(rest, at + 3);
    if (rest.size > 1 && (rest.data[0] == '.' || rest.data[0] == '_') &&
        char_is_digit(rest.data[1]))
      return true;
  }
}
