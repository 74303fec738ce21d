/* Reads Markdown of benchstatc: "| W32 | 1.016u | 1.036u | **+1.97%** (p=0.045 n=10) |". */
#include "gate/read/read.h"

#define CELLS_MAX 4096

/* Splits a line at '|', but not at "\|". */
static size_t markdown_cut(pprofc_str line, pprofc_str *cells) {
  size_t count = 0, from = 1;
  line = str_trim(line);
  if (!line.size || line.data[0] != '|') return 0;
  for (size_t i = 1; i < line.size && count < CELLS_MAX; i++)
    if (line.data[i] == '|' && line.data[i - 1] != '\\') {
      cells[count++] = str_trim(str_slice(line, from, i));
      from = i + 1;
    }
  return count;
}

/* Parses "\~ (p=0.783 n=10)" or "**+1.97%** (p=0.045 n=10)". */
static void markdown_parse_delta(pprofc_str text, struct gate_cell *cell) {
  size_t open = str_find_char(text, '('), close = str_find_char(text, ')');
  cell->comparison = open < close && close < text.size ? str_slice(text, open + 1, close) : STR("");
  pprofc_str rest = str_slice(text, 0, open), word = STR("");
  (void)gate_next_word(&rest, &word);
  while (word.size && (word.data[0] == '*' || word.data[0] == '\\'))
    word = str_slice(word, 1, word.size);
  while (word.size && word.data[word.size - 1] == '*') word.size--;
  cell->delta = word;
}

/* Returns the last word: "sec/op" for "new sec/op". */
static pprofc_str last_word(pprofc_str text) {
  size_t blank = str_find_last_char(text, ' ');
  return blank < text.size ? str_slice(text, blank + 1, text.size) : text;
}

/* Returns the label: "new" for "new sec/op". */
static pprofc_str label_of(pprofc_str text) {
  return str_slice(text, 0, str_find_last_char(text, ' '));
}

struct gate_markdown_table {
  struct gate *gate;
  struct gate_cell cell;
  pprofc_str head[CELLS_MAX], cells[CELLS_MAX];
  size_t heads, count;
  bool too_wide; /* true after the reader has reported a line with too many cells; it reports only
                    the first */
  bool found;    /* true after the first table with a comparison */
  pprofc_str base_label; /* label of the base, from the first table with several columns */
};

static bool markdown_is_header(const pprofc_str *cells, size_t count) {
  return count >= 4 && !cells[0].size && str_equal(cells[3], STR("vs base"));
}

static bool is_single_header(const pprofc_str *cells, size_t count) {
  return count == 2 && !cells[0].size && str_find_char(cells[1], ' ') < cells[1].size;
}

/* Adds a row of a table that has a single column. The label of the column shows if it is base or
 * head. */
static bool add_single(struct gate_markdown_table *t) {
  pprofc_str value = t->cells[1], center = STR("");
  (void)gate_next_word(&value, &center);
  bool is_base = str_equal(label_of(t->head[1]), t->base_label);
  t->cell.base = is_base ? center : STR("");
  t->cell.head = is_base ? STR("") : center;
  t->cell.unit = last_word(t->head[1]);
  return gate_add_cell(t->gate, &t->cell);
}

/* Returns the text of a cell without its backquotes. */
static pprofc_str without_code(pprofc_str text) {
  size_t fence = 0;
  while (fence < text.size && text.data[fence] == '`') fence++;
  if (!fence || text.size <= 2 * fence) return text;
  for (size_t i = text.size - fence; i < text.size; i++)
    if (text.data[i] != '`') return text;
  return str_trim(str_slice(text, fence, text.size - fence));
}

static bool markdown_read_row(struct gate_markdown_table *t) {
  pprofc_str base = t->cells[1], center = STR("");
  t->cell.name = without_code(t->cells[0]);
  bool mean = str_equal(t->cells[0], STR("geomean")) &&
              str_find(t->cells[1], STR("\xC2\xB1")) == t->cells[1].size;
  if (mean) return true;
  if (t->heads == 2) return add_single(t);
  (void)gate_next_word(&base, &center);
  for (size_t i = 2; i + 1 < t->heads && i + 1 < t->count; i += 2) {
    pprofc_str value = t->cells[i];
    t->cell.base = center;
    t->cell.head = STR("");
    (void)gate_next_word(&value, &t->cell.head);
    t->cell.unit = last_word(t->head[i]);
    markdown_parse_delta(t->cells[i + 1], &t->cell);
    if (!gate_add_cell(t->gate, &t->cell)) return false;
  }
  return true;
}

/* Adds a problem if a line has too many cells, because the additional cells are not compared. */
static void markdown_check_width(struct gate_markdown_table *t, size_t line) {
  if (t->count < CELLS_MAX || t->too_wide) return;
  t->too_wide = true;
  gate_problem(t->gate, "%.*s:%zu: more than %d cells", STR_ARG(t->cell.file), line, CELLS_MAX - 1);
}

/* Reads the lines. Without `rows`, finds the label of the base. With `rows`, adds the rows. */
static bool markdown_read_lines(struct gate_markdown_table *t, pprofc_str data, bool rows) {
  struct gate_lines lines = {.rest = data};
  t->heads = 0;
  while (gate_next_line(&lines)) {
    t->count = markdown_cut(lines.text, t->cells);
    bool header = markdown_is_header(t->cells, t->count);
    if (!t->count) {
      t->heads = 0;
      (void)gate_key_line(lines.text, &t->cell.group);
    } else if (header || is_single_header(t->cells, t->count)) {
      memcpy(t->head, t->cells, t->count * sizeof *t->head);
      t->heads = t->count;
      if (header && !t->found) t->base_label = label_of(t->cells[1]);
      t->found |= header;
    } else if (rows && t->heads && t->count >= 2 && !str_starts(t->cells[0], STR(":-"))) {
      markdown_check_width(t, lines.number);
      t->cell.line = lines.number;
      t->cell.text = lines.text;
      if (!markdown_read_row(t)) return false;
    }
  }
  return true;
}

pprofc_status gate_read_markdown(struct gate *gate, pprofc_str path, pprofc_str data,
                                 pprofc_error *error) {
  struct gate_markdown_table *table = mem_zero_array(gate->mem, 1, sizeof *table);
  if (!table) return error_nomem(error);
  table->gate = gate;
  table->cell.file = path;
  (void)markdown_read_lines(table, data, false);
  table->cell.group = STR("");
  bool found = table->found, good = !found || markdown_read_lines(table, data, true);
  mem_free(gate->mem, table, 1, sizeof *table);
  if (!good) return error_nomem(error);
  return found ? PPROFC_OK : PPROFC_E_NO_MATCH;
}
