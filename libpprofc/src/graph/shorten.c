/* Shortens function names for small boxes: removes package paths, namespaces and arguments. Each
 * comment quotes the regular expression of pprof that the function replaces. */
#include "graph/names.h"

#include "core/chars.h"

static bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

static bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

/* Returns the character at i, or NUL at the end. */
static char at(pprofc_str s, size_t i) {
  return i < s.size ? s.data[i] : '\0';
}

static size_t skip_words(pprofc_str s, size_t i) {
  while (i < s.size && char_is_word(s.data[i])) i++;
  return i;
}

/* Finds the version in ^(.*?)/v([2-9]|[1-9][0-9]+)([./].*)$ and sets its range [*from, *to). */
static bool find_version(pprofc_str s, size_t *from, size_t *to) {
  if (str_find_char(s, '\n') < s.size) return false;
  for (size_t i = 0; i + 3 < s.size; i++) {
    if (s.data[i] != '/' || s.data[i + 1] != 'v') continue;
    size_t end = i + 2;
    while (char_is_digit(at(s, end))) end++;
    size_t digits = end - i - 2;
    char first = s.data[i + 2];
    bool is_version = digits == 1 ? first >= '2' : digits > 1 && first != '0';
    if (!is_version || (at(s, end) != '.' && at(s, end) != '/')) continue;
    *from = i;
    *to = end;
    return true;
  }
  return false;
}

static pprofc_str without_version(pprofc_str s, struct arena *arena) {
  size_t from, to;
  if (!find_version(s, &from, &to)) return s;
  char *text = arena_alloc(arena, s.size);
  if (!text) return (pprofc_str){NULL, 0};
  memcpy(text, s.data, from);
  memcpy(text + from, s.data + to, s.size - to);
  return (pprofc_str){text, s.size - (to - from)};
}

/* Returns the end of [\w\-.]+/ at i, or 0. */
static size_t folder_end(pprofc_str s, size_t i) {
  size_t end = i;
  while (char_is_word(at(s, end)) || at(s, end) == '-' || at(s, end) == '.') end++;
  return end > i && at(s, end) == '/' ? end + 1 : 0;
}

/* Matches ^([\w\-.]+/)+([^.]+\..+). The match has as many folders as possible. */
static bool shorten_go(pprofc_str s, pprofc_str *found) {
  size_t start = 0, dot = 0, end = 0;
  while ((start = folder_end(s, start)) != 0) {
    if (dot < start) dot = start + str_find_char(str_slice(s, start, s.size), '.');
    if (dot == start || dot + 1 >= s.size || s.data[dot + 1] == '\n') continue;
    end = dot + 1;
    *found = str_slice(s, start, end);
  }
  if (!end) return false;
  while (end < s.size && s.data[end] != '\n') end++;
  found->size = (size_t)(s.data + end - found->data);
  return true;
}

/* Returns the end of [\w$]* at i. */
static size_t skip_java_word(pprofc_str s, size_t i) {
  while (i < s.size && (char_is_word(s.data[i]) || s.data[i] == '$')) i++;
  return i;
}

/* Returns the end of <init>|[a-z][\w$]* at i, or 0. */
static size_t java_method_end(pprofc_str s, size_t i) {
  const pprofc_str constructor = STR("<init>");
  if (str_starts(str_slice(s, i, s.size), constructor)) return i + constructor.size;
  return is_lower(at(s, i)) ? skip_java_word(s, i) : 0;
}

/* Matches ^([a-z]\w*\.)*([A-Z][\w$]*\.(<init>|[a-z][\w$]*))(\(|$) */
static bool shorten_java(pprofc_str s, pprofc_str *found) {
  size_t i = 0;
  while (is_lower(at(s, i))) {
    i = skip_words(s, i);
    if (at(s, i++) != '.') return false;
  }
  size_t class = i;
  if (!is_upper(at(s, i))) return false;
  i = skip_java_word(s, i);
  if (at(s, i++) != '.') return false;
  i = java_method_end(s, i);
  if (i == 0 || (i < s.size && s.data[i] != '(')) return false;
  *found = str_slice(s, class, i);
  return true;
}

static bool is_identifier_start(char c) {
  return char_is_word(c) && !char_is_digit(c);
}

/* Matches _*[A-Z]\w*:: at i. */
static bool is_class(pprofc_str s, size_t i) {
  while (at(s, i) == '_') i++;
  return is_upper(at(s, i));
}

/* Returns the end of ~?[_a-zA-Z]\w*(<.*>)? at i, or 0. */
static size_t method_end(pprofc_str s, size_t i) {
  if (at(s, i) == '~') i++;
  if (!is_identifier_start(at(s, i))) return 0;
  i = skip_words(s, i);
  if (at(s, i) != '<') return i;
  size_t end = i;
  for (size_t k = i + 1; k < s.size && s.data[k] != '\n'; k++)
    if (s.data[k] == '>') end = k + 1;
  return end;
}

/* Matches ^([_a-zA-Z]\w*::)+(_*[A-Z]\w*::~?[_a-zA-Z]\w*(<.*>)?). Finds the last class that a method
 * follows. */
static bool shorten_cpp(pprofc_str s, pprofc_str *found) {
  size_t start = 0, end;
  bool matched = false;
  while (is_identifier_start(at(s, start))) {
    size_t colons = skip_words(s, start);
    if (at(s, colons) != ':' || at(s, colons + 1) != ':') break;
    if (start > 0 && is_class(s, start) && (end = method_end(s, colons + 2)) != 0) {
      *found = str_slice(s, start, end);
      matched = true;
    }
    start = colons + 2;
  }
  return matched;
}

pprofc_str shorten_function_name(pprofc_str name, struct arena *arena) {
  const pprofc_str anonymous = STR("(anonymous namespace)::");
  if (str_starts(name, anonymous)) name = str_slice(name, anonymous.size, name.size);
  name = without_version(name, arena);
  pprofc_str found;
  if (shorten_go(name, &found) || shorten_java(name, &found) || shorten_cpp(name, &found))
    return found;
  return name;
}
