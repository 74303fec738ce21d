/* Lists the output formats of comparison tables and implements the functions that they share. */
#include "bench/print/print.h"
#include "core/brief.h"

/* formats in the order of the help */
static const struct print_format print_formats[] = {
    {"text", print_text, true},  {"csv", print_csv, true},    {"markdown", print_markdown, false},
    {"json", print_json, false}, {"html", print_html, false},
};

/* Appends how many of the omitted rows have a significant change. */
static void print_describe_left(const void *context, const struct brief_left *left,
                                struct buffer *to) {
  (void)context;
  buffer_printf(to, " (%.0Lf significant)", left->amount);
}

int print_rank(const struct table *table, const pprofc_bench_cell *from,
               const pprofc_bench_cell *to) {
  double most = -1;
  for (; from < to; from++) {
    const pprofc_bench_cell *baseline = cell_baseline(table, from);
    if (!baseline || from->p > from->alpha || from->center == baseline->center) continue;
    most = fmax(most, 100 * fabs(from->center / baseline->center - 1));
  }
  return most < 0 ? 1 : 2 + (int)fmin(most, PRINT_RANKS);
}

void print_mark(struct output *out, int rank) {
  output_row(out, rank, 0, rank > 1);
}

static pprofc_status printer_flush(const struct printer *printer, pprofc_error *error) {
  pprofc_status status = printer->warn ? output_flush(printer->warn, error) : PPROFC_OK;
  if (status == PPROFC_OK) status = output_flush(printer->out, error);
  if (printer->out->brief) brief_settle(printer->out->brief, print_describe_left, NULL, NULL);
  return status;
}

pprofc_status pprofc_bench_print(const pprofc_bench_tables *tables, const char *format,
                                 pprofc_write_fn write, void *context, pprofc_write_fn warn,
                                 void *warn_context, pprofc_error *error) {
  const struct print_format *found = STR_ROW(str_of(format), print_formats);
  if (!found) return error_set(error, PPROFC_E_INVALID, "unknown format '%s'", format);
  struct output *outputs = mem_array(&tables->mem, 2, sizeof *outputs);
  if (!outputs) return error_nomem(error);
  struct printer printer = {
      .tables = tables, .out = &outputs[0], .warn = warn ? &outputs[1] : NULL};
  struct log_guard guards[2];
  if (found->is_log)
    log_guard_output(printer.out, &guards[0], write, context);
  else
    output_init(printer.out, write, context);
  if (warn) log_guard_output(printer.warn, &guards[1], warn, warn_context);
  buffer_init(&printer.scratch, &tables->mem, (size_t)1 << 30);
  found->print(&printer);
  bool failed = printer.failed || printer.scratch.failed;
  buffer_free(&printer.scratch);
  pprofc_status status = printer_flush(&printer, error);
  mem_free(&tables->mem, outputs, 2, sizeof *outputs);
  return status == PPROFC_OK && failed ? error_nomem(error) : status;
}

/* ---- shared parts ------------------------------------ */

pprofc_str print_key_line(struct printer *printer, size_t i, size_t field) {
  const struct pprofc_bench_tables *t = printer->tables;
  const struct projection *p = &t->table_by;
  size_t column = t->table_flat[field];
  uint32_t value = projection_value(p, t->tables[i].key, column);
  if (i > 0 && value == projection_value(p, t->tables[i - 1].key, column))
    return (pprofc_str){NULL, 0};
  buffer_clear(&printer->scratch);
  buffer_add_str(&printer->scratch, p->fields[column].name);
  buffer_add_text(&printer->scratch, ": ");
  buffer_add_str(&printer->scratch, extract_string(&t->extractor, value));
  return buffer_str(&printer->scratch);
}

/* Returns -1, 0 or 1 for the sign of x, and 2 for NaN. */
static int sign_of(double x) {
  return isnan(x) ? 2 : (x > 0) - (x < 0);
}

pprofc_str print_range(struct printer *printer, const pprofc_bench_cell *cell) {
  struct buffer *out = &printer->scratch;
  int sign = sign_of(cell->center);
  buffer_clear(out);
  if (isinf(cell->low) || isinf(cell->high)) {
    buffer_add_text(out, "\xE2\x88\x9E");
  } else if (sign == 2 || sign != sign_of(cell->low) || sign != sign_of(cell->high)) {
    buffer_add_char(out, '?');
  } else if (cell->center == 0) {
    buffer_add_text(out, "0%");
  } else {
    number_print_fixed(out, 100 * fmax(cell->high / cell->center - 1, 1 - cell->low / cell->center),
                       0, false);
    buffer_add_char(out, '%');
  }
  return buffer_str(out);
}

/* Appends a ratio as "+1.23%". */
static void print_ratio(struct buffer *out, double ratio) {
  number_print_fixed(out, (ratio - 1.0) * 100.0, 2, true);
  buffer_add_char(out, '%');
}

pprofc_str print_delta(struct printer *printer, const struct table *table,
                       const pprofc_bench_cell *cell) {
  struct buffer *out = &printer->scratch;
  double was = cell_baseline(table, cell)->center, is = cell->center;
  buffer_clear(out);
  if (cell->p > cell->alpha)
    buffer_add_char(out, '~');
  else if (was == is)
    buffer_add_text(out, "0.00%");
  else if (was == 0)
    buffer_add_char(out, '?');
  else
    print_ratio(out, is / was);
  return buffer_str(out);
}

pprofc_str print_comparison(struct printer *printer, const struct table *table,
                            const pprofc_bench_cell *cell, bool parentheses) {
  struct buffer *out = &printer->scratch;
  size_t before = cell_baseline(table, cell)->count;
  char text[FIXED_MAX];
  buffer_clear(out);
  if (parentheses) buffer_add_char(out, '(');
  if (cell->p != 0 && fixed_print(text, cell->p, 3))
    buffer_printf(out, "p=%s ", text);
  else if (cell->p != 0)
    buffer_printf(out, "p=%0.3f ", cell->p);
  if (cell->count == before)
    buffer_printf(out, "n=%zu", before);
  else
    buffer_printf(out, "n=%zu+%zu", before, cell->count);
  if (parentheses) buffer_add_char(out, ')');
  return buffer_str(out);
}

pprofc_str print_column_value(const struct printer *printer, const struct table *table,
                              size_t column, size_t field) {
  const struct pprofc_bench_tables *t = printer->tables;
  uint32_t value = projection_value(&t->col_by, table->columns[column], t->col_flat[field]);
  return extract_string(&t->extractor, value);
}

struct unit_scale print_row_scale(const pprofc_bench_cell *first, const pprofc_bench_cell *end,
                                  bool binary) {
  double least = 0; /* The value with the smallest absolute value determines the scale. */
  for (const pprofc_bench_cell *cell = first; cell < end; cell++) {
    double magnitude = cell->center < 0 ? -cell->center : cell->center;
    if (magnitude != 0 && (least == 0 || magnitude < least)) least = magnitude;
  }
  return unit_scale_of(least, binary);
}

/* ---- footnotes --------------------------------------- */

void footnotes_free(struct footnotes *notes) {
  mem_free(notes->mem, notes->texts, notes->capacity, sizeof *notes->texts);
}

size_t footnotes_number(struct footnotes *notes, const char *text) {
  for (size_t i = 0; i < notes->count; i++)
    if (strcmp(notes->texts[i], text) == 0) return i + 1;
  notes->failed |= !ARRAY_PUSH(notes->mem, notes->texts, notes->count, notes->capacity, text);
  return notes->failed ? 0 : notes->count;
}

void print_summary_ratio(struct buffer *out, const struct table_summary *summary) {
  if (summary->has_ratio)
    print_ratio(out, summary->ratio);
  else
    buffer_add_char(out, '?');
}

void print_superscript(struct buffer *out, size_t number) {
  static const char *const digits[] = {
      "\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",     "\xE2\x81\xB4",
      "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7", "\xE2\x81\xB8", "\xE2\x81\xB9"};
  char text[24];
  int size = snprintf(text, sizeof text, "%zu", number);
  for (int i = 0; i < size; i++) buffer_add_text(out, digits[text[i] - '0']);
}

/* ---- views ------------------------------------------- */

size_t pprofc_bench_table_count(const pprofc_bench_tables *tables) {
  return tables->table_count;
}

pprofc_bench_table pprofc_bench_table_at(const pprofc_bench_tables *tables, size_t i) {
  const struct table *table = &tables->tables[i];
  return (pprofc_bench_table){.unit = set_string(tables->set, table->unit),
                              .exact = table->exact,
                              .rows = table->row_count,
                              .columns = table->column_count,
                              .cells = table->cell_count,
                              .cell = table->cells};
}

size_t pprofc_bench_key_count(const pprofc_bench_tables *tables) {
  return tables->table_by.field_count;
}

pprofc_str pprofc_bench_key_name(const pprofc_bench_tables *tables, size_t key) {
  return tables->table_by.fields[tables->table_flat[key]].name;
}

pprofc_str pprofc_bench_key_value(const pprofc_bench_tables *tables, size_t table, size_t key) {
  uint32_t value =
      projection_value(&tables->table_by, tables->tables[table].key, tables->table_flat[key]);
  return extract_string(&tables->extractor, value);
}

pprofc_str pprofc_bench_row_label(const pprofc_bench_tables *tables, size_t table, size_t row) {
  return tables->tables[table].row_labels[row];
}

pprofc_str pprofc_bench_column_label(const pprofc_bench_tables *tables, size_t table,
                                     size_t column) {
  return tables->tables[table].column_labels[column];
}
