/* Splits the function names that JIT compilers write for perf.
 *
 * Python writes "py::parse:/app/parser.py", V8 "Function:parse file:///app/parser.mjs:4:13" or
 * "JS:*parse /app/parser.js:4:13". Other names stay unchanged. */
#include "import/reader.h"

/* Splits "parse:/app/parser.py" into name and file. */
static void name_of_python(pprofc_str text, struct jit_function *f) {
  size_t colon = str_find_char(text, ':');
  f->name = str_slice(text, 0, colon);
  f->file = str_from(text, colon + 1);
}

/* Returns the offset of the space between a function's name and its source file. The name may also
 * contain spaces, as in "get size file:///app/parser.mjs:4:13". */
static size_t script_space(pprofc_str text) {
  static const pprofc_str starts[] = {{" file://", 8}, {" node:", 6}, {" /", 2}};
  size_t first = text.size;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    size_t at = str_find(text, starts[i]);
    if (at < first) first = at;
  }
  return first < text.size ? first : str_find_char(text, ' ');
}

/* Splits "parse file:///app/parser.mjs:4:13" into name, file and line. The text begins with a space
 * if the function has no name. */
static void name_of_script(pprofc_str text, struct jit_function *f) {
  int64_t number;
  while (text.size && strchr("*~^+", text.data[0])) text = str_from(text, 1);
  f->name = text;
  size_t space = script_space(text);
  if (space >= text.size) return;
  pprofc_str place = str_from(text, space + 1);
  f->name = str_slice(text, 0, space);
  /* Two numbers are line and column; a single number is the line. */
  if (import_take_number(&place, &number)) {
    f->line = number;
    if (import_take_number(&place, &number)) f->line = number;
  }
  str_take(&place, STR("file://"));
  f->file = place;
}

/* Prefixes of names of JIT-compiled code, and functions that split the text after the prefix. */
static const struct jit_language {
  const char *prefix;
  void (*split)(pprofc_str text, struct jit_function *f);
} jit_languages[] = {
    {"py::", name_of_python},         {"Function:", name_of_script}, {"Script:", name_of_script},
    {"LazyCompile:", name_of_script}, {"JS:", name_of_script},       {"Eval:", name_of_script},
};

struct jit_function jit_function_of(pprofc_str text) {
  struct jit_function f = {.name = text, .file = STR("")};
  for (size_t i = 0; i < sizeof jit_languages / sizeof *jit_languages; i++) {
    pprofc_str prefix = str_of(jit_languages[i].prefix);
    if (!str_starts(text, prefix)) continue;
    jit_languages[i].split(str_from(text, prefix.size), &f);
    break;
  }
  return f;
}

/* ---- inlined functions of Java ----------------------- */

/* True if the arrow "->" that ends at `end` separates two names: it has text on both sides, and no
 * space next to it. */
static bool parts_names(pprofc_str s, size_t end) {
  return end > 1 && end + 1 < s.size && s.data[end - 2] != ' ' && s.data[end + 1] != ' ';
}

/* Returns the offset of the last "->" that separates two names, or s.size. Arrows in brackets or
 * next to a space belong to types of C++ and Rust. */
static size_t last_arrow(pprofc_str s) {
  size_t depth = 0;
  for (size_t at = s.size; at-- > 1;) {
    char c = s.data[at];
    bool arrow = c == '>' && s.data[at - 1] == '-';
    if (arrow && !depth && parts_names(s, at)) return at - 1;
    if (!arrow) depth += c == '>' || c == ')';
    if (depth) depth -= c == '<' || c == '(';
  }
  return s.size;
}

bool jit_take_inlined(pprofc_str *symbol, pprofc_str *name) {
  if (str_contains(*symbol, STR("operator->"))) return false;
  size_t arrow = last_arrow(*symbol);
  if (arrow == symbol->size) return false;
  *name = str_from(*symbol, arrow + 2);
  *symbol = str_slice(*symbol, 0, arrow);
  return true;
}
