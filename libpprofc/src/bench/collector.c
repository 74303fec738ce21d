/* Assigns each measurement of a set to a cell of a comparison table. The options -table, -row and
 * -col select the table, row and column. */
#include "bench/tables.h"

void collector_init(struct tables_collector *c, struct pprofc_bench_tables *t,
                    struct pprofc_bench *releases) {
  *c = (struct tables_collector){.t = t, .releases = releases};
  map_init(&c->table_map, &t->mem);
  map_init(&c->cell_map, &t->mem);
  map_init(&c->residue_map, &t->mem);
}

static uint32_t collector_table(struct tables_collector *c, uint32_t key, uint32_t unit) {
  uint64_t hash = hash_mix(key, unit);
  MAP_FIND(index, &c->table_map, hash,
           c->tables[index].key == key && c->tables[index].unit == unit);
  if (index != MAP_NONE) return index;
  c->nomem |= !MAP_PUSH(&c->t->mem, &c->table_map, hash, c->tables, c->table_count,
                        c->table_capacity, (struct table_id){key, unit});
  if (c->nomem) return 0;
  if (c->unit_ranks[unit] == MAP_NONE) c->unit_ranks[unit] = c->unit_count++;
  return (uint32_t)c->table_count - 1;
}

static bool collector_same_cell(const struct cell_id *a, const struct cell_id *b) {
  return a->table == b->table && a->row == b->row && a->column == b->column;
}

static uint32_t collector_cell(struct tables_collector *c, struct cell_id id, uint32_t residue) {
  if (c->expected < c->cell_count && collector_same_cell(&c->cells[c->expected].id, &id))
    return (uint32_t)c->expected;
  uint64_t hash = hash_mix(hash_mix(id.table, id.row), id.column);
  MAP_FIND(index, &c->cell_map, hash, collector_same_cell(&c->cells[index].id, &id));
  if (index != MAP_NONE) return index;
  c->nomem |= !MAP_PUSH(&c->t->mem, &c->cell_map, hash, c->cells, c->cell_count, c->cell_capacity,
                        (struct cell_state){.id = id, .residue = residue});
  return c->nomem ? MAP_NONE : (uint32_t)c->cell_count - 1;
}

static void collector_note_residue(struct tables_collector *c, uint32_t cell, uint32_t residue) {
  uint64_t hash = hash_mix(cell, residue);
  MAP_FIND(index, &c->residue_map, hash,
           c->residues[index].cell == cell && c->residues[index].residue == residue);
  if (index != MAP_NONE) return;
  c->nomem |= !MAP_PUSH(&c->t->mem, &c->residue_map, hash, c->residues, c->residue_count,
                        c->residue_capacity, (struct cell_residue){cell, residue});
  c->cells[cell].varied = true;
}

/* Returns the cell of a table (`key`, `unit`) at `row` and `column`. Adds the cell if it is new. */
static uint32_t collector_cell_of(struct tables_collector *c, uint32_t key, uint32_t unit,
                                  uint32_t row, uint32_t column, uint32_t residue) {
  struct cell_id id = {collector_table(c, key, unit), row, column};
  uint32_t cell = c->nomem ? MAP_NONE : collector_cell(c, id, residue);
  c->expected = (size_t)cell + 1;
  return cell;
}

static void collector_add_result(struct tables_collector *c, size_t result) {
  struct pprofc_bench_tables *t = c->t;
  const struct pprofc_bench *set = t->set;
  size_t first = set->results[result].first_value, end = set->results[result + 1].first_value;
  bool keyed = false;
  uint32_t key = 0, row = 0, column = 0, residue = 0;
  for (size_t i = first; i < end; i++) {
    uint32_t measured = set->value_unit[i];
    c->cell_of_value[i] = MAP_NONE;
    if (!filter_value(c->filter, measured)) continue;
    if (!keyed) {
      key = projection_key(&t->table_by, result);
      row = projection_key(&t->row_by, result);
      column = projection_key(&t->col_by, result);
      residue = projection_key(&t->residue, result);
      keyed = true;
    }
    uint32_t unit = set->units[measured].tidied;
    uint32_t cell = collector_cell_of(c, key, unit, row, column, residue);
    if (c->nomem) return;
    c->cell_of_value[i] = cell;
    c->cells[cell].count++;
    if (c->cells[cell].residue != residue) collector_note_residue(c, cell, residue);
  }
}

static void collector_skip_result(struct tables_collector *c, size_t result) {
  const pprofc_bench_result *results = c->t->set->results;
  for (size_t i = results[result].first_value; i < results[result + 1].first_value; i++)
    c->cell_of_value[i] = MAP_NONE;
}

static bool collector_accepts(struct tables_collector *c, size_t result) {
  struct pprofc_bench_tables *t = c->t;
  return projection_accepts(&t->table_by, result) && projection_accepts(&t->row_by, result) &&
         projection_accepts(&t->col_by, result) && projection_accepts(&t->ignored, result) &&
         filter_result(c->filter, result);
}

void collector_fill(struct tables_collector *c) {
  const struct pprofc_bench *set = c->t->set;
  c->cell_of_value = c->releases ? c->releases->value_unit
                                 : mem_array(&c->t->mem, set->value_count, sizeof(uint32_t));
  c->unit_ranks = mem_array(&c->t->mem, set->strings.count, sizeof *c->unit_ranks);
  if ((!c->cell_of_value && !c->releases) || !c->unit_ranks) {
    c->nomem = true;
    return;
  }
  memset(c->unit_ranks, 0xFF, set->strings.count * sizeof *c->unit_ranks);
  for (size_t i = 0; i < set->result_count && !c->nomem; i++) {
    if (collector_accepts(c, i))
      collector_add_result(c, i);
    else
      collector_skip_result(c, i);
  }
  c->nomem |= c->t->group.failed || c->t->extractor.failed;
}

void collector_free_results(struct tables_collector *c) {
  if (c->releases)
    set_free_results(c->releases);
  else
    mem_free(&c->t->mem, c->cell_of_value, c->t->set->value_count, sizeof *c->cell_of_value);
  c->cell_of_value = NULL;
}

void collector_free(struct tables_collector *c) {
  const pprofc_allocator *mem = &c->t->mem;
  filter_free(c->filter);
  if (!c->releases)
    mem_free(mem, c->cell_of_value, c->t->set->value_count, sizeof *c->cell_of_value);
  mem_free(mem, c->unit_ranks, c->t->set->strings.count, sizeof *c->unit_ranks);
  mem_free(mem, c->tables, c->table_capacity, sizeof *c->tables);
  mem_free(mem, c->cells, c->cell_capacity, sizeof *c->cells);
  mem_free(mem, c->residues, c->residue_capacity, sizeof *c->residues);
  map_free(&c->table_map);
  map_free(&c->cell_map);
  map_free(&c->residue_map);
}
