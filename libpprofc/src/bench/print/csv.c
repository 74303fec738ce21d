/* Prints comparison tables as CSV. Writes the warnings to a second output, each with the position
 * of its cell. */
#include "bench/print/print.h"

#define CSV_COLUMNS 2 /* number of fields for the first column of results: center and interval */

struct csv {
  struct printer *printer;
  size_t column; /* number of fields already written in this row */
  size_t row;    /* row number, from 1 */
};

/* True if a field needs quotes according to Go's encoding/csv. */
static bool csv_needs_quotes(pprofc_str field) {
  if (!field.size) return false;
  if (str_equal(field, STR("\\."))) return true;
  for (size_t i = 0; i < field.size; i++)
    if (strchr(",\"\r\n", field.data[i]) && field.data[i]) return true;
  return space_at(field) != 0;
}

void print_csv_field(struct output *out, pprofc_str field) {
  if (!csv_needs_quotes(field)) {
    escape_line_to_output(out, field);
    return;
  }
  output_add_char(out, '"');
  while (field.size) {
    size_t quote = str_find_char(field, '"');
    escape_line_to_output(out, str_slice(field, 0, quote));
    if (quote == field.size) break;
    output_add_text(out, "\"\"");
    field = str_slice(field, quote + 1, field.size);
  }
  output_add_char(out, '"');
}

static void csv_add_field(struct csv *csv, pprofc_str field) {
  if (csv->column++) output_add_char(csv->printer->out, ',');
  print_csv_field(csv->printer->out, field);
}

static void csv_pad_to(struct csv *csv, size_t column) {
  while (csv->column < column) csv_add_field(csv, STR(""));
}

static void csv_end_row(struct csv *csv) {
  output_add_char(csv->printer->out, '\n');
  csv->column = 0;
  csv->row++;
}

/* Writes warnings such as "F14: text", with the column and row of the cell. The column is a number
 * in base 26 in which A is 0, so BA follows Z, as in benchstat. */
static void csv_warn(struct csv *csv, const char *const *notes, size_t count) {
  if (!csv->printer->warn) return;
  char letters[24];
  size_t start = sizeof letters, column = csv->column;
  do {
    letters[--start] = (char)('A' + column % 26);
    column /= 26;
  } while (column);
  for (size_t i = 0; i < count; i++) {
    output_printf(csv->printer->warn, "%.*s%zu: ", (int)(sizeof letters - start), letters + start,
                  csv->row);
    escape_line_to_output(csv->printer->warn, str_of(notes[i]));
    output_add_char(csv->printer->warn, '\n');
  }
}

static void csv_add_number(struct csv *csv, double value) {
  struct buffer *text = &csv->printer->scratch;
  buffer_clear(text);
  number_print(text, value);
  csv_add_field(csv, buffer_str(text));
}

static void csv_add_headers(struct csv *csv, const struct table *table) {
  pprofc_str unit = set_string(csv->printer->tables->set, table->unit);
  for (size_t f = 0; f < csv->printer->tables->col_by.field_count; f++) {
    for (size_t i = 0; i < table->column_count; i++) {
      csv_pad_to(csv, print_start(i, CSV_COLUMNS));
      csv_add_field(csv, print_column_value(csv->printer, table, i, f));
    }
    csv_pad_to(csv, print_start(table->column_count, CSV_COLUMNS));
    csv_end_row(csv);
  }
  for (size_t i = 0; i < table->column_count; i++) {
    csv_pad_to(csv, print_start(i, CSV_COLUMNS));
    csv_add_field(csv, unit);
    csv_add_field(csv, STR("CI"));
    if (i == 0) continue;
    csv_add_field(csv, STR("vs base"));
    csv_add_field(csv, STR("P"));
  }
  csv_end_row(csv);
}

static void csv_add_cell(struct csv *csv, const struct table *table,
                         const pprofc_bench_cell *cell) {
  csv_pad_to(csv, print_start(cell->column, CSV_COLUMNS));
  csv_warn(csv, cell->notes, cell->sample_notes);
  csv_add_number(csv, cell->center);
  csv_add_field(csv, print_range(csv->printer, cell));
  if (!cell_baseline(table, cell)) return;
  csv_warn(csv, cell->notes + cell->sample_notes, cell->comparison_notes);
  csv_add_field(csv, print_delta(csv->printer, table, cell));
  csv_add_field(csv, print_comparison(csv->printer, table, cell, false));
}

static void csv_add_summary(struct csv *csv, const struct table *table) {
  struct buffer *text = &csv->printer->scratch;
  csv_add_field(csv, STR("geomean"));
  for (size_t i = 0; i < table->column_count; i++) {
    const struct table_summary *s = &table->summaries[i];
    csv_pad_to(csv, print_start(i, CSV_COLUMNS));
    csv_warn(csv, s->notes, s->note_count);
    if (s->has_center) csv_add_number(csv, s->center);
    if (i == 0) continue;
    csv_pad_to(csv, print_start(i, CSV_COLUMNS) + CSV_COLUMNS);
    buffer_clear(text);
    print_summary_ratio(text, s);
    csv_add_field(csv, buffer_str(text));
  }
  csv_pad_to(csv, print_start(table->column_count, CSV_COLUMNS));
  csv_end_row(csv);
}

static void csv_add_table(struct csv *csv, const struct table *table) {
  csv_add_headers(csv, table);
  const pprofc_bench_cell *cell = table->cells, *end = cell + table->cell_count;
  for (size_t row = 0; row < table->row_count; row++) {
    csv_add_field(csv, table->row_labels[row]);
    for (; cell < end && cell->row == row; cell++) csv_add_cell(csv, table, cell);
    csv_end_row(csv);
  }
  csv_add_summary(csv, table);
}

void print_csv(struct printer *p) {
  struct csv csv = {.printer = p, .row = 1};
  const struct pprofc_bench_tables *t = p->tables;
  for (size_t i = 0; i < t->table_count; i++) {
    if (i > 0) csv_end_row(&csv);
    for (size_t f = 0; f < t->table_by.field_count; f++) {
      pprofc_str line = print_key_line(p, i, f);
      if (!line.data) continue;
      csv_add_field(&csv, line);
      csv_end_row(&csv);
    }
    csv_add_table(&csv, &t->tables[i]);
  }
}
