/* Parses the cells of comparison tables into rows of the gate. */
#include "gate/read/read.h"

/* A p-value printed as 0.000 is below this number. */
#define P_BELOW 0.0005

bool gate_next_word(pprofc_str *rest, pprofc_str *word) {
  size_t i = 0, from;
  while (i < rest->size && (rest->data[i] == ' ' || rest->data[i] == '\t')) i++;
  from = i;
  while (i < rest->size && rest->data[i] != ' ' && rest->data[i] != '\t') i++;
  *word = str_slice(*rest, from, i);
  *rest = str_slice(*rest, i, rest->size);
  return word->size > 0;
}

bool gate_next_line(struct gate_lines *lines) {
  if (!str_next_line(&lines->rest, &lines->text)) return false;
  lines->number++;
  return true;
}

bool gate_key_line(pprofc_str line, pprofc_str *package) {
  size_t colon = str_find_char(line, ':');
  if (colon == 0 || colon == line.size || line.data[0] < 'a' || line.data[0] > 'z') return false;
  for (size_t i = 0; i < colon; i++)
    if (line.data[i] == ' ' || line.data[i] == ',' || line.data[i] == '|') return false;
  if (str_equal(str_slice(line, 0, colon), STR("pkg")))
    *package = str_trim(str_slice(line, colon + 1, line.size));
  return true;
}

/* ---- numbers ----------------------------------------- */

static const struct {
  const char *text;
  double factor;
} prefixes[] = {{"Ki", 1024.0}, {"Mi", 1048576.0},  {"Gi", 1073741824.0}, {"Ti", 1099511627776.0},
                {"k", 1e3},     {"M", 1e6},         {"G", 1e9},           {"T", 1e12},
                {"m", 1e-3},    {"\xC2\xB5", 1e-6}, {"\xCE\xBC", 1e-6},   {"u", 1e-6},
                {"n", 1e-9},    {"p", 1e-12}};

/* Parses "13.6ms", "1.007Mi" or "120" as a number in base units (seconds, bytes). Returns false if
 * the text has no number. */
static bool gate_parse_center(pprofc_str text, double *value) {
  size_t digits = 0;
  while (digits < text.size && strchr("+-.0123456789", text.data[digits])) digits++;
  /* Parse the whole text first, because in CSV numbers such as "1e-06", the last characters are not
   * a unit. */
  if (str_parse_float(text, value)) return true;
  double number;
  if (!str_parse_float(str_slice(text, 0, digits), &number)) return false;
  pprofc_str rest = str_slice(text, digits, text.size);
  *value = number;
  for (size_t i = 0; i < COUNT(prefixes); i++)
    if (str_starts(rest, str_of(prefixes[i].text))) {
      *value = number * prefixes[i].factor;
      break;
    }
  return true;
}

/* Parses "+21.50%" as a relative number, 0.215. */
static bool cell_parse_delta(pprofc_str text, double *value) {
  if (text.size < 2 || text.data[text.size - 1] != '%') return false;
  pprofc_str number = str_slice(text, text.data[0] == '+', text.size - 1);
  double percent;
  if (!str_parse_float(number, &percent)) return false;
  *value = percent / 100;
  return true;
}

/* Parses the sample sizes: "10" or "10+9". */
static bool cell_parse_counts(pprofc_str text, size_t *base, size_t *head) {
  size_t plus = str_find_char(text, '+');
  uint64_t a, b;
  if (!str_parse_uint(str_slice(text, 0, plus), 10, &a)) return false;
  b = a;
  if (plus < text.size && !str_parse_uint(str_slice(text, plus + 1, text.size), 10, &b))
    return false;
  *base = (size_t)a;
  *head = (size_t)b;
  return true;
}

/* Parses "p=0.016 n=4+5", or a reason for a missing p-value such as "all equal". */
static bool parse_comparison(pprofc_str text, struct gate_row *row, bool *has_p) {
  pprofc_str word;
  while (gate_next_word(&text, &word)) {
    if (str_starts(word, STR("p="))) {
      if (!str_parse_float(str_slice(word, 2, word.size), &row->p)) return false;
      *has_p = true;
    } else if (str_starts(word, STR("n="))) {
      if (!cell_parse_counts(str_slice(word, 2, word.size), &row->base_count, &row->head_count))
        return false;
    }
  }
  return !isnan(row->p);
}

/* ---- rows -------------------------------------------- */

static bool malformed(struct gate *gate, const struct gate_cell *cell, const char *what) {
  gate_problem(gate, "%.*s:%zu: %s: %.*s", STR_ARG(cell->file), cell->line, what,
               STR_ARG(utf8_prefix(cell->text, GATE_SHOWN)));
  return true;
}

/* Parses the delta: "~", "?" or a percentage. The caller first sets row->base and row->head.
 * Returns an error text, or NULL. */
static const char *cell_set_delta(struct gate_row *row, pprofc_str delta) {
  bool from_zero = row->base == 0 && row->head != 0 && !isnan(row->head);
  row->delta = from_zero && str_equal(delta, STR("?")) ? (double)INFINITY : (double)NAN;
  if (STR_ANY(str_equal, delta, "~", "?")) return NULL;
  if (!cell_parse_delta(delta, &row->delta)) return "no comparison";
  return isnan(row->delta) ? "the difference is not a number" : NULL;
}

/* Parses the centers (printed medians or means). Returns an error text, or NULL. */
static const char *cell_read_centers(struct gate_row *row, const struct gate_cell *cell) {
  row->in_base = cell->base.size > 0;
  row->in_head = cell->head.size > 0;
  bool good = (!row->in_base || gate_parse_center(cell->base, &row->base)) &&
              (!row->in_head || gate_parse_center(cell->head, &row->head));
  return good ? NULL : "not a number";
}

/* Marks the row as exact if its table shows a difference without a p-value: benchstat omits the
 * p-value only for values that do not vary. */
static void cell_set_exact(struct gate_row *row) {
  row->exact = !row->tested && fabs(row->delta) > 0;
  row->constant = row->exact;
}

/* Parses the result of the test ("p=0.016 n=4+5"). Returns an error text, or NULL. */
static const char *cell_read_comparison(struct gate_row *row, const struct gate_cell *cell) {
  const char *wrong = cell_set_delta(row, cell->delta);
  if (wrong) return wrong;
  if (!parse_comparison(cell->comparison, row, &row->tested)) return "the p-value is not a number";
  if (row->p < 0) return "the p-value is not between 0 and 1";
  cell_set_exact(row);
  row->least_p = P_BELOW;
  if (row->tested && row->p == 0) row->p = P_BELOW;
  row->p = fmin(row->p, 1); /* For ties in samples of unequal sizes, benchstat prints p above 1. */
  return NULL;
}

static void cell_set_texts(struct gate_row *row, const struct gate_cell *cell) {
  row->group = cell->group;
  row->name = cell->name;
  row->unit = cell->unit;
  row->file = cell->file;
  row->line = cell->line;
  row->text = cell->text;
  row->test = "table";
}

bool gate_add_cell(struct gate *gate, const struct gate_cell *cell) {
  struct gate_row row = gate_row_unknown();
  cell_set_texts(&row, cell);
  const char *wrong = cell_read_centers(&row, cell);
  if (!wrong && !row.in_base && !row.in_head) return true;
  if (!wrong && row.in_base && row.in_head) wrong = cell_read_comparison(&row, cell);
  return wrong ? malformed(gate, cell, wrong) : gate_add(gate, &row);
}
