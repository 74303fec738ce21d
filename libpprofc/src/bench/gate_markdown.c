/* Reads the Markdown tables of benchstatc: "| W32 | 1.016u | 1.036u | **+1.97%** (p=0.045 n=10) |".
 */
#include "bench/gate_cell.h"

#define CELLS_MAX 256

/* Cells between bars; "\|" is no bar. */
static size_t cut(pprofc_str line, pprofc_str *cells) {
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

/* "\~ (p=0.783 n=10)", "**+1.97%** (p=0.045 n=10)". */
static void parse_delta(pprofc_str text, struct gate_cell *cell) {
  size_t open = str_find_char(text, '('), close = str_find_char(text, ')');
  cell->comparison = open < close && close < text.size ? str_slice(text, open + 1, close) : STR("");
  pprofc_str rest = str_slice(text, 0, open), word = STR("");
  (void)gate_next_word(&rest, &word);
  while (word.size && (word.data[0] == '*' || word.data[0] == '\\'))
    word = str_slice(word, 1, word.size);
  while (word.size && word.data[word.size - 1] == '*') word.size--;
  cell->delta = word;
}

/* "new sec/op" */
static pprofc_str last_word(pprofc_str text) {
  size_t blank = str_find_last_char(text, ' ');
  return blank < text.size ? str_slice(text, blank + 1, text.size) : text;
}

static bool add_row(struct gate *gate, struct gate_cell *cell, const pprofc_str *head, size_t heads,
                    const pprofc_str *cells, size_t count) {
  cell->name = cells[0];
  bool mean =
      str_equal(cells[0], STR("geomean")) && str_find(cells[1], STR("\xC2\xB1")) == cells[1].size;
  if (mean) return true;
  pprofc_str base = cells[1], center;
  (void)gate_next_word(&base, &center);
  for (size_t i = 2; i + 1 < heads && i + 1 < count; i += 2) {
    pprofc_str value = cells[i];
    cell->base = center;
    (void)gate_next_word(&value, &cell->head);
    cell->unit = last_word(head[i]);
    parse_delta(cells[i + 1], cell);
    if (!gate_add_cell(gate, cell)) return false;
  }
  return true;
}

static bool is_header(const pprofc_str *cells, size_t count) {
  return count >= 4 && !cells[0].size && str_equal(cells[3], STR("vs base"));
}

pprofc_status gate_read_markdown(struct gate *gate, pprofc_str path, pprofc_str data,
                                 pprofc_error *error) {
  struct gate_lines lines = {.rest = data};
  struct gate_cell cell = {.file = path};
  pprofc_str *head = mem_array(gate->mem, (size_t)2 * CELLS_MAX, sizeof *head);
  if (!head) return error_nomem(error);
  pprofc_str *cells = head + CELLS_MAX;
  size_t heads = 0;
  bool found = false, good = true;
  while (good && gate_next_line(&lines)) {
    size_t count = cut(lines.text, cells);
    if (!count) {
      heads = 0;
      (void)gate_key_line(lines.text, &cell.group);
    } else if (is_header(cells, count)) {
      memcpy(head, cells, count * sizeof *head);
      heads = count;
      found = true;
    } else if (heads && count >= 2 && !str_starts(cells[0], STR(":-"))) {
      cell.line = lines.number;
      cell.text = lines.text;
      good = add_row(gate, &cell, head, heads, cells, count);
    }
  }
  mem_free(gate->mem, head, (size_t)2 * CELLS_MAX, sizeof *head);
  if (!good) return error_nomem(error);
  return found ? PPROFC_OK : PPROFC_E_NO_MATCH;
}
