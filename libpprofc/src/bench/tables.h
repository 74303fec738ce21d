/* Declares comparison tables. Each result belongs to a cell by its keys, and each cell has
 * statistics. */
#ifndef PPROFC_BENCH_TABLES_H
#define PPROFC_BENCH_TABLES_H

#include "bench/projection.h"
#include "pprofc/bench.h"

/* Summary row of a column: the geometric mean of its centers, and of its ratios to the baseline. */
struct table_summary {
  bool has_center, has_ratio;
  double center, ratio;
  const char *notes[3];
  size_t note_count;
};

struct table {
  uint32_t key;  /* index of the table's key in the projection -table */
  uint32_t unit; /* string index of the tidied unit */
  bool exact;
  uint32_t *rows, *columns; /* sorted keys of the rows, and sorted keys of the columns */
  size_t row_count, column_count;
  pprofc_str *row_labels, *column_labels;
  pprofc_bench_cell *cells; /* cells by row, then column */
  size_t cell_count;
  struct table_summary *summaries; /* one summary per column */
};

struct pprofc_bench_tables {
  pprofc_allocator mem;
  struct arena arena;
  const struct pprofc_bench *set;
  pprofc_bench_options options;
  struct extractor extractor;
  struct projection_group group;
  struct projection table_by, row_by, col_by, ignored, residue;
  size_t *table_flat, *row_flat, *col_flat, *residue_flat;
  double *values; /* values of all cells */
  size_t value_count;
  struct table *tables;
  size_t table_count;
};

/* Does the same as pprofc_bench_compare, but frees the results of the set after the tables have
 * copied them. */
pprofc_status tables_compare_and_free(pprofc_bench *set, const pprofc_bench_options *options,
                                      pprofc_bench_tables **tables, pprofc_error *error);

/* Returns the baseline of a cell, or NULL. */
static inline const pprofc_bench_cell *cell_baseline(const struct table *table,
                                                     const pprofc_bench_cell *cell) {
  return cell->baseline == SIZE_MAX ? NULL : &table->cells[cell->baseline];
}

/* Computes the statistics of every cell and the summary rows of every table. Returns false when out
 * of memory. */
bool tables_compute(struct pprofc_bench_tables *tables);

#endif
