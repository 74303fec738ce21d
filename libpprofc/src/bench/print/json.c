/* Prints comparison tables as JSON: samples, intervals, p and delta, without rounding. */
#include "bench/print/print.h"
#include "core/json_write.h"

/* Version of the JSON schema. It increases when a name is removed or gets another meaning. */
#define SCHEMA_VERSION 1

static void json_add_notes(struct json_writer *json, const char *const *notes, size_t count) {
  json_begin_array(json_key(json, "notes"));
  for (size_t i = 0; i < count; i++) json_text(json, notes[i]);
  json_end(json);
}

/* Adds the fields of a key as a separate object, because their names come from the input. */
static void json_add_fields(struct printer *p, struct json_writer *json,
                            const struct projection *projection, const size_t *flat, uint32_t key) {
  json_begin_object(json_key(json, "key"));
  for (size_t i = 0; i < projection->field_count; i++) {
    buffer_clear(&p->scratch);
    buffer_add_str(&p->scratch, projection->fields[flat[i]].name);
    buffer_add_char(&p->scratch, '\0');
    if (p->scratch.failed) break;
    json_string(json_key(json, p->scratch.data),
                extract_string(&p->tables->extractor, projection_value(projection, key, flat[i])));
  }
  json_end(json);
}

static void add_comparison(struct printer *p, struct json_writer *json, const struct table *table,
                           const pprofc_bench_cell *cell) {
  const pprofc_bench_cell *baseline = cell_baseline(table, cell);
  json_pack(json, "vs_base:{delta:f text:S p:f alpha:f significant:b",
            cell->center == baseline->center ? 0 : cell->center / baseline->center - 1,
            print_delta(p, table, cell), cell->p, cell->alpha, !(cell->p > cell->alpha));
  json_add_notes(json, cell->notes + cell->sample_notes, cell->comparison_notes);
  json_end(json);
}

static void json_add_cell(struct printer *p, struct json_writer *json, const struct table *table,
                          const pprofc_bench_cell *cell) {
  json_pack(json, "\n{column:u n:u center:f low:f high:f samples:[", (uint64_t)cell->column,
            (uint64_t)cell->count, cell->center, cell->low, cell->high);
  for (size_t i = 0; i < cell->count; i++) json_double(json, cell->values[i]);
  json_end(json);
  json_add_notes(json, cell->notes, cell->sample_notes);
  if (cell_baseline(table, cell)) add_comparison(p, json, table, cell);
  json_end(json);
}

static void json_add_columns(struct printer *p, struct json_writer *json,
                             const struct table *table) {
  json_begin_array(json_key(json, "columns"));
  for (size_t i = 0; i < table->column_count; i++) {
    const struct table_summary *s = &table->summaries[i];
    json_pack(json, "\n{label:S", table->column_labels[i]);
    json_add_fields(p, json, &p->tables->col_by, p->tables->col_flat, table->columns[i]);
    if (s->has_center) json_double(json_key(json, "geomean"), s->center);
    if (s->has_ratio) json_double(json_key(json, "geomean_ratio"), s->ratio);
    json_add_notes(json, s->notes, s->note_count);
    json_end(json);
  }
  json_end(json);
}

static const char *direction_name(int direction) {
  if (direction == 0) return "unknown";
  return direction > 0 ? "higher" : "lower";
}

static void json_add_table(struct printer *p, struct json_writer *json, const struct table *table) {
  pprofc_str unit = set_string(p->tables->set, table->unit);
  int direction;
  p->failed |= !set_direction(p->tables->set, unit, &direction);
  json_pack(json, "\n{unit:S better:s assume:s", unit, direction_name(direction),
            table->exact ? "exact" : "nothing");
  json_add_fields(p, json, &p->tables->table_by, p->tables->table_flat, table->key);
  json_add_columns(p, json, table);
  json_begin_array(json_key(json, "rows"));
  const pprofc_bench_cell *cell = table->cells, *end = cell + table->cell_count;
  for (size_t row = 0; row < table->row_count; row++) {
    const pprofc_bench_cell *last = cell;
    while (last < end && last->row == row) last++;
    print_mark(p->out, print_rank(table, cell, last));
    json_pack(json, "\n{label:S", table->row_labels[row]);
    json_add_fields(p, json, &p->tables->row_by, p->tables->row_flat, table->rows[row]);
    json_begin_array(json_key(json, "cells"));
    for (; cell < end && cell->row == row; cell++) json_add_cell(p, json, table, cell);
    json_pack(json, "]}");
  }
  output_no_row(p->out);
  json_pack(json, "]}");
}

void print_json(struct printer *p) {
  static const char *const tests[] = {"utest", "ttest", "none"};
  const pprofc_bench_options *o = &p->tables->options;
  struct json_writer json;
  json_init(&json, p->out, &p->tables->mem);
  json_pack(&json, "{version:u test:s alpha:f confidence:f tables:[", (uint64_t)SCHEMA_VERSION,
            tests[o->test], o->alpha, o->confidence);
  for (size_t i = 0; i < p->tables->table_count; i++)
    json_add_table(p, &json, &p->tables->tables[i]);
  json_end(&json);
  output_note(p->out);
  p->failed |= !json_finish_file(&json);
}
