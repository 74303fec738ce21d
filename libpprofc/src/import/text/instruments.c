/* Reads the call tree that "Deep Copy" of Apple's Instruments puts on the clipboard: a row for
 * each node, with columns separated by tabs.
 *
 *     Weight           Self Weight   Symbol Names
 *     4.93 s  100.0%   0 s             start
 *     2.45 s    0.0%   846.00 ms         delta()
 *
 * Versions differ in the names and the number of columns. The depth of a row is the number of
 * spaces before its symbol, minus the spaces of the first row. */
#include "import/reader.h"
#include "import/text/printed_tree.h"

#define MAX_COLUMNS 32u

enum { WEIGHT, SELF, COUNT, SYMBOL, PATH, LIBRARY, COLUMN_KINDS };

static const struct {
  const char *title;
  int kind;
} instruments_columns[] = {
    {"Weight", WEIGHT},    {"Running Time", WEIGHT}, {"Bytes Used", WEIGHT},
    {"Self Weight", SELF}, {"Self (ms)", SELF},      {"Self Time", SELF},
    {"Count", COUNT},      {"Symbol Name", SYMBOL},  {"Symbol Names", SYMBOL},
    {"Symbol", SYMBOL},    {"Source Path", PATH},    {"Library", LIBRARY},
};

/* Kind of unit: time, bytes, cycles, or a count without a unit. The kind determines the sample
 * type. */
enum instruments_family { FAMILY_NONE, FAMILY_TIME, FAMILY_BYTES, FAMILY_CYCLES, FAMILY_COUNT };

static const struct {
  const char *type, *unit;
} instruments_types[] = {[FAMILY_TIME] = {"time", "nanoseconds"},
                         [FAMILY_BYTES] = {"space", "bytes"},
                         [FAMILY_CYCLES] = {"cycles", "count"},
                         [FAMILY_COUNT] = {"weight", "count"}};

static const struct {
  const char *name;
  enum instruments_family family;
  double scale;
} instruments_units[] = {
    {"ns", FAMILY_TIME, 1},
    {"us", FAMILY_TIME, 1e3},
    {"\xC2\xB5s", FAMILY_TIME, 1e3},
    {"\xCE\xBCs", FAMILY_TIME, 1e3},
    {"ms", FAMILY_TIME, 1e6},
    {"s", FAMILY_TIME, 1e9},
    {"min", FAMILY_TIME, 60e9},
    {"h", FAMILY_TIME, 3600e9},
    {"Bytes", FAMILY_BYTES, 1},
    {"Byte", FAMILY_BYTES, 1},
    {"B", FAMILY_BYTES, 1},
    {"KB", FAMILY_BYTES, 1024},
    {"KiB", FAMILY_BYTES, 1024},
    {"MB", FAMILY_BYTES, 1048576},
    {"MiB", FAMILY_BYTES, 1048576},
    {"GB", FAMILY_BYTES, 1073741824},
    {"GiB", FAMILY_BYTES, 1073741824},
    {"cycles", FAMILY_CYCLES, 1},
    {"c", FAMILY_CYCLES, 1},
    {"Kc", FAMILY_CYCLES, 1e3},
    {"Mc", FAMILY_CYCLES, 1e6},
    {"Gc", FAMILY_CYCLES, 1e9},
    {"Tc", FAMILY_CYCLES, 1e12},
    {"", FAMILY_COUNT, 1},
    {"samples", FAMILY_COUNT, 1},
    {"K", FAMILY_COUNT, 1e3},
    {"M", FAMILY_COUNT, 1e6},
    {"G", FAMILY_COUNT, 1e9},
};

struct instruments {
  struct printed_tree tree;
  pprofc_builder *builder;
  size_t columns[COLUMN_KINDS]; /* for each kind of column: index of the column, or SIZE_MAX if it
                                   is missing */
  enum instruments_family family;
  pprofc_str self_unit; /* unit of self weights that have no printed unit: "ms" if the title is
                           "Self (ms)" */
  char point;           /* decimal mark: '.' or ',' */
  bool started;
  size_t first_blanks; /* number of spaces before the symbol of the first row */
  uint64_t rows, bad_lines;
};

/* ---- numbers ----------------------------------------- */

/* A printed amount in the base unit: bytes, nanoseconds or cycles. */
struct printed_amount {
  /* value: the printed amount; slack: its largest rounding error, half a unit of the last printed
   * digit */
  int64_t value, slack;
  enum instruments_family family;
};

/* Thousands separators. */
static const pprofc_str instruments_marks[] = {
    {",", 1}, {".", 1}, {"'", 1}, {"\xC2\xA0", 2}, {"\xE2\x80\xAF", 3}, {"\xE2\x80\x99", 3}};

static bool instruments_is_digit(pprofc_str text, size_t at) {
  return at < text.size && char_is_digit(text.data[at]);
}

/* Returns the size of the thousands separator at an offset. Returns 0 if there is no separator, or
 * if no digit follows it. */
static size_t instruments_mark(pprofc_str text, size_t at) {
  for (size_t i = 0; i < sizeof instruments_marks / sizeof *instruments_marks; i++) {
    size_t size = instruments_marks[i].size;
    if (str_starts(str_from(text, at), instruments_marks[i]) &&
        instruments_is_digit(text, at + size))
      return size;
  }
  return 0;
}

/* Returns the size of the number at the start of the text. */
static size_t instruments_digits(pprofc_str text) {
  size_t at = 0;
  while (at < text.size) {
    size_t mark = at && text.data[at] != ' ' ? instruments_mark(text, at) : 0;
    if (!mark && !instruments_is_digit(text, at)) break;
    at += mark ? mark : 1;
  }
  return at;
}

/* Parses "1,234.50", or "1.234,50" if the decimal mark is a comma. */
static bool instruments_number(pprofc_str text, char point, double *value, int *decimals) {
  char plain[40];
  size_t size = 0, points = 0;
  *decimals = 0;
  if (text.size >= sizeof plain) return false;
  for (size_t i = 0; i < text.size; i++) {
    bool digit = instruments_is_digit(text, i), is_point = text.data[i] == point;
    if (is_point) plain[size++] = '.';
    if (digit) plain[size++] = text.data[i];
    points += is_point;
    *decimals += digit && points;
  }
  return points < 2 && str_parse_float((pprofc_str){plain, size}, value) && *value >= 0;
}

/* Returns the decimal mark of a number, or 0 if the number does not show its decimal mark. If the
 * number has two different marks, the last mark is the decimal mark. A mark that occurs twice
 * separates thousands. A single mark before three digits is ambiguous, so the result is 0. */
static char instruments_point_of(pprofc_str number) {
  size_t points = 0, commas = 0, last = number.size;
  for (size_t i = 0; i < number.size; i++) {
    points += number.data[i] == '.';
    commas += number.data[i] == ',';
    if (number.data[i] == '.' || number.data[i] == ',') last = i;
  }
  if (last == number.size) return 0;
  if (points > 1 || commas > 1) return points > 1 ? ',' : '.';
  bool both = points && commas;
  return both || number.size - last - 1 != 3 ? number.data[last] : 0;
}

/* Returns the largest rounding error of a printed number with `decimals` decimals, in bytes,
 * nanoseconds or cycles. The error is half a unit of the last digit, plus 1 for the conversion to
 * an integer. */
static int64_t instruments_slack(double scale, int decimals) {
  static const double of_decimals[] = {1, 1e-1, 1e-2, 1e-3};
  bool usual = decimals < (int)(sizeof of_decimals / sizeof *of_decimals);
  double last = usual ? of_decimals[decimals] : pow(10, -decimals);
  return (int64_t)(scale * last / 2) + 1;
}

/* Returns the unit after the number that ends at offset `at`: a word after at most one space.
 * Returns "" if there is no unit. */
static pprofc_str instruments_unit(pprofc_str text, size_t at) {
  if (str_starts(str_from(text, at), STR("\xC2\xA0"))) at += 2;
  if (str_starts(str_from(text, at), STR("\xE2\x80\xAF"))) at += 3;
  size_t from = at + str_indent(str_from(text, at)), to = from;
  /* After more than one blank, the text is not a unit, but perhaps a percentage. */
  if (from > at + 1) return STR("");
  while (to < text.size && text.data[to] != ' ' && text.data[to] != '\t') to++;
  pprofc_str unit = str_slice(text, from, to);
  bool is_number = unit.size && char_is_digit(unit.data[0]);
  return is_number ? STR("") : unit;
}

/* Parses "4.93 s  100.0%", "2126.0ms   49.7%" or "404.75 Mc". An empty text and "-" are 0.
 * `unit_of_none` is the unit of numbers without a printed unit. Returns false for other text. */
static bool instruments_amount(const struct instruments *r, pprofc_str text,
                               pprofc_str unit_of_none, struct printed_amount *amount) {
  *amount = (struct printed_amount){0, 0, FAMILY_NONE};
  text = str_trim(text);
  if (!text.size || str_equal(text, STR("-"))) return true;
  size_t end = instruments_digits(text);
  double value;
  int decimals;
  if (!end || !instruments_number(str_slice(text, 0, end), r->point, &value, &decimals))
    return false;
  pprofc_str unit = instruments_unit(text, end);
  if (!unit.size) unit = unit_of_none;
  char first = unit.size ? unit.data[0] : '\0';
  for (size_t i = 0; i < sizeof instruments_units / sizeof *instruments_units; i++) {
    double scale = instruments_units[i].scale;
    if (first != instruments_units[i].name[0]) continue;
    if (!str_equal(unit, str_of(instruments_units[i].name))) continue;
    if (!(value * scale < 9e18)) return false;
    amount->family = instruments_units[i].family;
    amount->value = llround(value * scale);
    amount->slack = instruments_slack(scale, decimals);
    return true;
  }
  return false;
}

/* ---- rows -------------------------------------------- */

/* Finds the columns by their titles. The weight and the symbol are required. */
static bool instruments_header(pprofc_str line, struct instruments *r) {
  pprofc_str title;
  for (size_t i = 0; i < COLUMN_KINDS; i++) r->columns[i] = SIZE_MAX;
  for (size_t at = 0; at < MAX_COLUMNS && str_next(&line, '\t', &title); at++)
    for (size_t i = 0; i < sizeof instruments_columns / sizeof *instruments_columns; i++) {
      if (!str_equal(str_trim(title), str_of(instruments_columns[i].title))) continue;
      if (r->columns[instruments_columns[i].kind] == SIZE_MAX)
        r->columns[instruments_columns[i].kind] = at;
      if (str_equal(str_trim(title), STR("Self (ms)"))) r->self_unit = STR("ms");
    }
  return r->columns[WEIGHT] != SIZE_MAX && r->columns[SYMBOL] != SIZE_MAX;
}

/* Sets cells[i] to the cell of column kind i in the line, or to "" if the cell is missing. */
static void instruments_cells(const struct instruments *r, pprofc_str line, pprofc_str *cells) {
  pprofc_str cell;
  for (size_t i = 0; i < COLUMN_KINDS; i++) cells[i] = STR("");
  for (size_t at = 0; at < MAX_COLUMNS && str_next(&line, '\t', &cell); at++)
    for (size_t i = 0; i < COLUMN_KINDS; i++)
      if (r->columns[i] == at) cells[i] = cell;
}

static uint32_t instruments_location(struct instruments *r, const pprofc_str *cells) {
  uint32_t file = builder_string(r->builder, str_trim(cells[PATH]));
  pprofc_str library = str_trim(cells[LIBRARY]);
  uint32_t function = import_function(r->builder, str_trim(cells[SYMBOL]), file);
  return import_location(r->builder, import_object(r->builder, library), function, 0);
}

/* Parses the amounts of a row. Returns false if a unit is of another kind than the units of the
 * first row. */
static bool instruments_values(const struct instruments *r, const pprofc_str *cells,
                               struct printed_row *row) {
  struct printed_amount weight, self, count;
  if (!instruments_amount(r, cells[WEIGHT], STR(""), &weight) ||
      !instruments_amount(r, cells[SELF], r->self_unit, &self) ||
      !instruments_amount(r, cells[COUNT], STR(""), &count))
    return false;
  bool known = weight.family == r->family || weight.family == FAMILY_NONE;
  bool own = self.family == r->family || self.family == FAMILY_NONE;
  if (!known || !own) return false;
  *row = (struct printed_row){.values = {weight.value, count.value}, .self = -1};
  if (r->columns[SELF] == SIZE_MAX) return true;
  row->self = self.value;
  row->slack = weight.slack + self.slack;
  return true;
}

static void instruments_read_line(struct instruments *r, pprofc_str line) {
  pprofc_str cells[COLUMN_KINDS];
  struct printed_row row;
  if (!str_trim(line).size) return;
  r->rows++;
  instruments_cells(r, line, cells);
  size_t blanks = str_indent(cells[SYMBOL]);
  if (blanks == cells[SYMBOL].size || !instruments_values(r, cells, &row)) {
    r->bad_lines++;
    return;
  }
  if (!r->started) r->first_blanks = blanks;
  r->started = true;
  size_t depth = blanks > r->first_blanks ? blanks - r->first_blanks : 0;
  row.location = instruments_location(r, cells);
  if (!printed_tree_add(&r->tree, depth, &row)) r->bad_lines++;
}

/* Returns the percentage after an amount, or "". */
static pprofc_str instruments_percentage(pprofc_str text) {
  size_t end = str_find_char(text, '%'), from = end;
  if (end == text.size) return STR("");
  while (from && text.data[from - 1] != ' ') from--;
  return str_slice(text, from, end);
}

/* Finds the decimal mark, which depends on the language of the system. Uses the amounts, or the
 * percentages if no amount shows the mark. */
static void instruments_find_point(struct instruments *r, pprofc_str text) {
  pprofc_str line, cells[COLUMN_KINDS];
  char of_percentages = 0;
  r->point = 0;
  while (!r->point && str_next_line(&text, &line)) {
    instruments_cells(r, line, cells);
    for (size_t i = WEIGHT; i <= COUNT && !r->point; i++) {
      pprofc_str amount = str_trim(cells[i]);
      r->point = instruments_point_of(str_slice(amount, 0, instruments_digits(amount)));
    }
    if (!of_percentages)
      of_percentages = instruments_point_of(instruments_percentage(cells[WEIGHT]));
  }
  if (!r->point) r->point = of_percentages;
  if (!r->point) r->point = '.';
}

/* Sets the kind of unit from the first row that has an amount. */
static bool instruments_find_family(struct instruments *r, pprofc_str text) {
  pprofc_str line, cells[COLUMN_KINDS];
  instruments_find_point(r, text);
  while (r->family == FAMILY_NONE && str_next_line(&text, &line)) {
    struct printed_amount weight;
    instruments_cells(r, line, cells);
    if (cells[SYMBOL].size && instruments_amount(r, cells[WEIGHT], STR(""), &weight))
      r->family = weight.family;
  }
  return r->family != FAMILY_NONE;
}

/* Reads the header, and finds the kind of unit. Returns false if the text has no header, or if no
 * row has an amount. */
static bool instruments_skip_header(struct instruments *r, pprofc_str *text) {
  pprofc_str line;
  *text = import_first_line(*text);
  return str_next_line(text, &line) && instruments_header(line, r) &&
         instruments_find_family(r, *text);
}

bool import_is_instruments(pprofc_str text) {
  struct instruments r = {.self_unit = STR("")};
  return instruments_skip_header(&r, &text);
}

IMPORT_READER(import_instruments) {
  struct instruments r = {
      .tree = {.builder = builder, .arena = arena}, .builder = builder, .self_unit = STR("")};
  pprofc_str line;
  instruments_skip_header(&r, &data);
  builder_add_type(builder, str_of(instruments_types[r.family].type),
                   str_of(instruments_types[r.family].unit));
  if (r.columns[COUNT] != SIZE_MAX) {
    pprofc_builder_type(builder, "objects", "count");
    pprofc_builder_default_type(builder, instruments_types[r.family].type);
  }
  while (str_next_line(&data, &line) && builder_ok(builder)) instruments_read_line(&r, line);
  printed_tree_end(&r.tree);
  import_account_one(builder, r.rows - r.bad_lines, "lines", r.bad_lines,
                     "line of Instruments' text could not be read",
                     "lines of Instruments' text could not be read");
}
