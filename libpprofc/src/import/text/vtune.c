/* Reads the call tree that Intel's VTune writes as CSV: a row for each node, with its own time in
 * seconds. The number of spaces before the function is its depth.
 *
 *     Function Stack,CPU Time:Self,Module
 *     Total,0.0,[Unknown]
 *      main,0.0,app.exe
 *       "f<int, bool>",0.015,app.exe
 *
 * The separator is a comma, a semicolon or a tab. */
#include "import/reader.h"
#include "import/text/printed_tree.h"

#define VTUNE_COLUMNS 64u
#define VTUNE_SNIFFED 20u

struct vtune {
  struct printed_tree tree;
  char separator;
  size_t self, module; /* column indices; `module` is SIZE_MAX if the file lacks this column */
  uint64_t rows, bad_lines;
};

/* Removes the next cell of a line. A cell in quotes may contain separators. Returns false at the
 * end of the line. */
static bool vtune_cell(pprofc_str *rest, char separator, pprofc_str *cell) {
  size_t end = 0;
  bool quoted = false;
  if (!rest->data) return false;
  for (; end < rest->size && (quoted || rest->data[end] != separator); end++)
    quoted ^= rest->data[end] == '"';
  *cell = str_trim(str_slice(*rest, 0, end));
  if (cell->size > 1 && str_starts(*cell, STR("\"")) && str_ends(*cell, STR("\"")))
    *cell = str_slice(*cell, 1, cell->size - 1);
  *rest = end < rest->size ? str_from(*rest, end + 1) : (pprofc_str){NULL, 0};
  return true;
}

/* Finds the columns. Returns false if the line is not the header. */
static bool vtune_header(pprofc_str line, struct vtune *r) {
  static const pprofc_str first = {"Function Stack", sizeof "Function Stack" - 1};
  pprofc_str cell;
  if (!str_starts(line, first) || line.size == first.size) return false;
  r->separator = line.data[first.size];
  if (!strchr(",;\t", r->separator)) return false;
  r->self = r->module = SIZE_MAX;
  for (size_t at = 0; at < VTUNE_COLUMNS && vtune_cell(&line, r->separator, &cell); at++) {
    if (str_equal(cell, STR("CPU Time:Self"))) r->self = at;
    if (str_equal(cell, STR("Module"))) r->module = at;
  }
  return r->self != SIZE_MAX;
}

/* Skips all lines up to and including the header. Returns false if there is no header. */
static bool vtune_skip_header(pprofc_str *text, struct vtune *r) {
  pprofc_str line;
  for (size_t i = 0; i < VTUNE_SNIFFED && str_next_line(text, &line); i++)
    if (vtune_header(line, r)) return true;
  return false;
}

/* Returns the location of a row; NONE for the row "Total", which is not a function. */
static uint32_t vtune_location(pprofc_builder *builder, pprofc_str name, pprofc_str module,
                               bool root) {
  if (root && str_equal(name, STR("Total"))) return NONE;
  bool known = !str_equal(module, STR("[Unknown]"));
  uint32_t function = import_function(builder, name, 0);
  return import_location(builder, known ? import_object(builder, module) : NONE, function, 0);
}

/* Adds a row. Returns false if the line is not a row. */
static bool vtune_read_row(struct vtune *r, pprofc_str line) {
  struct printed_row row = {.self = -1};
  pprofc_str name, cell, module = STR("");
  double seconds;
  size_t depth = str_indent(line);
  if (!vtune_cell(&line, r->separator, &name) || !name.size) return false;
  for (size_t at = 1; vtune_cell(&line, r->separator, &cell); at++) {
    if (at == r->module) module = cell;
    if (at != r->self) continue;
    if (!str_parse_float(cell, &seconds) || !(seconds >= 0 && seconds < 9e9)) return false;
    row.self = llround(seconds * 1e9);
  }
  if (row.self < 0) return false;
  row.location = vtune_location(r->tree.builder, name, module, !depth);
  return printed_tree_add(&r->tree, depth, &row);
}

bool import_is_vtune(pprofc_str text) {
  struct vtune r;
  return vtune_skip_header(&text, &r);
}

IMPORT_READER(import_vtune) {
  struct vtune r = {.tree = {.builder = builder, .arena = arena}};
  pprofc_str line;
  vtune_skip_header(&data, &r);
  pprofc_builder_type(builder, "cpu", "nanoseconds");
  while (str_next_line(&data, &line) && builder_ok(builder)) {
    if (!str_trim(line).size) continue;
    r.rows++;
    r.bad_lines += !vtune_read_row(&r, line);
  }
  printed_tree_end(&r.tree);
  import_account_one(builder, r.rows - r.bad_lines, "lines", r.bad_lines,
                     "line of VTune's text could not be read",
                     "lines of VTune's text could not be read");
}
