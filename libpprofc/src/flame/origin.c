/* Finds the origin of a frame's code: user, library or system. The first matching rule of a table
 * decides. */
#include "flame/flame.h"

struct origin_rule {
  enum origin origin;
  enum origin_field field;
  pprofc_str pattern; /* glob pattern (str_glob) */
};

#define RULE(origin, field, pattern)                                                               \
  {                                                                                                \
    ORIGIN_##origin, ORIGIN_##field, {                                                             \
      pattern, sizeof(pattern) - 1                                                                 \
    }                                                                                              \
  }

static const struct origin_rule built_in[] = {
    /* rules for the kernel, the loader, the C library and threads */
    RULE(SYSTEM, MAPPING, "[kernel*"),
    RULE(SYSTEM, MAPPING, "[vdso]*"),
    RULE(SYSTEM, MAPPING, "*vmlinux*"),
    RULE(SYSTEM, MAPPING, "*/libc.so*"),
    RULE(SYSTEM, MAPPING, "*/libc-*"),
    RULE(SYSTEM, MAPPING, "*/libpthread*"),
    RULE(SYSTEM, MAPPING, "*/ld-linux*"),
    RULE(SYSTEM, MAPPING, "*/ld-2*"),
    RULE(SYSTEM, NAME, "_start"),
    RULE(SYSTEM, NAME, "__libc_*"),
    RULE(SYSTEM, NAME, "start_thread"),
    RULE(SYSTEM, NAME, "(below main)"),
    RULE(SYSTEM, NAME, "entry_SYSCALL*"),
    RULE(SYSTEM, NAME, "do_syscall*"),
    RULE(SYSTEM, NAME, "__x64_sys_*"),
    RULE(SYSTEM, NAME, "__arm64_sys_*"),
    RULE(SYSTEM, NAME, "__GI_*"),
    RULE(SYSTEM, NAME, "*_[k]"),
    RULE(SYSTEM, FILE, "/build/glibc*"),
    RULE(SYSTEM, FILE, "*/sysdeps/*"),
    RULE(SYSTEM, MAPPING, "*/libc.musl*"),
    RULE(SYSTEM, MAPPING, "*/ld-musl*"),
    /* rules for Go: the runtime and the packages below it */
    RULE(SYSTEM, NAME, "runtime.*"),
    RULE(SYSTEM, NAME, "runtime/*"),
    RULE(SYSTEM, NAME, "internal/runtime/*"),
    RULE(SYSTEM, NAME, "syscall.*"),
    RULE(SYSTEM, NAME, "internal/syscall/*"),
    RULE(SYSTEM, NAME, "internal/poll.*"),
    /* rules for Rust: code that runs before main, and at a panic */
    RULE(SYSTEM, NAME, "std::rt::*"),
    RULE(SYSTEM, NAME, "std::sys::*"),
    RULE(SYSTEM, NAME, "std::panicking::*"),
    RULE(SYSTEM, NAME, "__rust_*"),
    /* rules for Python */
    RULE(SYSTEM, NAME, "_PyEval_*"),
    RULE(SYSTEM, NAME, "PyEval_*"),
    RULE(SYSTEM, MAPPING, "*/libpython*"),
    RULE(SYSTEM, MAPPING, "*/python3*"),
    RULE(SYSTEM, NAME, "py_trampoline_evaluator"),
    /* rules for Node, V8 and the JVM */
    RULE(SYSTEM, NAME, "v8::*"),
    RULE(SYSTEM, NAME, "node::*"),
    RULE(SYSTEM, NAME, "Builtin:*"),
    RULE(SYSTEM, NAME, "Builtins_*"),
    RULE(SYSTEM, NAME, "BytecodeHandler:*"),
    RULE(SYSTEM, MAPPING, "*/node"),
    RULE(SYSTEM, NAME, "(garbage collector)"),
    RULE(SYSTEM, NAME, "(program)"),
    RULE(SYSTEM, NAME, "(idle)"),
    RULE(SYSTEM, MAPPING, "*/libjvm.so*"),
    RULE(SYSTEM, MAPPING, "libjvm.so*"), /* Flight Recorder writes this name without a folder. */
    RULE(SYSTEM, MAPPING, "libc.so*"),
    RULE(SYSTEM, MAPPING, "libc-*"),
    RULE(SYSTEM, MAPPING, "libpthread*"),
    RULE(SYSTEM, MAPPING, "ld-linux*"),
    /* rules for libraries, by the folder of the file */
    RULE(LIBRARY, FILE, "*/pkg/mod/*"),
    RULE(LIBRARY, FILE, "*@v*/*"),
    RULE(LIBRARY, FILE, "*/vendor/*"),
    RULE(LIBRARY, FILE, "/usr/include/*"),
    RULE(LIBRARY, FILE, "/usr/lib/*"),
    RULE(LIBRARY, FILE, "/usr/local/go/src/*"),
    RULE(LIBRARY, FILE, "*/include/c++/*"),
    RULE(LIBRARY, FILE, "/rustc/*"),
    RULE(LIBRARY, FILE, "*/.cargo/*"),
    RULE(LIBRARY, FILE, "*/site-packages/*"),
    RULE(LIBRARY, FILE, "*/dist-packages/*"),
    RULE(LIBRARY, FILE, "*/lib/python*"),
    RULE(LIBRARY, FILE, "<frozen *"),
    RULE(LIBRARY, FILE, "node:*"),
    RULE(LIBRARY, FILE, "*/node_modules/*"),
    /* rules for standard libraries, by the name of the function */
    RULE(LIBRARY, NAME, "std::*"),
    RULE(LIBRARY, NAME, "core::*"),
    RULE(LIBRARY, NAME, "alloc::*"),
    RULE(LIBRARY, NAME, "__gnu_cxx::*"),
    RULE(LIBRARY, NAME, "operator new*"),
    RULE(LIBRARY, NAME, "operator delete*"),
    RULE(LIBRARY, NAME, "java.*"),
    RULE(LIBRARY, NAME, "javax.*"),
    RULE(LIBRARY, NAME, "jdk.*"),
    RULE(LIBRARY, NAME, "sun.*"),
    RULE(LIBRARY, NAME, "java/*"),
    RULE(LIBRARY, NAME, "javax/*"),
    RULE(LIBRARY, NAME, "jdk/*"),
    RULE(LIBRARY, NAME, "sun/*"),
    RULE(LIBRARY, NAME, "com/sun/*"),
    RULE(LIBRARY, NAME, "kotlin/*"),
    RULE(LIBRARY, NAME, "scala/*"),
    RULE(LIBRARY, NAME, "kotlin.*"),
    RULE(LIBRARY, NAME, "scala.*"),
    /* rules for shared objects that no earlier rule matches */
    RULE(LIBRARY, MAPPING, "*.so"),
    RULE(LIBRARY, MAPPING, "*.so.*"),
};

/* First path elements of the packages in Go's standard library. The packages of other modules begin
 * with an element that contains a dot, or with "main". */
static const char *const go_packages[] = {
    "archive",  "bufio",  "bytes",   "cmp",      "compress", "container", "context", "crypto",
    "database", "debug",  "embed",   "encoding", "errors",   "expvar",    "flag",    "fmt",
    "go",       "hash",   "html",    "image",    "index",    "internal",  "io",      "iter",
    "log",      "maps",   "math",    "mime",     "net",      "os",        "path",    "plugin",
    "reflect",  "regexp", "slices",  "sort",     "strconv",  "strings",   "sync",    "testing",
    "text",     "time",   "unicode", "unique",   "unsafe",   "vendor",
};

static bool is_go_standard(pprofc_str name, pprofc_str file) {
  if (!str_ends(file, STR(".go"))) return false;
  pprofc_str package = origin_package(name);
  pprofc_str first = str_slice(package, 0, str_find_char(package, '/'));
  for (size_t i = 0; first.size && i < COUNT(go_packages); i++)
    if (*go_packages[i] == *first.data && str_equal(first, str_of(go_packages[i]))) return true;
  return false;
}

#define BUILT_IN_COUNT COUNT(built_in)

/* True if the rule's pattern matches the text. Compares the first letters first, because they
 * usually differ. */
static bool origin_rule_matches(const struct origin_rule *rule, pprofc_str text) {
  char first = rule->pattern.size ? rule->pattern.data[0] : '*';
  if (first != '*' && first != '?' && first != text.data[0]) return false;
  return str_glob(rule->pattern, text);
}

static size_t origin_match_list(const struct origin_rule *rules, size_t count,
                                enum origin_field field, pprofc_str text) {
  for (size_t i = 0; i < count; i++)
    if (rules[i].field == field && origin_rule_matches(&rules[i], text)) return i;
  return SIZE_MAX;
}

size_t origin_match(const struct origin_rules *rules, enum origin_field field, pprofc_str text) {
  size_t own = rules ? rules->count : 0, found = SIZE_MAX;
  if (!text.size) return SIZE_MAX;
  if (own) found = origin_match_list(rules->items, own, field, text);
  if (found != SIZE_MAX) return found;
  found = origin_match_list(built_in, BUILT_IN_COUNT, field, text);
  return found == SIZE_MAX ? SIZE_MAX : own + found;
}

enum origin origin_of_matches(const struct origin_rules *rules, const size_t matches[3],
                              pprofc_str name, pprofc_str file, pprofc_str mapping) {
  size_t own = rules ? rules->count : 0, first = SIZE_MAX;
  for (size_t i = 0; i < 3; i++)
    if (matches[i] < first) first = matches[i];
  if (first < own) return rules->items[first].origin;
  if (first != SIZE_MAX) return built_in[first - own].origin;
  if (is_go_standard(name, file)) return ORIGIN_LIBRARY;
  return file.size || mapping.size ? ORIGIN_USER : ORIGIN_UNKNOWN;
}

enum origin origin_of(const struct origin_rules *rules, pprofc_str name, pprofc_str file,
                      pprofc_str mapping) {
  const size_t matches[3] = {origin_match(rules, ORIGIN_NAME, name),
                             origin_match(rules, ORIGIN_FILE, file),
                             origin_match(rules, ORIGIN_MAPPING, mapping)};
  return origin_of_matches(rules, matches, name, file, mapping);
}

/* Returns the index at which the last path element of a name starts. Returns 0 for a name without a
 * path. */
static size_t package_start(pprofc_str name) {
  size_t slash = str_find_last_char(name, '/');
  if (slash == name.size) return 0;
  /* a slash inside parameters or template arguments is not part of a path */
  pprofc_str path = str_slice(name, 0, slash);
  bool inside = str_find_char(path, '(') < path.size || str_find_char(path, '<') < path.size;
  return inside ? 0 : slash + 1;
}

pprofc_str origin_package(pprofc_str name) {
  size_t from = package_start(name);
  for (size_t i = from; i < name.size; i++) {
    char c = name.data[i];
    if (c == '.' && i > from) return str_slice(name, 0, i);
    if (c == ':' && i + 1 < name.size && name.data[i + 1] == ':') return str_slice(name, 0, i);
    if (c == '(' || c == '<' || c == ' ') break;
  }
  return STR("");
}

/* ---- rules of the user ------------------------------ */

static bool parse_rule(pprofc_str line, struct origin_rule *rule) {
  static const char *const origins[] = {"unknown", "user", "library", "system", NULL};
  static const char *const fields[] = {"name", "file", "mapping", NULL};
  pprofc_str words[3] = {{NULL, 0}}, word, rest = line;
  size_t count = 0;
  while (str_next(&rest, ' ', &word)) {
    word = str_trim(word);
    if (!word.size) continue;
    if (count == 3) return false;
    words[count++] = word;
  }
  int origin = str_index(words[0], origins), field = str_index(words[1], fields);
  if (count != 3 || origin < 0 || field < 0) return false;
  *rule = (struct origin_rule){(enum origin)origin, (enum origin_field)field, words[2]};
  return true;
}

pprofc_status origin_rules_parse(struct origin_rules *rules, pprofc_str text, struct arena *arena,
                                 pprofc_error *error) {
  size_t lines = 0, number = 0;
  pprofc_str line;
  for (pprofc_str rest = text; str_next_line(&rest, &line);) lines++;
  *rules = (struct origin_rules){arena_array(arena, lines, sizeof *rules->items), 0};
  if (!rules->items) return error_nomem(error);
  while (str_next_line(&text, &line)) {
    number++;
    line = str_trim(line);
    if (!line.size || line.data[0] == '#') continue;
    if (!parse_rule(line, &rules->items[rules->count]))
      return error_set(error, PPROFC_E_FORMAT,
                       "origin_rules, line %zu: a rule is an origin (user, library, system, "
                       "unknown), a field (name, "
                       "file, mapping) and a pattern",
                       number);
    rules->count++;
  }
  return PPROFC_OK;
}
