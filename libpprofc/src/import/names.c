/* Function names from formats whose names are already demangled.
 *
 * Reports simplify names of C++: they drop templates and parameters if the system name looks
 * like C++. Names that are not C++ must be kept: Python's "<module>", Ruby's "block in <main>",
 * and "work (calls.py:7)" with a position after the name. */
#include "import/names.h"

static bool names_is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '$' || c == '>' || c == ')' || c == ']' || (unsigned char)c >= 0x80;
}

/* True if a "<" outside of brackets does not follow a word, so it does not begin template
 * arguments. */
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

/* True if the name ends with a space and text in parentheses that is not a pointer type like
 * "(*". */
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
