/* Declares comparison tables. The options -table, -row and -col select the cell of a result, and
 * each cell has statistics. */
#ifndef PPROFC_BENCH_TABLES_H
#define PPROFC_BENCH_TABLES_H

#include "bench/projection.h"

/* Summary row of a column: the geometric mean of its centers (medians or means), and of their
 * ratios to the baseline. */
struct table_summary {
  bool has_center, has_ratio;
  double center, ratio;
  const char *notes[3];
  size_t note_count;
};

struct table {
  uint32_t key;  /* index of the table's key (list of values) in the projection of -table */
  uint32_t unit; /* string index of the tidied unit */
  bool exact;
  uint32_t *rows, *columns; /* keys of the rows, and keys of the columns, both sorted */
  size_t row_count, column_count;
  pprofc_str *row_labels, *column_labels;
  pprofc_bench_cell *cells; /* cells, sorted by row, then by column */
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

/* Returns the cell with which a cell is compared, or NULL. */
static inline const pprofc_bench_cell *cell_baseline(const struct table *table,
                                                     const pprofc_bench_cell *cell) {
  return cell->baseline == SIZE_MAX ? NULL : &table->cells[cell->baseline];
}

/* Computes the statistics of every cell and the summary rows of every table. Returns false when out
 * of memory. */
bool tables_compute(struct pprofc_bench_tables *tables);

/* ---- cells of the tables ---------------------------- */

/* ---- filters ---------------------------------------- */

struct filter;

/* Compiles a query into a filter for the set of the extractor. May add strings to the extractor. */
pprofc_status filter_compile(struct extractor *extractor, pprofc_str query, struct filter **filter,
                             pprofc_error *error);
void filter_free(struct filter *filter);

/* Selects a result. filter_value then tests its measurements. Returns false if the filter rejects
 * all measurements of the result. */
bool filter_result(struct filter *filter, size_t result);

/* True if the filter keeps a measurement of the selected result. `unit` is an index into the units
 * of the set. */
bool filter_value(struct filter *filter, uint32_t unit);

/* True if a regular expression of the filter exceeded its limits (regex_tripped). */
bool filter_tripped(const struct filter *filter);

/* Identity of a table: the unit of its values, and the key to which the option -table maps their
 * results. */
struct table_id {
  uint32_t key, unit; /* key in the projection of -table; string index of the unit */
};

struct cell_id {
  uint32_t table, row, column;
};

struct cell_state {
  struct cell_id id;
  uint32_t residue; /* key of the cell's first result in the projection t->residue */
  bool varied;      /* true if results of the cell differ in a key that no projection uses */
  size_t count, next;
};

/* Index of a cell, and a key in the projection t->residue that a result of this cell has. */
struct cell_residue {
  uint32_t cell, residue;
};

struct tables_collector {
  struct pprofc_bench_tables *t;
  struct pprofc_bench *releases; /* set whose results and measurements may be freed while the tables
                                    are made; NULL: free nothing */
  struct filter *filter;
  /* For each measurement, the index of its cell; MAP_NONE if the filter drops the measurement. If
   * `releases` is set, the array reuses the memory of releases->value_unit. */
  uint32_t *cell_of_value;
  struct table_id *tables;
  size_t table_count, table_capacity;
  struct map table_map;
  struct cell_state *cells;
  size_t cell_count, cell_capacity;
  struct map cell_map;
  size_t expected; /* index of the cell that the next search tries first, because most inputs list
                      the benchmarks in the same order */
  struct cell_residue *residues;
  size_t residue_count, residue_capacity;
  struct map residue_map;
  /* for each string of the set that is a unit, its rank in the order of first use; else MAP_NONE */
  uint32_t *unit_ranks;
  uint32_t unit_count;
  bool nomem;
};

/* Prepares the collector, which makes the tables of the set t->set. To let the collector free the
 * results of this set, pass the set as `releases`. To keep the results, pass NULL. */
void collector_init(struct tables_collector *c, struct pprofc_bench_tables *t,
                    struct pprofc_bench *releases);

/* Finds the cells of all measurements. The filter and the projections must be ready. Sets `nomem`
 * when out of memory. */
void collector_fill(struct tables_collector *c);

/* Frees the results of the set. The cells must have copied the values before. */
void collector_free_results(struct tables_collector *c);

void collector_free(struct tables_collector *c);

#endif
