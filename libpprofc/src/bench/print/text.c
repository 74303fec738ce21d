/* Prints comparison tables as text. '│' separates the columns. Footnotes are below the table. */
#include "bench/number.h"
#include "bench/print/grid.h"
#include "bench/print/print.h"
#include "bench/units.h"
#include "core/log_guard.h"

#define BAR       STR(" \xE2\x94\x82 ")
#define RIGHT_BAR STR(" \xE2\x94\x82")
#define PLUSMINUS STR(" \xC2\xB1 ")

/* A column of results takes several grid columns: center, range and notes. The columns after the
 * first also have delta, comparison and notes. */
#define COLUMNS 3 /* number of output columns for the first column of results */

struct print_text_table {
  struct printer *printer;
  const struct table *table;
  struct grid grid;
  struct footnotes notes;
  struct buffer marks;
};

/* ---- headers ----------------------------------------- */

/* True if the columns a and b have equal values in the first `fields` fields. */
static bool text_same_columns(const struct print_text_table *t, size_t a, size_t b, size_t fields) {
  const struct pprofc_bench_tables *tables = t->printer->tables;
  for (size_t f = 0; f < fields; f++)
    if (projection_value(&tables->col_by, t->table->columns[a], tables->col_flat[f]) !=
        projection_value(&tables->col_by, t->table->columns[b], tables->col_flat[f]))
      return false;
  return true;
}

/* Adds a header row for each field of the column key. Adjacent columns share a cell if they have
 * equal values in this field and in all fields above. */
static void text_add_headers(struct print_text_table *t) {
  size_t columns = t->table->column_count, right = print_start(columns, COLUMNS);
  for (size_t f = 0; f < t->printer->tables->col_by.field_count; f++) {
    grid_row(&t->grid);
    for (size_t from = 0, to; from < columns; from = to) {
      for (to = from + 1; to < columns && text_same_columns(t, from, to, f + 1); to++) continue;
      grid_column(&t->grid, print_start(from, COLUMNS));
      grid_span(&t->grid, print_start(to, COLUMNS) - print_start(from, COLUMNS),
                print_column_value(t->printer, t->table, from, f), GRID_CENTER, BAR);
    }
    grid_column(&t->grid, right);
    grid_span(&t->grid, 1, STR(""), GRID_LEFT, RIGHT_BAR);
  }
}

static void add_units(struct print_text_table *t) {
  pprofc_str unit = set_string(t->printer->tables->set, t->table->unit);
  grid_row(&t->grid);
  for (size_t i = 0; i < t->table->column_count; i++) {
    size_t start = print_start(i, COLUMNS);
    grid_column(&t->grid, start);
    grid_span(&t->grid, COLUMNS, unit, GRID_CENTER, BAR);
    if (i > 0) grid_span(&t->grid, COLUMNS, STR("vs base"), GRID_LEFT, STR("  "));
    for (size_t column = start + 1; column < t->grid.column; column++) grid_fix(&t->grid, column);
  }
  grid_column(&t->grid, print_start(t->table->column_count, COLUMNS));
  grid_span(&t->grid, 1, STR(""), GRID_LEFT, RIGHT_BAR);
}

/* ---- rows -------------------------------------------- */

static void text_add_marks(struct print_text_table *t, const char *const *notes, size_t count) {
  buffer_clear(&t->marks);
  for (size_t i = 0; i < count; i++) {
    size_t number = footnotes_number(&t->notes, notes[i]);
    if (!number) t->printer->failed = true;
    if (i) buffer_add_char(&t->marks, ' ');
    print_superscript(&t->marks, number);
  }
  grid_cell(&t->grid, buffer_str(&t->marks), GRID_LEFT);
}

static void text_add_cell(struct print_text_table *t, const pprofc_bench_cell *cell,
                          struct unit_scale scale) {
  struct printer *p = t->printer;
  grid_column(&t->grid, print_start(cell->column, COLUMNS));
  buffer_clear(&p->scratch);
  unit_print(&p->scratch, scale, cell->center);
  grid_cell(&t->grid, buffer_str(&p->scratch), GRID_RIGHT);
  grid_span(&t->grid, 1, print_range(p, cell), GRID_RIGHT, PLUSMINUS);
  text_add_marks(t, cell->notes, cell->sample_notes);
  if (!cell_baseline(t->table, cell)) return;
  grid_cell(&t->grid, print_delta(p, t->table, cell), GRID_RIGHT);
  grid_cell(&t->grid, print_comparison(p, t->table, cell, true), GRID_LEFT);
  text_add_marks(t, cell->notes + cell->sample_notes, cell->comparison_notes);
}

static void text_add_rows(struct print_text_table *t) {
  bool binary = unit_is_binary(set_string(t->printer->tables->set, t->table->unit));
  const pprofc_bench_cell *cell = t->table->cells, *end = cell + t->table->cell_count;
  for (size_t row = 0; row < t->table->row_count; row++) {
    const pprofc_bench_cell *first = cell;
    while (cell < end && cell->row == row) cell++;
    t->grid.rank = (uint8_t)print_rank(t->table, first, cell);
    grid_row(&t->grid);
    grid_cell(&t->grid, t->table->row_labels[row], GRID_LEFT);
    struct unit_scale scale = print_row_scale(first, cell, binary);
    for (; first < cell; first++) text_add_cell(t, first, scale);
  }
  t->grid.rank = 0;
}

static void text_add_summary(struct print_text_table *t) {
  struct buffer *text = &t->printer->scratch;
  bool binary = unit_is_binary(set_string(t->printer->tables->set, t->table->unit));
  grid_row(&t->grid);
  grid_cell(&t->grid, STR("geomean"), GRID_LEFT);
  for (size_t i = 0; i < t->table->column_count; i++) {
    const struct table_summary *s = &t->table->summaries[i];
    if (s->has_center) {
      grid_column(&t->grid, print_start(i, COLUMNS));
      buffer_clear(text);
      unit_print(text, unit_scale_of(s->center, binary), s->center);
      grid_cell(&t->grid, buffer_str(text), GRID_RIGHT);
    }
    if (i > 0) {
      grid_column(&t->grid, print_start(i, COLUMNS) + COLUMNS);
      buffer_clear(text);
      print_summary_ratio(text, s);
      grid_cell(&t->grid, buffer_str(text), s->has_ratio ? GRID_RIGHT : GRID_LEFT);
    }
    grid_column(&t->grid, print_start(i + 1, COLUMNS) - 1);
    text_add_marks(t, s->notes, s->note_count);
  }
}

static void text_add_table(struct printer *p, const struct table *table) {
  const pprofc_allocator *mem = &p->tables->mem;
  struct print_text_table t = {.printer = p, .table = table, .notes.mem = mem};
  grid_init(&t.grid, mem);
  buffer_init(&t.marks, mem, (size_t)1 << 20);
  text_add_headers(&t);
  add_units(&t);
  text_add_rows(&t);
  if (table->row_count > 1) text_add_summary(&t);
  if (!grid_write(&t.grid, p->out) || t.marks.failed) p->failed = true;
  for (size_t i = 0; i < t.notes.count; i++) {
    buffer_clear(&t.marks);
    print_superscript(&t.marks, i + 1);
    output_add_str(p->out, buffer_str(&t.marks));
    output_add_char(p->out, ' ');
    escape_line_to_output(p->out, str_of(t.notes.texts[i]));
    output_add_char(p->out, '\n');
  }
  buffer_free(&t.marks);
  p->failed |= t.notes.failed;
  footnotes_free(&t.notes);
  grid_free(&t.grid);
}

void print_text(struct printer *p) {
  for (size_t i = 0; i < p->tables->table_count; i++) {
    if (i > 0) output_add_char(p->out, '\n');
    for (size_t f = 0; f < p->tables->table_by.field_count; f++) {
      pprofc_str line = print_key_line(p, i, f);
      if (!line.data) continue;
      escape_line_to_output(p->out, line);
      output_add_char(p->out, '\n');
    }
    text_add_table(p, &p->tables->tables[i]);
  }
}
