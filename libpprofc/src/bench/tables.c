/* Lays out comparison tables. Finds the rows, columns, cells and baselines, and writes notes. */
#include "bench/tables.h"
#include "stats/stats.h"

void pprofc_bench_options_init(pprofc_bench_options *options) {
  *options = (pprofc_bench_options){.struct_size = sizeof *options,
                                    .table = ".config",
                                    .row = ".fullname",
                                    .col = ".file",
                                    .ignore = "",
                                    .filter = "*",
                                    .alpha = 0.05,
                                    .confidence = 0.95};
}

/* ---- laying out -------------------------------------- */

/* The projection whose keys are sorted, and the order of its fields. */
struct sorting {
  const struct projection *projection;
  const size_t *flat;
  const uint32_t *unit_ranks;
};

static int compare_keys(const void *a, const void *b, const void *context) {
  const struct sorting *s = context;
  return projection_compare(s->projection, s->flat, *(const uint32_t *)a, *(const uint32_t *)b);
}

static int compare_tables(const void *a, const void *b, const void *context) {
  const struct sorting *s = context;
  const struct table *x = a, *y = b;
  int order = projection_compare(s->projection, s->flat, x->key, y->key);
  if (order || x->unit == y->unit) return order;
  return s->unit_ranks[x->unit] < s->unit_ranks[y->unit] ? -1 : 1;
}

/* True if the keys are already sorted, which is frequent. */
static bool keys_are_sorted(const uint32_t *keys, size_t count, const struct sorting *sorting) {
  for (size_t i = 1; i < count; i++)
    if (projection_compare(sorting->projection, sorting->flat, keys[i - 1], keys[i]) > 0)
      return false;
  return true;
}

/* Returns the distinct keys, sorted, in t->arena. Sets places[key] to the position of `key` in the
 * result. */
static uint32_t *distinct_keys(struct pprofc_bench_tables *t, uint32_t *keys, size_t count,
                               const struct projection *projection, const size_t *flat,
                               uint32_t *places, size_t *distinct) {
  struct sorting sorting = {projection, flat, NULL};
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) places[keys[i]] = MAP_NONE;
  for (size_t i = 0; i < count; i++) {
    uint32_t key = keys[i];
    if (places[key] != MAP_NONE) continue;
    places[key] = 0;
    keys[kept++] = key;
  }
  if (!keys_are_sorted(keys, kept, &sorting))
    array_sort(keys, kept, sizeof *keys, compare_keys, &sorting);
  for (size_t i = 0; i < kept; i++) places[keys[i]] = (uint32_t)i;
  *distinct = kept;
  return arena_copy(&t->arena, keys, kept * sizeof *keys);
}

static pprofc_str *labels_of(struct tables_collector *c, const uint32_t *keys, size_t count,
                             const struct projection *projection, const size_t *flat) {
  struct pprofc_bench_tables *t = c->t;
  pprofc_str *labels = arena_array(&t->arena, count, sizeof *labels);
  struct buffer text = buffer_make(&t->mem, (size_t)1 << 30);
  for (size_t i = 0; labels && i < count; i++) {
    buffer_clear(&text);
    projection_label(projection, flat, keys[i], &text);
    labels[i] = buffer_keep(&text, &t->arena);
    c->nomem |= !labels[i].data || text.failed;
  }
  c->nomem |= !labels;
  buffer_free(&text);
  return labels;
}

/* Returns the note that lists the fields by which the results of a cell differ. */
static const char *variation_note(struct tables_collector *c, uint32_t cell,
                                  const size_t *first_residue) {
  struct pprofc_bench_tables *t = c->t;
  const struct projection *p = &t->residue;
  struct buffer text = buffer_make(&t->mem, (size_t)1 << 24);
  buffer_add_text(&text, "benchmarks vary in ");
  size_t fixed = text.size;
  for (size_t f = 0; f < p->field_count; f++) {
    size_t field = t->residue_flat[f];
    uint32_t base = projection_value(p, c->cells[cell].residue, field);
    bool varies = false;
    for (size_t i = *first_residue; i < c->residue_count && c->residues[i].cell == cell && !varies;
         i++)
      varies = projection_value(p, c->residues[i].residue, field) != base;
    if (!varies) continue;
    if (text.size > fixed) buffer_add_text(&text, ", ");
    buffer_add_str(&text, p->fields[field].name);
  }
  return buffer_take(&text, &t->arena).data;
}

static int compare_residues(const void *a, const void *b) {
  const struct cell_residue *x = a, *y = b;
  return (x->cell > y->cell) - (x->cell < y->cell);
}

static void add_variation(struct tables_collector *c, uint32_t cell, pprofc_bench_cell *out) {
  BISECT(at, c->residue_count, c->residues[at].cell < cell);
  const char **notes = arena_array(&c->t->arena, 1, sizeof *notes);
  if (notes) notes[0] = variation_note(c, cell, &at);
  c->nomem |= !notes || !notes[0];
  out->notes = notes;
  out->sample_notes = 1;
}

static const char *const no_notes[1] = {NULL};

/* Indices of the cells of a table. `scratch` has space for as many indices as `order`. */
struct table_part {
  uint32_t *order;
  size_t count;
  uint32_t *scratch;
  uint32_t *row_places,
      *column_places; /* for each row key, its row; for each column key, its column */
};

/* Finds the rows and columns of a table. Makes their labels. */
static void fill_keys(struct tables_collector *c, struct table *table,
                      const struct table_part *part) {
  struct pprofc_bench_tables *t = c->t;
  uint32_t *keys = part->scratch;
  for (size_t i = 0; i < part->count; i++) keys[i] = c->cells[part->order[i]].id.row;
  table->rows = distinct_keys(t, keys, part->count, &t->row_by, t->row_flat, part->row_places,
                              &table->row_count);
  for (size_t i = 0; i < part->count; i++) keys[i] = c->cells[part->order[i]].id.column;
  table->columns = distinct_keys(t, keys, part->count, &t->col_by, t->col_flat, part->column_places,
                                 &table->column_count);
  c->nomem |= !table->rows || !table->columns;
  if (c->nomem) return;
  table->row_labels = labels_of(c, table->rows, table->row_count, &t->row_by, t->row_flat);
  table->column_labels = labels_of(c, table->columns, table->column_count, &t->col_by, t->col_flat);
}

static void fill_cell(struct tables_collector *c, const struct table_part *part, uint32_t index,
                      pprofc_bench_cell *cell) {
  const struct pprofc_bench_tables *t = c->t;
  const struct cell_state *state = &c->cells[index];
  cell->row = part->row_places[state->id.row];
  cell->column = part->column_places[state->id.column];
  cell->count = state->count;
  cell->values = t->values + state->next - state->count;
  cell->baseline = SIZE_MAX;
  cell->notes = no_notes;
  if (state->varied) add_variation(c, index, cell);
}

/* Sets the baseline of each cell to the cell of the same row in the first column. */
static void find_baselines(struct table *table) {
  size_t baseline = SIZE_MAX;
  for (size_t i = 0; i < table->cell_count; i++) {
    pprofc_bench_cell *cell = &table->cells[i];
    if (cell->column == 0)
      baseline = i;
    else if (baseline != SIZE_MAX && table->cells[baseline].row == cell->row)
      cell->baseline = baseline;
  }
}

/* Returns the sort key of a cell: its column in step 0, its row in step 1. */
static size_t cells_place(const struct tables_collector *c, const struct table_part *part,
                          uint32_t cell, int step) {
  const struct cell_id *id = &c->cells[cell].id;
  return step ? part->row_places[id->row] : part->column_places[id->column];
}

/* Sorts cells by row, then by column, by two counting sorts. `from` and `to` have one element for
 * each cell. The result is in `from`. */
static bool cells_sort(const struct tables_collector *c, const struct table *table,
                       const struct table_part *part, uint32_t *from, uint32_t *to) {
  size_t most = table->row_count > table->column_count ? table->row_count : table->column_count;
  const pprofc_allocator *mem = &c->t->mem;
  size_t *start = mem_array(mem, most + 1, sizeof *start);
  if (!start) return false;
  for (int step = 0; step < 2; step++) {
    memset(start, 0, (most + 1) * sizeof *start);
    for (size_t i = 0; i < part->count; i++) start[cells_place(c, part, from[i], step) + 1]++;
    for (size_t i = 0; i < most; i++) start[i + 1] += start[i];
    for (size_t i = 0; i < part->count; i++)
      to[start[cells_place(c, part, from[i], step)]++] = from[i];
    memcpy(from, to, part->count * sizeof *from);
  }
  mem_free(mem, start, most + 1, sizeof *start);
  return true;
}

static void fill_table(struct tables_collector *c, struct table *table,
                       const struct table_part *part) {
  struct arena *arena = &c->t->arena;
  fill_keys(c, table, part);
  if (c->nomem) return;
  table->cells = arena_zero_array(arena, part->count, sizeof *table->cells);
  table->cell_count = part->count;
  table->summaries = arena_zero_array(arena, table->column_count, sizeof *table->summaries);
  c->nomem |= !table->cells || !table->summaries;
  c->nomem |= !cells_sort(c, table, part, part->order, part->scratch);
  for (size_t i = 0; i < part->count && !c->nomem; i++)
    fill_cell(c, part, part->order[i], &table->cells[i]);
  if (!c->nomem) find_baselines(table);
}

/* Copies the values of all cells into one array, and sorts the values of each cell. */
static void tables_gather_values(struct tables_collector *c) {
  struct pprofc_bench_tables *t = c->t;
  size_t total = 0;
  for (size_t i = 0; i < c->cell_count; i++) {
    c->cells[i].next = total;
    total += c->cells[i].count;
  }
  t->value_count = total;
  if (c->releases) set_free_lines(c->releases);
  t->values = mem_array(&t->mem, total, sizeof *t->values);
  if (!t->values) {
    c->nomem = true;
    return;
  }
  for (size_t i = 0; i < t->set->value_count; i++) {
    uint32_t cell = c->cell_of_value[i];
    if (cell != MAP_NONE) t->values[c->cells[cell].next++] = t->set->values[i];
  }
  for (size_t i = 0; i < c->cell_count; i++)
    sort_doubles(t->values + c->cells[i].next - c->cells[i].count, c->cells[i].count);
  collector_free_results(c);
}

static size_t *flat_fields(struct tables_collector *c, const struct projection *projection) {
  size_t *flat = arena_array(&c->t->arena, projection->field_count, sizeof *flat);
  if (flat)
    projection_flat(projection, flat);
  else
    c->nomem = true;
  return flat;
}

/* Sorts cells by table, with a counting sort. start[i] becomes the index of table i's first
 * cell. */
static void order_cells(const struct tables_collector *c, uint32_t *order, size_t *start) {
  for (size_t i = 0; i < c->cell_count; i++) start[c->cells[i].id.table + 1]++;
  for (size_t i = 0; i < c->table_count; i++) start[i + 1] += start[i];
  for (size_t i = 0; i < c->cell_count; i++) order[start[c->cells[i].id.table]++] = (uint32_t)i;
  for (size_t i = c->table_count; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
}

static void tables_lay_out(struct tables_collector *c) {
  struct pprofc_bench_tables *t = c->t;
  t->table_flat = flat_fields(c, &t->table_by);
  t->row_flat = flat_fields(c, &t->row_by);
  t->col_flat = flat_fields(c, &t->col_by);
  t->residue_flat = flat_fields(c, &t->residue);
  t->tables = arena_zero_array(&t->arena, c->table_count, sizeof *t->tables);
  struct arena arena = arena_make(&t->mem);
  uint32_t *order = arena_array(&arena, 2 * c->cell_count, sizeof *order);
  size_t *start = arena_zero_array(&arena, c->table_count + 1, sizeof *start);
  size_t rows = t->row_by.key_count, columns = t->col_by.key_count;
  uint32_t *places = arena_array(&arena, rows + columns, sizeof *places);
  c->nomem |= !t->tables || !order || !start || !places;
  if (!c->nomem) {
    if (c->residue_count)
      qsort(c->residues, c->residue_count, sizeof *c->residues, compare_residues);
    tables_gather_values(c);
    order_cells(c, order, start);
  }
  for (size_t i = 0; i < c->table_count && !c->nomem; i++) {
    struct table *table = &t->tables[t->table_count++];
    table->key = c->tables[i].key;
    table->unit = c->tables[i].unit;
    pprofc_str assume, unit = set_string(t->set, table->unit);
    c->nomem = !set_metadata(t->set, unit, STR("assume"), &assume);
    table->exact = str_equal(assume, STR("exact"));
    struct table_part part = {order + start[i], start[i + 1] - start[i], order + c->cell_count,
                              places, places + rows};
    fill_table(c, table, &part);
  }
  if (!c->nomem) {
    struct sorting sorting = {&t->table_by, t->table_flat, c->unit_ranks};
    array_sort(t->tables, t->table_count, sizeof *t->tables, compare_tables, &sorting);
  }
  arena_free(&arena);
}

/* ---- the whole comparison ---------------------------- */

struct projection_flag {
  const char *name, *text;
  struct projection *projection;
};

static pprofc_status parse_options(struct tables_collector *c, pprofc_error *error) {
  struct pprofc_bench_tables *t = c->t;
  const pprofc_bench_options *o = &t->options;
  pprofc_status status = filter_compile(&t->extractor, str_of(o->filter), &c->filter, error);
  if (status != PPROFC_OK) {
    error_prefix(error, "parsing -filter: ");
    return status;
  }
  const struct projection_flag flags[] = {{"-table", o->table, &t->table_by},
                                          {"-row", o->row, &t->row_by},
                                          {"-col", o->col, &t->col_by},
                                          {"-ignore", o->ignore, &t->ignored}};
  for (size_t i = 0; i < COUNT(flags); i++) {
    status = projection_parse(flags[i].projection, &t->group, str_of(flags[i].text), error);
    if (status == PPROFC_OK) continue;
    error_prefix(error, "parsing %s: ", flags[i].name);
    return status;
  }
  if (!(o->alpha >= 0 && o->alpha <= 1))
    return error_set(error, PPROFC_E_INVALID, "-alpha must be in range [0, 1]");
  if (!(o->confidence >= 0 && o->confidence <= 1))
    return error_set(error, PPROFC_E_INVALID, "-confidence must be in range [0, 1]");
  return projection_residue(&t->residue, &t->group, error);
}

static pprofc_status tables_compare(const pprofc_bench *set, pprofc_bench *releases,
                                    const pprofc_bench_options *options,
                                    pprofc_bench_tables **tables, pprofc_error *error) {
  pprofc_bench_options o;
  pprofc_status status = OPTIONS_COPY(pprofc_bench_options, &o, options, error);
  if (status) return status;
  const pprofc_allocator *mem = mem_or_default(o.allocator);
  struct pprofc_bench_tables *t = mem_zero_array(mem, 1, sizeof *t);
  if (!t) return error_nomem(error);
  t->mem = *mem;
  t->set = set;
  t->options = o;
  arena_init(&t->arena, &t->mem);
  extractor_init(&t->extractor, set, &t->arena);
  projection_group_init(&t->group, &t->extractor);
  struct tables_collector c;
  collector_init(&c, t, releases);
  status = parse_options(&c, error);
  if (status == PPROFC_OK) {
    collector_fill(&c);
    if (!c.nomem) tables_lay_out(&c);
    if (!c.nomem) c.nomem = !tables_compute(t) || t->group.failed || t->extractor.failed;
    if (c.nomem)
      status = error_nomem(error);
    else if (filter_tripped(c.filter))
      status = error_set(error, PPROFC_E_LIMIT, "a regular expression of -filter takes too long");
  }
  collector_free(&c);
  if (status == PPROFC_OK)
    *tables = t;
  else
    pprofc_bench_tables_free(t);
  return status;
}

pprofc_status pprofc_bench_compare(const pprofc_bench *set, const pprofc_bench_options *options,
                                   pprofc_bench_tables **tables, pprofc_error *error) {
  return tables_compare(set, NULL, options, tables, error);
}

pprofc_status tables_compare_and_free(pprofc_bench *set, const pprofc_bench_options *options,
                                      pprofc_bench_tables **tables, pprofc_error *error) {
  return tables_compare(set, set, options, tables, error);
}

void pprofc_bench_tables_free(pprofc_bench_tables *t) {
  if (!t) return;
  pprofc_allocator mem = t->mem;
  mem_free(&mem, t->values, t->value_count, sizeof *t->values);
  projection_free(&t->table_by);
  projection_free(&t->row_by);
  projection_free(&t->col_by);
  projection_free(&t->ignored);
  projection_free(&t->residue);
  projection_group_free(&t->group);
  extractor_free(&t->extractor);
  arena_free(&t->arena);
  mem_free(&mem, t, 1, sizeof *t);
}
