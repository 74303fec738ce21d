/* Reads benchstat's text tables. The columns are between the '│' characters of the header. The
 * reader finds cells by the positions of these characters in code points, because names may contain
 * spaces and cells may be empty. */
#include "gate/read/read.h"

#define BAR        "\xE2\x94\x82"
#define PLUS_MINUS "\xC2\xB1"

/* A header line: the columns of its '│' characters in code points, and the texts between them. */
struct text_header {
  size_t *bars;
  pprofc_str *cells; /* texts between the '│' characters; one text fewer than `bars` */
  size_t bar_count;
};

struct gate_text_table {
  struct gate *gate;
  pprofc_str path, package;
  /* last two header lines of the table: labels of the columns, and units */
  struct text_header labels, units;
  size_t headers; /* number of header lines so far */
  const struct text_header *columns;
  bool open, found;      /* open: true if rows may follow; found: true if a table was found */
  pprofc_str base_label; /* label of the base, from the first table with several columns */
  bool several;
};

/* Position in a line, in bytes and in code points. */
struct text_cursor {
  pprofc_str line;
  size_t position, column;
};

/* Returns the text from the cursor to `column` (in code points). Moves the cursor to `column`. */
static pprofc_str slice_to(struct text_cursor *cursor, size_t column) {
  size_t from = cursor->position;
  for (; cursor->position < cursor->line.size && cursor->column < column; cursor->column++)
    (void)utf8_next(cursor->line, &cursor->position);
  return from < cursor->position ? str_trim(str_slice(cursor->line, from, cursor->position))
                                 : STR("");
}

static size_t count_bars(pprofc_str line) {
  size_t position = 0, count = 0;
  while (position < line.size) count += utf8_next(line, &position) == 0x2502;
  return count;
}

/* Finds the '│' characters of a line and the texts between them in one pass. */
static bool text_read_header(struct gate_text_table *t, pprofc_str line,
                             struct text_header *header) {
  size_t position = 0, column = 0, count = count_bars(line) + 1, behind = 0;
  *header =
      (struct text_header){.bars = arena_array(&t->gate->arena, count, sizeof *header->bars),
                           .cells = arena_array(&t->gate->arena, count, sizeof *header->cells)};
  if (!header->bars || !header->cells) return false;
  for (; position < line.size; column++) {
    size_t start = position;
    if (utf8_next(line, &position) != 0x2502) continue;
    size_t bar = header->bar_count++;
    if (bar) header->cells[bar - 1] = str_trim(str_slice(line, behind, start));
    header->bars[bar] = column;
    behind = position;
  }
  return true;
}

static bool text_is_header(pprofc_str line) {
  pprofc_str end = line;
  while (end.size && end.data[end.size - 1] == ' ') end.size--;
  return str_ends(end, STR(BAR)) && str_find(line, STR(PLUS_MINUS)) == line.size;
}

static bool is_superscript(pprofc_str word) {
  size_t position = 0;
  while (position < word.size) {
    int32_t c = utf8_next(word, &position);
    if (c != 0xB2 && c != 0xB3 && c != 0xB9 && c != 0x2070 && !(c >= 0x2074 && c <= 0x2079))
      return false;
  }
  return word.size > 0;
}

/* Returns the text in a column of a header line, or "" if the line has too few columns. */
static pprofc_str header_cell(const struct text_header *header, size_t column) {
  return column + 1 < header->bar_count ? header->cells[column] : STR("");
}

static pprofc_str unit_of(const struct gate_text_table *t, size_t column) {
  pprofc_str cell = header_cell(&t->units, column);
  if (str_ends(cell, STR("vs base"))) cell = str_trim(str_slice(cell, 0, cell.size - 7));
  return cell;
}

/* Parses "1.025u +- 2% 1 +1.97% (p=0.045 n=10) 2". */
static void parse_cell(pprofc_str text, pprofc_str *center, pprofc_str *delta,
                       pprofc_str *comparison) {
  size_t open = str_find_char(text, '('), close = str_find_char(text, ')');
  if (open < close && close < text.size) *comparison = str_slice(text, open + 1, close);
  pprofc_str rest = str_slice(text, 0, open), word;
  if (!gate_next_word(&rest, center)) return;
  size_t mark = str_find(rest, STR(PLUS_MINUS));
  if (mark < rest.size) {
    rest = str_slice(rest, mark + sizeof PLUS_MINUS - 1, rest.size);
    (void)gate_next_word(&rest, &word); /* skips the range after `center` */
  }
  while (gate_next_word(&rest, &word))
    if (!is_superscript(word)) *delta = word;
}

static bool text_read_row(struct gate_text_table *t, const struct gate_lines *lines) {
  struct gate_cell cell = {.file = t->path, .line = lines->number, .text = lines->text};
  pprofc_str unused = {NULL, 0}, comparison = {NULL, 0};
  struct text_cursor cursor = {.line = lines->text};
  const size_t *bars = t->columns->bars, bar_count = t->columns->bar_count;
  cell.name = slice_to(&cursor, bars[0]);
  parse_cell(slice_to(&cursor, bars[1]), &cell.base, &unused, &comparison);
  pprofc_str base = cell.base;
  bool one_column = bar_count == 2;
  cell.group = t->package;
  if (one_column) {
    /* A single column is the base if its label is the base's label in the other tables. */
    cell.unit = unit_of(t, 0);
    bool is_base = str_equal(header_cell(&t->labels, 0), t->base_label);
    cell.base = is_base ? base : STR("");
    cell.head = is_base ? STR("") : base;
    return gate_add_cell(t->gate, &cell);
  }
  for (size_t e = 1; e + 1 < bar_count; e++) {
    cell.base = base;
    cell.head = STR("");
    cell.delta = STR("");
    cell.comparison = STR("");
    cell.unit = unit_of(t, e);
    if (bar_count > 3) {
      pprofc_str label = header_cell(&t->labels, e);
      if (label.size) cell.group = label;
    }
    /* The last cell may be wider than its header. */
    size_t end = e + 2 < bar_count ? bars[e + 1] : SIZE_MAX;
    parse_cell(slice_to(&cursor, end), &cell.head, &cell.delta, &cell.comparison);
    if (!gate_add_cell(t->gate, &cell)) return false;
  }
  return true;
}

static bool text_add_header(struct gate_text_table *t, pprofc_str line) {
  t->labels = t->open && t->headers ? t->units : (struct text_header){.bars = NULL};
  t->headers++;
  t->open = true;
  t->columns = t->headers > 1 ? &t->labels : &t->units;
  return text_read_header(t, line, &t->units);
}

static bool has_columns(const struct gate_text_table *t) {
  return t->open && t->columns->bar_count >= 2 && (t->columns->bar_count > 2 || t->several);
}

static void close_table(struct gate_text_table *t) {
  t->open = false;
  t->headers = 0;
}

/* Reads the lines. An empty line ends a table. A header that follows rows begins another table. */
static bool text_read_lines(struct gate_text_table *t, pprofc_str data) {
  struct gate_lines lines = {.rest = data};
  bool rows = false;
  while (gate_next_line(&lines)) {
    if (text_is_header(lines.text)) {
      if (rows) close_table(t);
      rows = false;
      if (!text_add_header(t, lines.text)) return false;
      t->found |= t->columns->bar_count >= 2;
      continue;
    }
    if (str_trim(lines.text).size == 0) {
      close_table(t);
      rows = false;
    } else if (has_columns(t) && str_find(lines.text, STR(PLUS_MINUS)) < lines.text.size) {
      rows = true;
      if (!text_read_row(t, &lines)) return false;
    } else if (!t->open) {
      (void)gate_key_line(lines.text, &t->package);
    }
  }
  return true;
}

/* Finds the first table with a comparison, and stores the label of its base. */
static bool text_find_sides(struct gate_text_table *t, pprofc_str data) {
  struct gate_lines lines = {.rest = data};
  pprofc_str previous = STR("");
  while (!t->several && gate_next_line(&lines)) {
    bool header = text_is_header(lines.text);
    if (header && str_find(lines.text, STR("vs base")) < lines.text.size) {
      t->several = true;
      struct text_header labels;
      if (!text_read_header(t, previous, &labels)) return false;
      t->base_label = header_cell(&labels, 0);
    }
    previous = header ? lines.text : STR("");
  }
  return true;
}

pprofc_status gate_read_text(struct gate *gate, pprofc_str path, pprofc_str data,
                             pprofc_error *error) {
  struct gate_text_table *table = mem_zero_array(gate->mem, 1, sizeof *table);
  if (!table) return error_nomem(error);
  table->gate = gate;
  table->path = path;
  bool good = text_find_sides(table, data) && text_read_lines(table, data);
  bool found = table->found;
  if (found && !table->several)
    gate_problem(gate, "%.*s: a table of one column compares nothing", STR_ARG(path));
  mem_free(gate->mem, table, 1, sizeof *table);
  if (!good) return error_nomem(error);
  return found ? PPROFC_OK : PPROFC_E_NO_MATCH;
}
