/* The origin of a frame's code, user, library or system: a table of rules, of which the first that
 * matches decides. */
#include "flame/origin.h"

enum origin_field { NAME, FILE_NAME, MAPPING };

struct origin_rule {
  enum origin origin;
  enum origin_field field;
  pprofc_str pattern; /* for str_glob */
};

#define RULE(origin, field, pattern)                                                               \
  {                                                                                                \
    ORIGIN_##origin, field, {                                                                      \
      pattern, sizeof(pattern) - 1                                                                 \
    }                                                                                              \
  }

static const struct origin_rule built_in[] = {
    /* kernel, loader, C library, threads */
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
    RULE(SYSTEM, FILE_NAME, "/build/glibc*"),
    RULE(SYSTEM, FILE_NAME, "*/sysdeps/*"),
    RULE(SYSTEM, MAPPING, "*/libc.musl*"),
    RULE(SYSTEM, MAPPING, "*/ld-musl*"),
    /* Go: the runtime and what is below it */
    RULE(SYSTEM, NAME, "runtime.*"),
    RULE(SYSTEM, NAME, "runtime/*"),
    RULE(SYSTEM, NAME, "internal/runtime/*"),
    RULE(SYSTEM, NAME, "syscall.*"),
    RULE(SYSTEM, NAME, "internal/syscall/*"),
    RULE(SYSTEM, NAME, "internal/poll.*"),
    /* Rust: what runs before main and at a panic */
    RULE(SYSTEM, NAME, "std::rt::*"),
    RULE(SYSTEM, NAME, "std::sys::*"),
    RULE(SYSTEM, NAME, "std::panicking::*"),
    RULE(SYSTEM, NAME, "__rust_*"),
    /* Python */
    RULE(SYSTEM, NAME, "_PyEval_*"),
    RULE(SYSTEM, NAME, "PyEval_*"),
    RULE(SYSTEM, MAPPING, "*/libpython*"),
    RULE(SYSTEM, MAPPING, "*/python3*"),
    /* Node and V8, JVM */
    RULE(SYSTEM, NAME, "v8::internal::*"),
    RULE(SYSTEM, NAME, "(garbage collector)"),
    RULE(SYSTEM, NAME, "(program)"),
    RULE(SYSTEM, NAME, "(idle)"),
    RULE(SYSTEM, MAPPING, "*/libjvm.so*"),
    RULE(SYSTEM, MAPPING, "libjvm.so*"), /* of Flight Recorder: without a folder */
    RULE(SYSTEM, MAPPING, "libc.so*"),
    RULE(SYSTEM, MAPPING, "libc-*"),
    RULE(SYSTEM, MAPPING, "libpthread*"),
    RULE(SYSTEM, MAPPING, "ld-linux*"),
    /* dependencies, by their folder */
    RULE(LIBRARY, FILE_NAME, "*/pkg/mod/*"),
    RULE(LIBRARY, FILE_NAME, "*@v*/*"),
    RULE(LIBRARY, FILE_NAME, "*/vendor/*"),
    RULE(LIBRARY, FILE_NAME, "/usr/include/*"),
    RULE(LIBRARY, FILE_NAME, "/usr/lib/*"),
    RULE(LIBRARY, FILE_NAME, "/usr/local/go/src/*"),
    RULE(LIBRARY, FILE_NAME, "*/include/c++/*"),
    RULE(LIBRARY, FILE_NAME, "/rustc/*"),
    RULE(LIBRARY, FILE_NAME, "*/.cargo/*"),
    RULE(LIBRARY, FILE_NAME, "*/site-packages/*"),
    RULE(LIBRARY, FILE_NAME, "*/dist-packages/*"),
    RULE(LIBRARY, FILE_NAME, "*/lib/python*"),
    RULE(LIBRARY, FILE_NAME, "<frozen *"),
    RULE(LIBRARY, FILE_NAME, "node:*"),
    RULE(LIBRARY, FILE_NAME, "*/node_modules/*"),
    /* standard libraries, by name */
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
    /* shared objects that no rule above matches */
    RULE(LIBRARY, MAPPING, "*.so"),
    RULE(LIBRARY, MAPPING, "*.so.*"),
};

/* The first path elements of Go's standard library; a module of the user has a dot there, or is
 * main. */
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
  for (size_t i = 0; i < sizeof go_packages / sizeof *go_packages; i++)
    if (str_equal(first, str_of(go_packages[i]))) return true;
  return false;
}

static const struct origin_rule *origin_find_rule(const struct origin_rule *rules, size_t count,
                                                  const pprofc_str fields[3]) {
  for (size_t i = 0; i < count; i++)
    if (fields[rules[i].field].size && str_glob(rules[i].pattern, fields[rules[i].field]))
      return &rules[i];
  return NULL;
}

enum origin origin_of(const struct origin_rules *rules, pprofc_str name, pprofc_str file,
                      pprofc_str mapping) {
  const pprofc_str fields[3] = {name, file, mapping};
  const struct origin_rule *rule =
      rules ? origin_find_rule(rules->items, rules->count, fields) : NULL;
  if (!rule) rule = origin_find_rule(built_in, sizeof built_in / sizeof *built_in, fields);
  if (rule) return rule->origin;
  if (is_go_standard(name, file)) return ORIGIN_LIBRARY;
  return file.size || mapping.size ? ORIGIN_USER : ORIGIN_UNKNOWN;
}

/* Where the last part of the path in a name begins; 0 for a name without a path. */
static size_t package_start(pprofc_str name) {
  size_t slash = str_find_last_char(name, '/');
  if (slash == name.size) return 0;
  /* A slash inside parameters or template arguments is no path. */
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

static bool word_index(pprofc_str word, const char *const *words, size_t count, size_t *index) {
  for (size_t i = 0; i < count; i++)
    if (str_equal(word, str_of(words[i]))) {
      *index = i;
      return true;
    }
  return false;
}

static bool parse_rule(pprofc_str line, struct origin_rule *rule) {
  static const char *const origins[] = {"unknown", "user", "library", "system"};
  static const char *const fields[] = {"name", "file", "mapping"};
  pprofc_str words[3] = {{NULL, 0}}, word, rest = line;
  size_t count = 0, origin, field;
  while (str_next(&rest, ' ', &word)) {
    word = str_trim(word);
    if (!word.size) continue;
    if (count == 3) return false;
    words[count++] = word;
  }
  if (count != 3 || !word_index(words[0], origins, 4, &origin) ||
      !word_index(words[1], fields, 3, &field))
    return false;
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
