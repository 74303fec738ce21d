/* Reads text tables of earlier benchstat versions. Two or more spaces separate the cells. */
#include "gate/read/read.h"

#define CLASSIC_CELLS 16

static size_t classic_cut(pprofc_str line, pprofc_str *cells) {
  size_t count = 0, i = 0;
  while (i < line.size && count < CLASSIC_CELLS) {
    while (i < line.size && line.data[i] == ' ') i++;
    size_t from = i;
    while (i < line.size &&
           !(line.data[i] == ' ' && (i + 1 == line.size || line.data[i + 1] == ' ')))
      i++;
    if (i > from) cells[count++] = str_slice(line, from, i);
  }
  return count;
}

/* Parses the header "name  old time/op  new time/op  delta". */
static bool header_of(const pprofc_str *cells, size_t count, pprofc_str *metric) {
  if (count != 4 || !str_equal(cells[0], STR("name")) || !str_equal(cells[3], STR("delta")) ||
      !str_starts(cells[1], STR("old ")) || !str_starts(cells[2], STR("new ")))
    return false;
  *metric = str_slice(cells[1], 4, cells[1].size);
  return str_equal(*metric, str_slice(cells[2], 4, cells[2].size));
}

static bool is_delta(pprofc_str text) {
  return str_equal(text, STR("~")) || str_equal(text, STR("?")) ||
         (text.size > 1 && text.data[text.size - 1] == '%' &&
          str_find(text, STR("\xC2\xB1")) == text.size);
}

/* Reads a row: name, old, new, delta, and a note in parentheses. */
static bool classic_read_row(struct gate *gate, struct gate_cell *cell, const pprofc_str *cells,
                             size_t count) {
  bool noted = cells[count - 1].data[0] == '(';
  if (count != 4 + (size_t)noted || !is_delta(cells[3])) {
    gate_problem(gate, "%.*s:%zu: no comparison: %.*s", STR_ARG(cell->file), cell->line,
                 STR_ARG(utf8_prefix(cell->text, GATE_SHOWN)));
    return true;
  }
  pprofc_str base = cells[1], head = cells[2];
  cell->name = cells[0];
  (void)gate_next_word(&base, &cell->base);
  (void)gate_next_word(&head, &cell->head);
  cell->delta = cells[3];
  cell->comparison = noted ? str_slice(cells[4], 1, cells[4].size - 1) : STR("");
  return gate_add_cell(gate, cell);
}

pprofc_status gate_read_classic(struct gate *gate, pprofc_str path, pprofc_str data,
                                pprofc_error *error) {
  struct gate_lines lines = {.rest = data};
  struct gate_cell cell = {.file = path};
  bool found = false, open = false;
  while (gate_next_line(&lines)) {
    pprofc_str cells[CLASSIC_CELLS], metric;
    size_t count = classic_cut(lines.text, cells);
    if (count == 0) {
      open = false;
    } else if (header_of(cells, count, &metric)) {
      open = found = true;
      cell.unit = metric;
    } else if (str_starts(cells[0], STR("name \\ "))) {
      gate_problem(gate, "%.*s:%zu: a table of more than two files has no comparison",
                   STR_ARG(path), lines.number);
      found = true;
    } else if (open && count == 1) {
      pprofc_str package = STR("");
      if (gate_key_line(cells[0], &package)) cell.group = cells[0];
    } else if (open && !str_starts(cells[0], STR("[Geo"))) {
      cell.line = lines.number;
      cell.text = lines.text;
      if (!classic_read_row(gate, &cell, cells, count)) return error_nomem(error);
    }
  }
  return found ? PPROFC_OK : PPROFC_E_NO_MATCH;
}
