/* Which cell of which table each measurement belongs to, for the tables (tables.c). */
#ifndef PPROFC_BENCH_COLLECTOR_H
#define PPROFC_BENCH_COLLECTOR_H

#include "bench/filter.h"
#include "bench/tables.h"

/* Tables and cells are found by the keys of the projections. */
struct table_id {
  uint32_t key, unit; /* the unit's string */
};

struct cell_id {
  uint32_t table, row, column;
};

struct cell_state {
  struct cell_id id;
  uint32_t residue; /* the first one seen */
  bool varied;      /* more than one was */
  size_t count, next;
};

/* A second residue key of a cell. */
struct cell_residue {
  uint32_t cell, residue;
};

/* Measurements of neighbouring lines mostly belong to the same cells: the cell of the previous
 * line's measurement at the same place is tried first. */
#define PLACES 16
struct cell_place {
  struct cell_id id;
  uint32_t key, unit, cell;
};

struct tables_collector {
  struct pprofc_bench_tables *t;
  struct pprofc_bench *forgets; /* the set when it may be emptied, or NULL */
  struct filter *filter;
  uint32_t *cell_of_value; /* MAP_NONE for what is filtered out; in a set that may be emptied, a
                              cell takes the place of a unit that is needed no more */
  struct table_id *tables;
  size_t table_count, table_capacity;
  struct map table_map;
  struct cell_state *cells;
  size_t cell_count, cell_capacity;
  struct map cell_map;
  size_t
      expected; /* the cell behind the last one that was found: runs mostly have the same order */
  struct cell_residue *residues;
  size_t residue_count, residue_capacity;
  struct map residue_map;
  uint32_t *unit_ranks; /* by string: order of first observation */
  uint32_t unit_count;
  struct cell_place places[PLACES];
  bool nomem;
};

/* `forgets` is the set of the tables when it may be emptied, or NULL. */
void collector_init(struct tables_collector *c, struct pprofc_bench_tables *t,
                    struct pprofc_bench *forgets);

/* Finds the cells of all measurements; the filter and the projections are there. What goes wrong is
 * in `nomem`. */
void collector_fill(struct tables_collector *c);

/* Gives back what the cells have copies of. */
void collector_forget(struct tables_collector *c);

void collector_free(struct tables_collector *c);

#endif
