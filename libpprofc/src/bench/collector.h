/* Assigns each measurement to a cell of a table (tables.c). */
#ifndef PPROFC_BENCH_COLLECTOR_H
#define PPROFC_BENCH_COLLECTOR_H

#include "bench/filter.h"
#include "bench/tables.h"

/* Identity of a table: a key of the table projection and a unit. */
struct table_id {
  uint32_t key, unit; /* key of the table projection; string index of the unit */
};

struct cell_id {
  uint32_t table, row, column;
};

struct cell_state {
  struct cell_id id;
  uint32_t residue; /* key of the cell's first result in the residue projection */
  bool varied;      /* true if the cell's results have different residue keys */
  size_t count, next;
};

/* A further key in the residue projection among the results of a cell. */
struct cell_residue {
  uint32_t cell, residue;
};

struct tables_collector {
  struct pprofc_bench_tables *t;
  struct pprofc_bench *releases; /* set whose results the tables may free, or NULL */
  struct filter *filter;
  uint32_t *cell_of_value; /* cell of each measurement, MAP_NONE if filtered out; if the set
                              may be freed, this reuses the memory of the units */
  struct table_id *tables;
  size_t table_count, table_capacity;
  struct map table_map;
  struct cell_state *cells;
  size_t cell_count, cell_capacity;
  struct map cell_map;
  size_t expected; /* index after the cell found last; it is tried first, because runs mostly have
                      the same order */
  struct cell_residue *residues;
  size_t residue_count, residue_capacity;
  struct map residue_map;
  uint32_t
      *unit_ranks; /* rank of each unit, by string index: its place in order of first observation */
  uint32_t unit_count;
  bool nomem;
};

/* `releases` is the set of the tables if its results may be freed, or NULL. */
void collector_init(struct tables_collector *c, struct pprofc_bench_tables *t,
                    struct pprofc_bench *releases);

/* Finds the cells of all measurements; needs the filter and the projections. Sets `nomem` when
 * out of memory. */
void collector_fill(struct tables_collector *c);

/* Frees the results that the cells have copied. */
void collector_free_results(struct tables_collector *c);

void collector_free(struct tables_collector *c);

#endif
