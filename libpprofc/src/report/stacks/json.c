/* Prints the report -json: totals, and the functions with flat and cum in every sample type, for
 * base and head. docs/JSON.md describes the schema. New versions may add members, but they do not
 * remove any. */
#include "core/budget.h"
#include "core/json_write.h"
#include "report/report.h"
#include "stacks/layout.h"

struct function_row {
  uint32_t frame; /* first frame with the name and file of the function */
  bool open;      /* true while the path from the root to the current node contains the function */
  int64_t *flat;  /* for each sample type of head, then of base: flat value of the function */
  int64_t *cum;
};

struct json_report {
  struct report *report;
  struct json_writer json;
  struct flame_graph graph;
  struct function_row *rows; /* one row for each function */
  struct function_row **order;
  size_t count;
};

/* ---- sums -------------------------------------------- */

static bool alloc_rows(struct json_report *r) {
  size_t count = r->graph.frames.count, columns = r->graph.tree.columns;
  struct arena *arena = &r->graph.tree.arena;
  r->rows = arena_zero_array(arena, count, sizeof *r->rows);
  r->order = arena_array(arena, count, sizeof *r->order);
  int64_t *values = arena_zero_array(arena, 2 * count * columns, sizeof *values);
  if (!r->rows || !r->order || !values) return false;
  for (size_t i = 0; i < count; i++)
    r->rows[i] = (struct function_row){(uint32_t)i, false, values + 2 * i * columns,
                                       values + (2 * i + 1) * columns};
  return true;
}

/* Adds the flat values of all nodes to their functions. Adds the cum value of a node only if the
 * path above the node does not contain its function. */
static bool sum_rows(struct json_report *r) {
  const struct flame_tree *t = &r->graph.tree;
  uint32_t *path = arena_array(&r->graph.tree.arena, t->max_depth + 2, sizeof *path);
  bool *opened = arena_array(&r->graph.tree.arena, t->max_depth + 2, sizeof *opened);
  if (!path || !opened || !alloc_rows(r)) return false;
  size_t depth = 0;
  for (size_t i = 1; i < t->count; i++) {
    if (budget_poll(t->arena.mem, i)) return false;
    for (; depth >= t->depth[i]; depth--)
      if (opened[depth]) r->rows[t->frame[path[depth]]].open = false;
    depth = t->depth[i];
    struct function_row *row = &r->rows[t->frame[i]];
    path[depth] = (uint32_t)i;
    opened[depth] = !row->open;
    for (size_t c = 0; c < t->columns; c++) {
      row->flat[c] = sum_add(row->flat[c], t->self[i * t->columns + c]);
      if (!row->open) row->cum[c] = sum_add(row->cum[c], t->total[i * t->columns + c]);
    }
    row->open = true;
  }
  return true;
}

/* Returns the sort key of a row: flat or cum of the shown sample type. In a difference, this is the
 * absolute change of flat or cum. */
static double weight(const struct json_report *r, const struct function_row *row) {
  const int64_t *values = r->report->result.cum_sort ? row->cum : row->flat;
  size_t type = r->report->result.value_index;
  double head = (double)values[type];
  double base = r->graph.tree.has_base ? (double)values[r->graph.tree.types + type] : 0;
  return head > base ? head - base : base - head;
}

static bool sort_rows(struct json_report *r) {
  struct ranked *sorted = arena_array(&r->graph.tree.arena, r->graph.frames.count, sizeof *sorted);
  if (!sorted) return false;
  for (size_t i = 0; i < r->graph.frames.count; i++) {
    bool any = false;
    for (size_t c = 0; c < r->graph.tree.columns; c++)
      any |= r->rows[i].flat[c] || r->rows[i].cum[c];
    if (any) sorted[r->count++] = (struct ranked){-weight(r, &r->rows[i]), i};
  }
  ranked_sort(sorted, r->count);
  for (size_t i = 0; i < r->count; i++) r->order[i] = &r->rows[sorted[i].index];
  /* Of the options for trimming, this report uses only nodecount. */
  const pprofc_report_options *o = r->report->options;
  if (o->trim && o->nodecount > 0 && r->count > (size_t)o->nodecount)
    r->count = (size_t)o->nodecount;
  return true;
}

/* ---- writing ----------------------------------------- */

static void json_report_text(struct json_report *r, const char *key, pprofc_str text) {
  if (!text.size) return;
  json_string(json_key(&r->json, key), text);
}

static void json_report_values(struct json_report *r, const char *key, const int64_t *values) {
  json_begin_array(json_key(&r->json, key));
  for (size_t i = 0; i < r->graph.tree.types; i++) json_int(&r->json, values[i]);
  json_end(&r->json);
}

static void json_report_types(struct json_report *r) {
  const pprofc_profile *p = r->report->result.profile;
  json_pack(&r->json, "sample_types:[");
  for (size_t i = 0; i < p->type_count; i++)
    json_pack(&r->json, "{type:S unit:S}", profile_type(p, i), profile_unit(p, i));
  json_pack(&r->json, "] sample_index:u", (uint64_t)r->report->result.value_index);
}

static void json_report_header(struct json_report *r) {
  const pprofc_profile *p = r->report->result.profile;
  json_report_types(r);
  if (p->mappings.count) {
    json_report_text(r, "file", str_path_base(profile_string(p, p->mappings.items[0].file)));
    json_report_text(r, "build_id", profile_string(p, p->mappings.items[0].build_id));
  }
  if (p->time_nanos) json_pack(&r->json, "time_nanos:i", p->time_nanos);
  if (p->duration_nanos) json_pack(&r->json, "duration_nanos:i", p->duration_nanos);
  json_int(json_key(&r->json, "total"), r->report->result.total);
  json_report_values(r, "head", r->graph.tree.total);
  if (r->graph.tree.has_base)
    json_report_values(r, "base", r->graph.tree.total + r->graph.tree.types);
}

static void json_report_row(struct json_report *r, const struct function_row *row) {
  const struct stack_frame *frame = &r->graph.frames.items[row->frame];
  size_t type = r->report->result.value_index;
  int64_t base = r->graph.tree.has_base ? row->flat[r->graph.tree.types + type] : 0;
  output_row(r->json.out, 0, 0, (long double)row->flat[type] - (long double)base);
  json_pack(&r->json, "\n{name:S", frame->name);
  json_report_text(r, "file", frame->file);
  if (frame->line) json_pack(&r->json, "line:i", frame->line);
  json_report_values(r, "flat", row->flat);
  json_report_values(r, "cum", row->cum);
  if (r->graph.tree.has_base) {
    json_report_values(r, "base_flat", row->flat + r->graph.tree.types);
    json_report_values(r, "base_cum", row->cum + r->graph.tree.types);
  }
  json_end(&r->json);
}

static bool json_report_write(struct json_report *r, struct output *out) {
  json_init(&r->json, out, r->report->mem);
  json_pack(&r->json, "{version:1");
  json_report_header(r);
  json_pack(&r->json, "functions:[");
  r->report->rows_add_up = true;
  for (size_t i = 0; i < r->count && !out->failed; i++) json_report_row(r, r->order[i]);
  output_no_row(out);
  json_end(&r->json);
  output_note(out);
  return json_finish_file(&r->json);
}

pprofc_status report_json(struct report *report, struct output *out, pprofc_error *error) {
  struct json_report r = {.report = report};
  const struct flame_graph_options options = {.granularity = report->result.granularity,
                                              .trim_path = report->options->trim_path,
                                              .source_path = report->options->source_path};
  pprofc_status status =
      flame_graph_build(report->result.profile, &options, report->mem, &r.graph, error);
  if (status != PPROFC_OK) return status;
  if (!sum_rows(&r) || !sort_rows(&r) || !json_report_write(&r, out)) status = error_nomem(error);
  flame_graph_free(&r.graph);
  return status;
}
