/* Reads benchstat's CSV tables, of the current and of earlier versions. */
#include "gate/read/read.h"

#define FIELDS_MAX 4096

struct csv_table {
  struct gate *gate;
  pprofc_str path, package;
  pprofc_str *fields, *labels, *units;
  size_t field_count, label_count, unit_count;
  bool open, classic, found, several, too_wide;
  pprofc_str metric;     /* metric of the table, as earlier versions of benchstat print it */
  pprofc_str base_label; /* label of the base, from the first table with several columns */
};

/* Copies the quoted field at *at into the arena without its quotes. The result's `data` is NULL
 * when out of memory. Drops text between the closing quote and the comma. */
static pprofc_str csv_take_quoted(struct csv_table *t, pprofc_str line, size_t *at) {
  size_t i = *at + 1, length = 0;
  char *text = arena_alloc(&t->gate->arena, line.size - *at);
  for (; text && i < line.size; i++) {
    bool quote = line.data[i] == '"';
    bool doubled = quote && i + 1 < line.size && line.data[i + 1] == '"';
    if (quote && !doubled) break;
    text[length++] = line.data[i];
    i += doubled;
  }
  while (i < line.size && line.data[i] != ',') i++;
  *at = i;
  return (pprofc_str){text, length};
}

static pprofc_str csv_take_plain(pprofc_str line, size_t *at) {
  size_t from = *at;
  while (*at < line.size && line.data[*at] != ',') ++*at;
  return str_slice(line, from, *at);
}

/* Splits a line into fields. Returns false when out of memory. */
static bool csv_cut(struct csv_table *t, pprofc_str line) {
  t->field_count = 0;
  for (size_t at = 0; at <= line.size && t->field_count < FIELDS_MAX; at++) {
    bool quoted = at < line.size && line.data[at] == '"';
    pprofc_str field = quoted ? csv_take_quoted(t, line, &at) : csv_take_plain(line, &at);
    if (quoted && !field.data) return false;
    t->fields[t->field_count++] = field;
  }
  return true;
}

static pprofc_str field_at(const pprofc_str *fields, size_t count, size_t i) {
  return i < count ? fields[i] : STR("");
}

/* True for the header line ",sec/op,CI,sec/op,CI,vs base,P". */
static bool is_units(const struct csv_table *t) {
  return t->field_count >= 3 && !t->fields[0].size && t->fields[1].size &&
         str_equal(t->fields[2], STR("CI"));
}

/* True for the header of benchstat before 2021: "name,old time/op (ns/op),+-,new ...". */
static bool csv_is_classic(const struct csv_table *t) {
  return t->field_count >= 4 && str_equal(t->fields[0], STR("name")) &&
         str_starts(t->fields[1], STR("old "));
}

static pprofc_str metric_of(pprofc_str header) {
  size_t open = str_find_last_char(header, '(');
  if (open >= header.size || header.data[header.size - 1] != ')')
    return str_slice(header, 4, header.size);
  return str_slice(header, open + 1, header.size - 1);
}

static bool add_classic(struct csv_table *t, struct gate_cell *cell) {
  bool ranges = t->unit_count >= 7;
  size_t step = ranges ? 2 : 1;
  cell->group = t->package;
  cell->base = field_at(t->fields, t->field_count, 1);
  cell->head = field_at(t->fields, t->field_count, 1 + step);
  cell->delta = field_at(t->fields, t->field_count, 1 + 2 * step);
  pprofc_str note = field_at(t->fields, t->field_count, 2 + 2 * step);
  if (note.size > 2 && note.data[0] == '(') note = str_slice(note, 1, note.size - 1);
  cell->comparison = note;
  cell->unit = t->metric;
  if (str_starts(cell->name, STR("[Geo")) || t->field_count < 2) return true;
  return gate_add_cell(t->gate, cell);
}

/* Reads a row, which has two columns for the base, then four columns for each head. */
static bool csv_read_row(struct csv_table *t, const struct gate_lines *lines) {
  struct gate_cell cell = {.file = t->path, .line = lines->number, .text = lines->text};
  cell.name = t->fields[0];
  if (t->classic) return add_classic(t, &cell);
  if (str_equal(cell.name, STR("geomean")) && !field_at(t->fields, t->field_count, 2).size)
    return true;
  cell.group = t->package;
  pprofc_str base = field_at(t->fields, t->field_count, 1);
  if (t->unit_count <= 3) {
    cell.unit = t->units[1];
    bool is_base = str_equal(field_at(t->labels, t->label_count, 1), t->base_label);
    cell.base = is_base ? base : STR("");
    cell.head = is_base ? STR("") : base;
    return !t->several || gate_add_cell(t->gate, &cell);
  }
  for (size_t i = 3; i + 1 < t->unit_count; i += 4) {
    cell.base = base;
    cell.unit = t->units[i];
    cell.head = field_at(t->fields, t->field_count, i);
    cell.delta = field_at(t->fields, t->field_count, i + 2);
    cell.comparison = field_at(t->fields, t->field_count, i + 3);
    pprofc_str label = field_at(t->labels, t->label_count, i);
    if (t->unit_count > 7 && label.size) cell.group = label;
    if (!gate_add_cell(t->gate, &cell)) return false;
  }
  return true;
}

static void swap_fields(pprofc_str **a, pprofc_str **b) {
  pprofc_str *t = *a;
  *a = *b;
  *b = t;
}

/* Begins a table at its line of units. The labels are in the line before. */
static void open_table(struct csv_table *t) {
  t->classic = csv_is_classic(t);
  if (t->classic) t->metric = metric_of(t->fields[1]);
  swap_fields(&t->units, &t->fields);
  t->unit_count = t->field_count;
  t->open = true;
  t->found = true;
  if (!t->several && (t->classic || t->unit_count > 3)) {
    t->several = true;
    t->base_label = field_at(t->labels, t->label_count, 1);
  }
}

/* Adds a problem if a line has too many fields, because the additional fields are not compared. */
static void csv_check_width(struct csv_table *t, size_t line) {
  if (t->field_count < FIELDS_MAX || t->too_wide) return;
  t->too_wide = true;
  gate_problem(t->gate, "%.*s:%zu: more than %d fields", STR_ARG(t->path), line, FIELDS_MAX - 1);
}

static bool csv_read_lines(struct csv_table *t, pprofc_str data, bool rows) {
  struct gate_lines lines = {.rest = data};
  t->open = false;
  t->label_count = 0;
  while (gate_next_line(&lines)) {
    if (!str_trim(lines.text).size) {
      t->open = false;
      t->label_count = 0;
      continue;
    }
    if (!csv_cut(t, lines.text)) return false;
    if (is_units(t) || csv_is_classic(t)) {
      open_table(t);
    } else if (t->open) {
      if (rows) csv_check_width(t, lines.number);
      if (rows && !csv_read_row(t, &lines)) return false;
    } else {
      (void)gate_key_line(t->fields[0], &t->package);
      swap_fields(&t->labels, &t->fields);
      t->label_count = t->field_count;
    }
  }
  return true;
}

pprofc_status gate_read_csv(struct gate *gate, pprofc_str path, pprofc_str data,
                            pprofc_error *error) {
  pprofc_str *fields = mem_array(gate->mem, (size_t)3 * FIELDS_MAX, sizeof *fields);
  if (!fields) return error_nomem(error);
  struct csv_table t = {.gate = gate,
                        .path = path,
                        .fields = fields,
                        .labels = fields + FIELDS_MAX,
                        .units = fields + (size_t)2 * FIELDS_MAX};
  /* The lines are read twice: first to find the label of the base, then to add the rows. */
  bool good = csv_read_lines(&t, data, false);
  t.package = STR("");
  good = good && csv_read_lines(&t, data, true);
  mem_free(gate->mem, fields, (size_t)3 * FIELDS_MAX, sizeof *fields);
  if (!good) return error_nomem(error);
  if (t.found && !t.several)
    gate_problem(gate, "%.*s: a table of one column compares nothing", STR_ARG(path));
  return t.found ? PPROFC_OK : PPROFC_E_NO_MATCH;
}
