/* Lays out a table of text cells, which may span columns. grid_write computes the widths, then
 * writes row by row. The layout is the same as in benchstat's text tables, even if a column is too
 * narrow. */
#ifndef PPROFC_BENCH_PRINT_GRID_H
#define PPROFC_BENCH_PRINT_GRID_H

#include "core/buffer.h"
#include "core/output.h"

enum grid_align { GRID_LEFT, GRID_CENTER, GRID_RIGHT };

/* A cell of text. The struct is small, because a table can have millions of cells. */
struct grid_cell {
  const char *text, *margin;
  uint32_t text_size, width; /* size of the text in bytes, and its width in code points */
  uint32_t row, column, span;
  uint8_t margin_size, margin_width;
  uint8_t align; /* alignment of the text (enum grid_align) */
  /* rank of the cell's row (print_rank), in case -budget shortens the report; 0 for headers */
  uint8_t rank;
};

struct grid {
  const pprofc_allocator *mem;
  struct arena arena; /* memory for the texts of the cells */
  struct grid_cell *cells;
  size_t cell_count, cell_capacity;
  uint32_t row, column, columns;
  bool *fixed; /* for each column, true if cells that span several columns must not widen it */
  size_t fixed_capacity;
  uint8_t rank; /* rank of the current row */
  bool failed;  /* true if memory ran out */
};

void grid_init(struct grid *grid, const pprofc_allocator *mem);
void grid_free(struct grid *grid);

/* The first function starts the next row. The second moves to a column in the current row. */
void grid_row(struct grid *grid);
void grid_column(struct grid *grid, size_t column);

/* Adds a cell, and moves to the next column. Copies the text, and makes its control characters
 * visible. The default margin is one space. The first column and empty texts have no margin. */
void grid_cell(struct grid *grid, pprofc_str text, enum grid_align align);
void grid_span(struct grid *grid, size_t span, pprofc_str text, enum grid_align align,
               pprofc_str margin);

/* Prevents cells that span several columns from widening this column. */
void grid_fix(struct grid *grid, size_t column);

/* Writes the table. Returns false when out of memory. */
bool grid_write(struct grid *grid, struct output *out);

#endif
