/* Reads the JSON of benchstatc. The JSON contains every sample, so the gate makes its own tests. */
#include "bench/read/readers.h"
#include "gate/read/read.h"

struct json_table {
  struct gate *gate;
  pprofc_str path, unit, package;
  pprofc_str base_label; /* label of the base, from the first table with several columns */
  int direction;
};

/* Returns the samples of a cell, or NULL when out of memory. Sets *count to SIZE_MAX if a sample is
 * not a number. */
static double *samples_of(struct gate *gate, const struct node *cell, size_t *count) {
  const struct node *samples = node_get(cell, "samples");
  size_t size = node_size(samples); /* The size is 0 if `samples` is not an array. */
  double *values = arena_array(&gate->arena, size + 1, sizeof *values);
  *count = samples && !node_is(samples, NODE_ARRAY) ? SIZE_MAX : size;
  const struct node *n = size ? samples->first : NULL;
  for (size_t i = 0; values && n; n = n->next)
    if (!node_number(n, 0, &values[i++])) *count = SIZE_MAX;
  return values;
}

static const struct node *json_cell_of(const struct node *row, size_t column) {
  const struct node *cells = node_get(row, "cells");
  for (const struct node *n = cells ? cells->first : NULL; n; n = n->next) {
    double number;
    if (node_number(node_get(n, "column"), 0, &number) && number == (double)column) return n;
  }
  return NULL;
}

/* Sides (base and head) in a column of a table. BOTH_SIDES: the column is the head, and the first
 * column of the table is the base. A table with a single column has only one side. */
enum present { BOTH_SIDES, ONLY_BASE, ONLY_HEAD };

static bool json_read_cell(struct json_table *t, const struct node *row, size_t column,
                           enum present present) {
  struct gate *gate = t->gate;
  struct gate_row out = gate_row_unknown();
  const struct node *base = present == ONLY_HEAD ? NULL : json_cell_of(row, 0);
  const struct node *head = present == ONLY_BASE ? NULL : json_cell_of(row, column);
  size_t base_count, head_count;
  double *x = samples_of(gate, base, &base_count), *y = samples_of(gate, head, &head_count);
  if (!x || !y) return false;
  out.group = t->package;
  out.name = node_text(row, "label");
  out.unit = t->unit;
  out.direction = t->direction;
  out.file = t->path;
  out.line = row->line;
  out.in_base = base_count > 0;
  out.in_head = head_count > 0;
  if (base_count == SIZE_MAX || head_count == SIZE_MAX) {
    gate_problem(gate, "%.*s:%u: a sample of %.*s is not finite", STR_ARG(t->path), row->line,
                 STR_ARG(out.name));
    return true;
  }
  out.base_count = base_count;
  out.head_count = head_count;
  if (!out.in_base && !out.in_head) return true;
  /* The samples in the file are sorted, so their rounds and drift are unknown. */
  if (out.in_base && out.in_head &&
      !gate_compare_sides(gate, &out, (struct gate_side){x, NULL, base_count},
                          (struct gate_side){y, NULL, head_count}))
    return false;
  out.base_trend = 0;
  out.head_trend = 0;
  out.base_drifts = false;
  out.head_drifts = false;
  return gate_add(gate, &out);
}

static pprofc_str first_label(const struct node *table) {
  const struct node *columns = node_get(table, "columns");
  return node_text(columns ? columns->first : NULL, "label");
}

static bool json_read_table(struct json_table *t, const struct node *table) {
  pprofc_str better = node_text(table, "better");
  t->unit = node_text(table, "unit");
  t->package = node_text(node_get(table, "key"), "pkg");
  t->direction = (int)str_equal(better, STR("higher")) - (int)str_equal(better, STR("lower"));
  size_t columns = node_size(node_get(table, "columns"));
  const struct node *rows = node_get(table, "rows");
  enum present present = BOTH_SIDES;
  if (columns < 2) present = str_equal(first_label(table), t->base_label) ? ONLY_BASE : ONLY_HEAD;
  for (const struct node *row = rows ? rows->first : NULL; row; row = row->next) {
    if (present != BOTH_SIDES && !json_read_cell(t, row, 0, present)) return false;
    for (size_t column = 1; column < columns; column++)
      if (!json_read_cell(t, row, column, BOTH_SIDES)) return false;
  }
  return true;
}

/* Finds the label of the base. Returns false if there is no table with a comparison. */
static bool json_find_sides(struct json_table *t, const struct node *tables) {
  for (const struct node *n = tables ? tables->first : NULL; n; n = n->next)
    if (node_size(node_get(n, "columns")) > 1) {
      t->base_label = first_label(n);
      return true;
    }
  return false;
}

pprofc_status gate_read_json(struct gate *gate, pprofc_str path, pprofc_str data,
                             pprofc_error *error) {
  pprofc_str trimmed = str_trim(data);
  struct node *root;
  if (!str_starts(trimmed, STR("{\"version\":")) ||
      str_find(trimmed, STR("\"tables\":")) == trimmed.size)
    return PPROFC_E_NO_MATCH;
  pprofc_str name = arena_str(&gate->arena, path);
  if (!name.data) return error_nomem(error);
  pprofc_error reason;
  pprofc_status status = json_tree_parse(&gate->arena, name.data, data, &root, &reason);
  if (status == PPROFC_E_NOMEM) return error_nomem(error);
  if (status != PPROFC_OK) {
    gate_problem(gate, "%s", reason.message);
    return PPROFC_OK;
  }
  struct json_table table = {.gate = gate, .path = path};
  const struct node *tables = node_get(root, "tables");
  if (!json_find_sides(&table, tables)) {
    gate_problem(gate, "%.*s: a table of one column compares nothing", STR_ARG(path));
    return PPROFC_OK;
  }
  for (const struct node *n = tables->first; n; n = n->next)
    if (!json_read_table(&table, n)) return error_nomem(error);
  return PPROFC_OK;
}
