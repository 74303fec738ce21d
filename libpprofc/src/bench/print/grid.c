/* Lays out a table of text cells that may span columns, for the text output of benchstatc. */
#include "bench/print/grid.h"

#include "bench/print/print.h"

#include "core/array.h"
#include "core/escape.h"
#include "core/log_guard.h"

#include <stdlib.h>

void grid_init(struct grid *grid, const pprofc_allocator *mem) {
  *grid = (struct grid){.mem = mem};
  arena_init(&grid->arena, mem);
}

void grid_free(struct grid *grid) {
  mem_free(grid->mem, grid->cells, grid->cell_capacity, sizeof *grid->cells);
  mem_free(grid->mem, grid->fixed, grid->fixed_capacity, sizeof *grid->fixed);
  arena_free(&grid->arena);
}

void grid_row(struct grid *grid) {
  if (grid->cell_count) grid->row++;
  grid->column = 0;
}

void grid_column(struct grid *grid, size_t column) {
  grid->column = (uint32_t)column;
}

void grid_span(struct grid *grid, size_t span, pprofc_str text, enum grid_align align,
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

void grid_cell(struct grid *grid, pprofc_str text, enum grid_align align) {
  grid_span(grid, 1, text, align, grid->column == 0 || text.size == 0 ? STR("") : STR(" "));
}

void grid_fix(struct grid *grid, size_t column) {
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
  /* width, margin and offset of each column; `offset` has an additional last item for the end */
  size_t *width, *margin, *offset;
  size_t *open; /* scratch memory: columns that the current cell may widen */
};

static bool is_fixed(const struct grid *grid, size_t column) {
  return column < grid->fixed_capacity && grid->fixed[column];
}

/* Compares two columns by their width. The wider column comes first. If both are equal, the left
 * column comes first. */
static int wider(const void *a, const void *b, const void *context) {
  const size_t *width = context;
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  if (width[x] != width[y]) return width[x] > width[y] ? -1 : 1;
  return (x > y) - (x < y);
}

/* Distributes the width of a cell over the columns that it spans, widest first. Fixed columns keep
 * their width. */
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

/* Computes the widths from the cells that are in a single column. Then widens columns for the cells
 * that span several columns, narrowest first. `wide` is scratch memory for these cells. */
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

/* Writes a cell. *position is the current column in the row. If the previous cell was too wide, the
 * distance to this cell is negative. Then writes as many spaces as the absolute value of the
 * distance, like benchstat. */
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

bool grid_write(struct grid *grid, struct output *out) {
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
