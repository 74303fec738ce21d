/* Makes the names of functions and classes. Function names have the form of Pyroscope's converter,
 * "java/util/HashMap.put", so profiles of both programs can be compared. */
#include "import/jfr/jfr.h"

enum names_set { NAMES_DIGIT, NAMES_HEX, NAMES_LAMBDA };

static bool names_is_in(char c, enum names_set set) {
  if (c >= '0' && c <= '9') return true;
  if (c >= 'a' && c <= 'f') return set != NAMES_DIGIT;
  return set == NAMES_LAMBDA && c && strchr("x$./+", c);
}

/* Returns how many characters of the set `set` are at the end of s[0, size). */
static size_t names_tail(pprofc_str s, size_t size, enum names_set set) {
  size_t tail = 0;
  while (tail < size && names_is_in(s.data[size - tail - 1], set)) tail++;
  return tail;
}

/* Returns the offset of the address in the name of a hidden class, such as
 * "+0x00007f0ac4406598/4375842". The address begins with '+', '.' or '/'; the decimal number at the
 * end is optional. Returns s.size if there is no address. */
static size_t names_address(pprofc_str s) {
  size_t end = s.size, digits = names_tail(s, end, NAMES_DIGIT);
  if (digits && digits < end && s.data[end - digits - 1] == '/') end -= digits + 1;
  for (int i = 0; i < 2; i++, end = s.size) {
    size_t hex = names_tail(s, end, NAMES_HEX);
    bool found = hex && end >= hex + 3 && s.data[end - hex - 1] == 'x' &&
                 s.data[end - hex - 2] == '0' && strchr("+./", s.data[end - hex - 3]);
    if (found) return end - hex - 3;
  }
  return s.size;
}

/* Returns the offset after "$$Lambda" if only numbers and their separators follow, as in
 * "$$Lambda$14/1837760739" and "$$Lambda$14". Otherwise returns s.size. */
static size_t names_lambda(pprofc_str s) {
  size_t at = str_find(s, STR("$$Lambda"));
  if (at == s.size) return at;
  size_t from = at + strlen("$$Lambda");
  if (from == s.size) return s.size;
  return names_tail(s, s.size, NAMES_LAMBDA) >= s.size - from ? from : s.size;
}

/* Prefixes of names of generated classes. A number follows the prefix. */
static const char *const names_generated[] = {
    "jdk/internal/reflect/GeneratedMethodAccessor",
    "jdk/internal/reflect/GeneratedConstructorAccessor",
    "sun/reflect/GeneratedMethodAccessor",
    "sun/reflect/GeneratedConstructorAccessor",
};

static size_t names_generated_end(pprofc_str s) {
  size_t digits = names_tail(s, s.size, NAMES_DIGIT);
  for (size_t i = 0; digits && i < sizeof names_generated / sizeof *names_generated; i++) {
    pprofc_str prefix = str_of(names_generated[i]);
    if (digits + prefix.size == s.size && str_starts(s, prefix)) return prefix.size;
  }
  pprofc_str spring = STR("$$EnhancerBySpringCGLIB$$");
  if (str_find_char(s, '$') == s.size) return s.size;
  size_t at = str_find(s, spring);
  return at < s.size ? at + spring.size : s.size;
}

/* Libraries that programs unpack to a file with a new name at each start; `stable` is shown. */
static const struct {
  const char *start, *stable;
} names_unpacked[] = {
    {"libzstd-jni-", "libzstd-jni-_.so"},
    {"libasyncProfiler-", "libasyncProfiler-_.so"},
    {"amazonCorrettoCryptoProvider", "libamazonCorrettoCryptoProvider_.so"},
    {"libamazonCorrettoCryptoProvider", "libamazonCorrettoCryptoProvider_.so"},
};

/* Returns `stable` of the row of names_unpacked whose `start` begins the name, or "" if there is no
 * such row. */
static pprofc_str names_unpacked_library(pprofc_str name) {
  static const char *const folders[] = {"./tmp/", "/tmp/"};
  if (str_ends(name, STR(" (deleted)"))) name = str_slice(name, 0, name.size - 10);
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) str_take(&name, str_of(folders[i]));
  if (!str_ends(name, STR(".so"))) return STR("");
  for (size_t i = 0; i < sizeof names_unpacked / sizeof *names_unpacked; i++)
    if (str_starts(name, str_of(names_unpacked[i].start))) return str_of(names_unpacked[i].stable);
  return STR("");
}

static pprofc_str names_stable(pprofc_str name, bool *cut) {
  size_t end = names_address(name);
  pprofc_str s = str_slice(name, 0, end);
  if (str_find_char(s, '$') < s.size) s = str_slice(s, 0, names_lambda(s));
  s = str_slice(s, 0, names_generated_end(s));
  *cut = s.size < name.size;
  return s;
}

/* Appends the name of a class with '_' in place of numbers that differ between runs. */
static void names_add_stable(pprofc_str name, struct buffer *out) {
  bool cut;
  pprofc_str library = names_unpacked_library(name);
  pprofc_str stable = library.size ? library : names_stable(name, &cut);
  buffer_add_str(out, stable);
  if (!library.size && cut) buffer_add_char(out, '_');
}

/* ---- functions --------------------------------------- */

pprofc_str jfr_symbol(struct jfr *j, uint64_t id) {
  const struct jfr_entry *entry = jfr_entry_of(j, JFR_SYMBOLS, id);
  return entry ? jfr_text(j, entry->slots[JFR_TEXT]) : STR("");
}

bool jfr_is_library(pprofc_str name) {
  return STR_ANY(str_ends, name, ".so", ".dylib", ".jnilib", ".dll", ".exe", " (deleted)") ||
         str_contains(name, STR(".so.")) || str_starts(name, STR("["));
}

/* Adds j->name to the builder's strings and returns its index; 0 on failure. */
static uint32_t names_take(struct jfr *j) {
  import_need(j->builder, !j->name.failed);
  return builder_ok(j->builder) ? builder_string(j->builder, buffer_str(&j->name)) : 0;
}

static uint32_t names_join(struct jfr *j, uint64_t class, uint64_t method) {
  const struct jfr_entry *c = jfr_entry_of(j, JFR_CLASSES, class);
  buffer_clear(&j->name);
  names_add_stable(c ? jfr_symbol(j, c->slots[JFR_NAME]) : STR(""), &j->name);
  /* Functions of the kernel and of the vdso have no class. */
  if (j->name.size) buffer_add_char(&j->name, '.');
  buffer_add_str(&j->name, jfr_symbol(j, method));
  return names_take(j);
}

/* Adds a function with an empty system name, because the recorder has already demangled C++
 * names. */
uint32_t jfr_function(struct jfr *j, uint64_t method) {
  struct jfr_entry *entry = jfr_entry_of(j, JFR_METHODS, method);
  if (!entry) return NONE;
  if (entry->made == JFR_UNMADE) {
    uint32_t name = names_join(j, entry->slots[JFR_CLASS], entry->slots[JFR_NAME]);
    entry->made = builder_add_function(j->builder, name, 0, 0, 0);
  }
  return entry->made;
}

/* ---- labels ------------------------------------------ */

/* Returns the primitive type for a letter of a Java type descriptor, or NULL. */
static const char *names_primitive(char letter) {
  static const char *const names[] = {
      ['B'] = "byte", ['C'] = "char", ['D'] = "double", ['F'] = "float",
      ['I'] = "int",  ['J'] = "long", ['S'] = "short",  ['Z'] = "boolean",
  };
  return (unsigned char)letter < sizeof names / sizeof *names ? names[(unsigned char)letter] : NULL;
}

/* Returns the element type of an array type: "java/lang/String" for "[Ljava/lang/String;".
 * `dimensions` is the number of brackets. */
static pprofc_str names_element(pprofc_str s, size_t dimensions) {
  s = str_from(s, dimensions);
  if (!dimensions) return s;
  const char *primitive = s.size == 1 ? names_primitive(s.data[0]) : NULL;
  if (primitive) return str_of(primitive);
  return str_starts(s, STR("L")) && str_ends(s, STR(";")) ? str_slice(s, 1, s.size - 1) : s;
}

/* Appends the name of a class: "java.lang.String[][]" for "[[Ljava/lang/String;". */
static void names_class(pprofc_str s, struct buffer *out) {
  size_t dimensions = 0, first = out->size;
  while (dimensions < s.size && s.data[dimensions] == '[') dimensions++;
  names_add_stable(names_element(s, dimensions), out);
  for (size_t i = first; i < out->size; i++)
    if (out->data[i] == '/') out->data[i] = '.';
  for (size_t i = 0; i < dimensions; i++) buffer_add_text(out, "[]");
}

uint32_t jfr_method_label(struct jfr *j, uint64_t id) {
  const struct jfr_entry *entry = jfr_entry_of(j, JFR_METHODS, id);
  return entry ? names_join(j, entry->slots[JFR_CLASS], entry->slots[JFR_NAME]) : 0;
}

uint32_t jfr_class_label(struct jfr *j, uint64_t id) {
  struct jfr_entry *entry = jfr_entry_of(j, JFR_CLASSES, id);
  if (!entry) return 0;
  if (entry->made != JFR_UNMADE) return entry->made;
  buffer_clear(&j->name);
  names_class(jfr_symbol(j, entry->slots[JFR_NAME]), &j->name);
  return entry->made = names_take(j);
}
