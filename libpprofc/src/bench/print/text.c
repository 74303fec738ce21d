/* Prints comparison tables as text. '│' separates the columns. Footnotes are below the table. */
#include "bench/print/print.h"

/* ---- the grid ---------------------------------------- */

/* Lays out a table of text cells, which may span columns. grid_write computes the widths, then
 * writes row by row. The layout is the same as in benchstat's text tables, even where benchstat
 * makes a column too narrow. */

enum grid_align { GRID_LEFT, GRID_CENTER, GRID_RIGHT };

/* A cell of text. The struct is small, because a table can have millions of cells. */
struct grid_cell {
  const char *text, *margin;
  uint32_t text_size, width; /* size of the text in bytes, and its width in code points */
  uint32_t row, column, span;
  uint8_t margin_size, margin_width;
  uint8_t align; /* alignment of the text (enum grid_align) */
  /* rank of the cell's row (print_rank) for -budget, which drops rows; 0 for headers */
  uint8_t rank;
};

struct grid {
  const pprofc_allocator *mem;
  struct arena arena; /* memory for the texts of the cells */
  struct grid_cell *cells;
  size_t cell_count, cell_capacity;
  uint32_t row, column, columns;
  bool *fixed; /* for each column, true if cells that span several columns must not widen this
                  column */
  size_t fixed_capacity;
  uint8_t rank; /* rank (print_rank) of the row that is being added */
  bool failed;  /* true if memory ran out */
};

static void grid_init(struct grid *grid, const pprofc_allocator *mem) {
  *grid = (struct grid){.mem = mem};
  arena_init(&grid->arena, mem);
}

static void grid_free(struct grid *grid) {
  mem_free(grid->mem, grid->cells, grid->cell_capacity, sizeof *grid->cells);
  mem_free(grid->mem, grid->fixed, grid->fixed_capacity, sizeof *grid->fixed);
  arena_free(&grid->arena);
}

static void grid_row(struct grid *grid) {
  if (grid->cell_count) grid->row++;
  grid->column = 0;
}

static void grid_column(struct grid *grid, size_t column) {
  grid->column = (uint32_t)column;
}

/* Adds a cell, and moves to the next column. Copies the text, and makes its control characters
 * visible. The default margin is one space. The first column and empty texts have no margin. */
static void grid_span(struct grid *grid, size_t span, pprofc_str text, enum grid_align align,
                      pprofc_str margin) {
  pprofc_str copy = escape_cell(text, grid->column == 0, &grid->arena);
  if (!copy.data || copy.size > UINT32_MAX || margin.size > UINT8_MAX ||
      !ARRAY_RESERVE(grid->mem, grid->cells, grid->cell_capacity, grid->cell_count + 1)) {
    grid->failed = true;
    return;
  }
  grid->cells[grid->cell_count++] = (struct grid_cell){.row = grid->row,
                                                       .column = grid->column,
                                                       .span = (uint32_t)span,
                                                       .align = (uint8_t)align,
                                                       .rank = grid->rank,
                                                       .width = (uint32_t)utf8_length(copy),
                                                       .margin_width = (uint8_t)utf8_length(margin),
                                                       .text = copy.data,
                                                       .text_size = (uint32_t)copy.size,
                                                       .margin = margin.data,
                                                       .margin_size = (uint8_t)margin.size};
  grid->column += (uint32_t)span;
  if (grid->column > grid->columns) grid->columns = grid->column;
}

static void grid_cell(struct grid *grid, pprofc_str text, enum grid_align align) {
  grid_span(grid, 1, text, align, grid->column == 0 || text.size == 0 ? STR("") : STR(" "));
}

/* Prevents cells that span several columns from widening `column`. */
static void grid_fix(struct grid *grid, size_t column) {
  size_t old = grid->fixed_capacity;
  if (!ARRAY_RESERVE(grid->mem, grid->fixed, grid->fixed_capacity, column + 1)) {
    grid->failed = true;
    return;
  }
  if (grid->fixed_capacity > old)
    memset(grid->fixed + old, 0, (grid->fixed_capacity - old) * sizeof *grid->fixed);
  grid->fixed[column] = true;
}

/* ---- widths ------------------------------------------ */

struct grid_layout {
  /* width, margin and offset of each column; the last offset is the end of the last column */
  size_t *width, *margin, *offset;
  size_t *open; /* scratch memory: columns that the current cell may widen */
};

static bool is_fixed(const struct grid *grid, size_t column) {
  return column < grid->fixed_capacity && grid->fixed[column];
}

/* Compares two columns by their width. The wider column comes first, or the left column if both
 * have the same width. */
static int wider(const void *a, const void *b, const void *context) {
  const size_t *width = context;
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  if (width[x] != width[y]) return width[x] > width[y] ? -1 : 1;
  return (x > y) - (x < y);
}

/* Widens the columns that a cell spans until the cell fits. Fixed columns keep their width. The
 * other columns get equal widths, except columns that are already wider. */
static void grid_widen(const struct grid *grid, const struct grid_cell *cell,
                       struct grid_layout *l) {
  size_t need = cell->width + l->margin[cell->column], have = 0, count = 0;
  size_t end = (size_t)cell->column + cell->span;
  for (size_t c = cell->column; c < end; c++) have += l->width[c];
  if (have >= need) return;
  long long left = (long long)need;
  for (size_t c = cell->column; c < end; c++) {
    if (is_fixed(grid, c))
      left -= (long long)l->width[c];
    else
      l->open[count++] = c;
  }
  array_sort(l->open, count, sizeof *l->open, wider, l->width);
  for (size_t i = 0; i < count; i++) {
    long long share = (left + (long long)(count - i) - 1) / (long long)(count - i);
    size_t *width = &l->width[l->open[i]];
    if (share > (long long)*width) *width = (size_t)share;
    left -= (long long)*width;
  }
}

static int by_span(const void *a, const void *b) {
  const struct grid_cell *x = *(const struct grid_cell *const *)a,
                         *y = *(const struct grid_cell *const *)b;
  if (x->span != y->span) return x->span < y->span ? -1 : 1;
  return (x > y) - (x < y);
}

static size_t count_wide_cells(const struct grid *grid) {
  size_t count = 0;
  for (size_t i = 0; i < grid->cell_count; i++) count += grid->cells[i].span > 1;
  return count;
}

/* Computes the widths of the columns from the cells that are in a single column. After that, widens
 * columns for the cells that span several columns, smallest span first. `wide` is scratch memory
 * for the cells that span several columns. */
static void find_widths(const struct grid *grid, const struct grid_cell **wide,
                        struct grid_layout *l) {
  size_t count = 0;
  for (size_t i = 0; i < grid->cell_count; i++) {
    const struct grid_cell *cell = &grid->cells[i];
    if (cell->margin_width > l->margin[cell->column]) l->margin[cell->column] = cell->margin_width;
    if (cell->span > 1) wide[count++] = cell;
  }
  for (size_t i = 0; i < grid->cell_count; i++) {
    const struct grid_cell *cell = &grid->cells[i];
    size_t need = cell->width + l->margin[cell->column];
    if (cell->span <= 1 && need > l->width[cell->column]) l->width[cell->column] = need;
  }
  qsort(wide, count, sizeof *wide, by_span);
  for (size_t i = 0; i < count; i++) grid_widen(grid, wide[i], l);
  for (size_t c = 0; c < grid->columns; c++) l->offset[c + 1] = l->offset[c] + l->width[c];
}

/* ---- writing ----------------------------------------- */

static bool grid_is_blank(pprofc_str s) {
  return str_trim(s).size == 0;
}

static int by_place(const void *a, const void *b) {
  const struct grid_cell *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  return (x->column > y->column) - (x->column < y->column);
}

static bool cells_are_in_place(const struct grid *grid) {
  for (size_t i = 1; i < grid->cell_count; i++)
    if (by_place(&grid->cells[i - 1], &grid->cells[i]) > 0) return false;
  return true;
}

/* Writes a cell. *position is the current column in the row. If this column is n columns after the
 * start of the cell, writes n spaces before the cell. benchstat has the same flaw. */
static void write_cell(const struct grid_cell *cell, const struct grid_layout *l,
                       long long *position, struct output *out) {
  size_t margin = l->margin[cell->column], before = 0;
  long long distance = (long long)l->offset[cell->column] - *position;
  output_add_fill(out, ' ', (size_t)(distance < 0 ? -distance : distance));
  output_add_fill(out, ' ', margin - cell->margin_width);
  output_add(out, cell->margin, cell->margin_size);
  size_t span = l->offset[cell->column + cell->span] - l->offset[cell->column];
  long long room = (long long)span - (long long)margin - (long long)cell->width;
  if (cell->align == GRID_RIGHT && room > 0) before = (size_t)room;
  if (cell->align == GRID_CENTER) {
    room /= 2;
    before = (size_t)(room < 0 ? -room : room);
  }
  output_add_fill(out, ' ', before);
  output_add(out, cell->text, cell->text_size);
  *position += distance + (long long)(margin + before + cell->width);
}

static void grid_mark_row(const struct grid_cell *cell, struct output *out) {
  if (cell->rank)
    print_mark(out, cell->rank);
  else
    output_no_row(out);
}

static void write_cells(struct grid *grid, const struct grid_layout *l, struct output *out) {
  uint32_t row = 0, marked = 0;
  long long position = 0;
  if (!cells_are_in_place(grid))
    qsort(grid->cells, grid->cell_count, sizeof *grid->cells, by_place);
  for (size_t i = 0; i < grid->cell_count; i++) {
    const struct grid_cell *cell = &grid->cells[i];
    pprofc_str text = {cell->text, cell->text_size}, margin = {cell->margin, cell->margin_size};
    if (grid_is_blank(text) && grid_is_blank(margin)) continue;
    for (; row < cell->row; row++) {
      output_add_char(out, '\n');
      position = 0;
    }
    if (marked <= row) {
      grid_mark_row(cell, out);
      marked = row + 1;
    }
    write_cell(cell, l, &position, out);
  }
  if (grid->cell_count) output_add_char(out, '\n');
  output_no_row(out);
}

static bool grid_write(struct grid *grid, struct output *out) {
  size_t columns = (size_t)grid->columns + 1;
  size_t *numbers = mem_zero_array(grid->mem, columns, 4 * sizeof *numbers);
  size_t wide_count = count_wide_cells(grid);
  const struct grid_cell **wide = mem_array(grid->mem, wide_count, sizeof *wide);
  bool good = numbers && wide && !grid->failed;
  if (good) {
    struct grid_layout l = {numbers, numbers + columns, numbers + 2 * columns,
                            numbers + 3 * columns};
    find_widths(grid, wide, &l);
    write_cells(grid, &l, out);
  }
  mem_free(grid->mem, numbers, columns, 4 * sizeof *numbers);
  mem_free(grid->mem, wide, wide_count, sizeof *wide);
  return good;
}

#define BAR       STR(" \xE2\x94\x82 ")
#define RIGHT_BAR STR(" \xE2\x94\x82")
#define PLUSMINUS STR(" \xC2\xB1 ")

/* A column of results takes several grid columns: center, range and footnotes. The columns after
 * the first also have delta, comparison, and footnotes on the comparison. */
#define COLUMNS 3 /* number of output columns for the first column of results (print_start) */

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
