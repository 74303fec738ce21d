/* Assigns each measurement to a cell of a comparison table (tables.c). */
#ifndef PPROFC_BENCH_COLLECTOR_H
#define PPROFC_BENCH_COLLECTOR_H

#include "bench/filter.h"
#include "bench/tables.h"

/* Identity of a table: the unit of its values, and the key of its values in the projection -table.
 * A projection maps a result to a key. */
struct table_id {
  uint32_t key, unit; /* index of the key in the projection -table; string index of the unit */
};

struct cell_id {
  uint32_t table, row, column;
};

struct cell_state {
  struct cell_id id;
  uint32_t residue; /* key of the cell's first result in the residue projection, whose keys no other
                       projection uses */
  bool varied;      /* true if results of the cell differ in a key that no projection uses */
  size_t count, next;
};

/* A cell, and the residue key of one of its results: the values of the keys that no other
 * projection uses. */
struct cell_residue {
  uint32_t cell, residue;
};

struct tables_collector {
  struct pprofc_bench_tables *t;
  struct pprofc_bench *releases; /* set whose results and measurements may be freed while the tables
                                    are made; NULL: free nothing */
  struct filter *filter;
  uint32_t *cell_of_value; /* for each measurement, its cell; MAP_NONE if the filter drops the
                              measurement. If `releases` is set, the array reuses the memory of the
                              units. */
  struct table_id *tables;
  size_t table_count, table_capacity;
  struct map table_map;
  struct cell_state *cells;
  size_t cell_count, cell_capacity;
  struct map cell_map;
  size_t expected; /* index after the cell that was found last. The search first tries the cell at
                      this index, because most benchmark runs have the same order. */
  struct cell_residue *residues;
  size_t residue_count, residue_capacity;
  struct map residue_map;
  uint32_t
      *unit_ranks; /* for each string, its rank among the units in the order of their first use */
  uint32_t unit_count;
  bool nomem;
};

/* Prepares the collector. `releases` is the set of the tables if the collector may free its
 * results; otherwise NULL. */
void collector_init(struct tables_collector *c, struct pprofc_bench_tables *t,
                    struct pprofc_bench *releases);

/* Finds the cells of all measurements. The filter and the projections must be ready. Sets `nomem`
 * when out of memory. */
void collector_fill(struct tables_collector *c);

/* Frees the results of the set. The cells must have copied the values before. */
void collector_free_results(struct tables_collector *c);

void collector_free(struct tables_collector *c);

#endif
