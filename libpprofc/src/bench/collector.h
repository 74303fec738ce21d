/* Assigns each measurement to a cell of a table (tables.c). */
#ifndef PPROFC_BENCH_COLLECTOR_H
#define PPROFC_BENCH_COLLECTOR_H

#include "bench/filter.h"
#include "bench/tables.h"

/* Identity of a table: the unit of its values, and the key of its values in the projection
 * -table. */
struct table_id {
  uint32_t key, unit; /* index of the key in the projection -table; string index of the unit */
};

struct cell_id {
  uint32_t table, row, column;
};

struct cell_state {
  struct cell_id id;
  uint32_t residue; /* key of the cell's first result in the residue projection, which has the keys
                       that no other projection uses */
  bool varied;      /* true if the cell's results differ in a key that no projection uses */
  size_t count, next;
};

/* A cell and the residue key of one of its results. */
struct cell_residue {
  uint32_t cell, residue;
};

struct tables_collector {
  struct pprofc_bench_tables *t;
  struct pprofc_bench *releases; /* set whose results and measurements may be freed while the tables
                                    are made, or NULL */
  struct filter *filter;
  uint32_t *cell_of_value; /* cell of each measurement; MAP_NONE if the filter drops the
                              measurement. If `releases` is set, the array reuses the memory of the
                              units. */
  struct table_id *tables;
  size_t table_count, table_capacity;
  struct map table_map;
  struct cell_state *cells;
  size_t cell_count, cell_capacity;
  struct map cell_map;
  size_t expected; /* index after the last cell that was found. The search tries the cell with this
                      index first, because most benchmark runs have the same order. */
  struct cell_residue *residues;
  size_t residue_count, residue_capacity;
  struct map residue_map;
  uint32_t *unit_ranks; /* for each string, its rank among the units in the order of first use */
  uint32_t unit_count;
  bool nomem;
};

/* Prepares the collector. `releases` is the set of the tables if the collector may free its
 * results, or NULL. */
void collector_init(struct tables_collector *c, struct pprofc_bench_tables *t,
                    struct pprofc_bench *releases);

/* Finds the cells of all measurements. Needs the filter and the projections. Sets `nomem` when out
 * of memory. */
void collector_fill(struct tables_collector *c);

/* Frees the results of the set. Call this after the cells have copied the values. */
void collector_free_results(struct tables_collector *c);

void collector_free(struct tables_collector *c);

#endif
