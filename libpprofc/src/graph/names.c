/* Makes the printed names of nodes. Trims source paths (docs/spec/pprof.md, 17). */
#include "graph/graph.h"

#define NUMBER_ROOM 24

/* Writes a number as ":123". Returns the length of this text. */
static size_t names_put_number(int64_t value, char *out) {
  return (size_t)snprintf(out, NUMBER_ROOM, ":%lld", (long long)value);
}

/* Writes "file:line:column", or only the file if the line is unknown, and returns the length of the
 * text. For a frame without a name and a file, writes the object file in brackets, or "<unknown>"
 * if there is no object file. */
static size_t put_place(const struct node_place *place, pprofc_str name, pprofc_str file,
                        pprofc_str object, char *out) {
  size_t size = 0;
  if (place->line != 0 || file.size) {
    if (file.size) memcpy(out, file.data, file.size);
    size = file.size;
    if (place->line != 0) size += names_put_number(place->line, out + size);
    if (place->line != 0 && place->column != 0) size += names_put_number(place->column, out + size);
    return size;
  }
  if (name.size) return 0;
  if (!object.size) {
    memcpy(out, "<unknown>", 9);
    return 9;
  }
  pprofc_str base = str_path_base(object);
  out[size++] = '[';
  memcpy(out + size, base.data, base.size);
  size += base.size;
  out[size++] = ']';
  return size;
}

pprofc_str frame_name_of(const struct node_place *place, pprofc_str name, pprofc_str file,
                         pprofc_str object, pprofc_str joint, struct arena *arena) {
  /* 100 bytes are enough for an address, two numbers, brackets and separators. */
  char *text = arena_alloc(arena, name.size + file.size + object.size + 100);
  if (!text) return (pprofc_str){NULL, 0};
  size_t size = 0;
  if (place->address)
    size += (size_t)snprintf(text, NUMBER_ROOM, "%016llx", (unsigned long long)place->address);
  if (name.size) {
    if (size) {
      memcpy(text + size, joint.data, joint.size);
      size += joint.size;
    }
    memcpy(text + size, name.data, name.size);
    size += name.size;
  }
  size_t joint_size = size ? joint.size : 0;
  size_t place_size = put_place(place, name, file, object, text + size + joint_size);
  if (place_size) {
    memcpy(text + size, joint.data, joint_size);
    size += joint_size + place_size;
  }
  return (pprofc_str){text, size};
}

/* ---- source paths ------------------------------------ */

/* Returns the part of the path after the first folder that has the same name as the last part of
 * `directory`. The result's `data` is NULL if the path has no such folder. */
static pprofc_str after_directory(pprofc_str path, pprofc_str directory) {
  pprofc_str base = str_path_base(directory);
  for (size_t i = 0; i + base.size + 2 <= path.size; i++)
    if (path.data[i] == '/' && path.data[i + base.size + 1] == '/' &&
        memcmp(path.data + i + 1, base.data, base.size) == 0)
      return str_slice(path, i + base.size + 2, path.size);
  return (pprofc_str){NULL, 0};
}

/* Returns the part of the path after the prefix and a slash. data is NULL if the path begins
 * differently. */
static pprofc_str after_prefix(pprofc_str path, pprofc_str prefix) {
  if (!str_starts(path, prefix)) return (pprofc_str){NULL, 0};
  size_t size = prefix.size;
  if (!str_ends(prefix, STR("/"))) {
    if (size == path.size || path.data[size] != '/') return (pprofc_str){NULL, 0};
    size++;
  }
  return str_slice(path, size, path.size);
}

pprofc_str trim_source_path(pprofc_str path, const char *trim_path, const char *source_path) {
  bool trims = trim_path && *trim_path;
  pprofc_str rest, piece, found;
  if (!trims && source_path && *source_path) {
    rest = str_of(source_path);
    while (str_next(&rest, ':', &piece))
      if ((found = after_directory(path, piece)).data) return found;
  }
  rest = trims ? str_of(trim_path) : (pprofc_str){NULL, 0};
  while (str_next(&rest, ':', &piece))
    if ((found = after_prefix(path, piece)).data) return found;
  if ((found = after_prefix(path, STR("/proc/self/cwd/./"))).data) return found;
  if ((found = after_prefix(path, STR("/proc/self/cwd/"))).data) return found;
  return path;
}

/* ---- short names ------------------------------------ */

/* Shortens function names for small boxes: removes package paths, namespaces and arguments. Each
 * comment quotes the regular expression of pprof that the function below it replaces. */

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

/* Returns the end of a match of [\w\-.]+/ at i, or 0 if there is no match. */
static size_t folder_end(pprofc_str s, size_t i) {
  size_t end = i;
  while (char_is_word(at(s, end)) || at(s, end) == '-' || at(s, end) == '.') end++;
  return end > i && at(s, end) == '/' ? end + 1 : 0;
}

/* Matches ^([\w\-.]+/)+([^.]+\..+). The first group matches as many folders as possible. */
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

/* Returns the end of a match of [\w$]* at i. */
static size_t skip_java_word(pprofc_str s, size_t i) {
  while (i < s.size && (char_is_word(s.data[i]) || s.data[i] == '$')) i++;
  return i;
}

/* Returns the end of a match of <init>|[a-z][\w$]* at i, or 0 if there is no match. */
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

/* True if a class name _*[A-Z]\w* begins at i. */
static bool is_class(pprofc_str s, size_t i) {
  while (at(s, i) == '_') i++;
  return is_upper(at(s, i));
}

/* Returns the end of a match of ~?[_a-zA-Z]\w*(<.*>)? at i, or 0 if there is no match. */
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

/* Matches ^([_a-zA-Z]\w*::)+(_*[A-Z]\w*::~?[_a-zA-Z]\w*(<.*>)?). Takes the last class name after
 * which a method name follows. */
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
