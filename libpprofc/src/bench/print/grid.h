/* A table of text cells in which cells may span columns. grid_write finds the widths, then writes
 * row by row. The rules are those of benchstat's text tables, overflow of narrow columns included.
 */
#ifndef PPROFC_BENCH_PRINT_GRID_H
#define PPROFC_BENCH_PRINT_GRID_H

#include "core/buffer.h"
#include "core/output.h"

enum grid_align { GRID_LEFT, GRID_CENTER, GRID_RIGHT };

/* There is one for each text of a table at a time, so it is small. */
struct grid_cell {
  const char *text, *margin;
  uint32_t text_size, width; /* in bytes and in code points */
  uint32_t row, column, span;
  uint8_t margin_size, margin_width;
  uint8_t align; /* an enum grid_align */
};

struct grid {
  const pprofc_allocator *mem;
  struct arena arena; /* texts */
  struct grid_cell *cells;
  size_t cell_count, cell_capacity;
  uint32_t row, column, columns;
  bool *fixed; /* columns that only their own cells widen */
  size_t fixed_capacity;
  bool failed; /* out of memory */
};

void grid_init(struct grid *grid, const pprofc_allocator *mem);
void grid_free(struct grid *grid);

/* Starts the next row; moves to a column of it. */
void grid_row(struct grid *grid);
void grid_column(struct grid *grid, size_t column);

/* Adds a cell and moves behind it. The text is copied, with everything that could drive a terminal
 * made visible. The usual margin is one blank, none in the first column and for an empty text. */
void grid_cell(struct grid *grid, pprofc_str text, enum grid_align align);
void grid_span(struct grid *grid, size_t span, pprofc_str text, enum grid_align align,
               pprofc_str margin);

/* Only cells of one column may widen this one. */
void grid_fix(struct grid *grid, size_t column);

/* False when out of memory. */
bool grid_write(struct grid *grid, struct output *out);

#endif
