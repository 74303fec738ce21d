/* The rows of a table of functions: the nodes of a graph, in a difference beside their values in
 * base and head. */
#include "web/views/page.h"

/* The values of one side, by printed name. */
struct side_values {
  struct interner names;
  struct side_sum {
    int64_t flat, cum;
  } * sums; /* [names.count] */
  struct view_report report;
  bool opened;
};

static bool side_values_add(struct side_values *side, uint32_t node) {
  const struct graph *g = &side->report.graph;
  size_t before = side->names.count;
  uint32_t id = interner_add(&side->names, graph_name(g, node));
  if (id == MAP_NONE) return false;
  if (id == before) side->sums[id] = (struct side_sum){0, 0};
  side->sums[id].flat = sum_add(side->sums[id].flat, node_flat(&g->nodes[node]));
  side->sums[id].cum = sum_add(side->sums[id].cum, node_cum(&g->nodes[node]));
  return true;
}

/* All nodes of the side: nothing is trimmed, since what is small there may be large here. */
static pprofc_status side_values_read(struct side_values *side, struct view_page *page,
                                      const pprofc_profile *profile,
                                      const struct pipeline_overrides *overrides,
                                      pprofc_error *error) {
  struct pipeline_overrides all = *overrides;
  all.no_trim = true;
  void (*warn)(void *, const char *) = page->options.warn;
  interner_init(&side->names, page->mem);
  side->opened = true;
  page->options.warn = NULL; /* the warnings of the difference say it */
  pprofc_status status = view_report_open(&side->report, page, profile, &all, error);
  page->options.warn = warn;
  if (!status) status = view_report_graph(&side->report, 0, error);
  if (status) return status;
  const struct graph *g = &side->report.graph;
  side->sums = arena_array(&page->arena, g->shown_count, sizeof *side->sums);
  bool done = side->sums != NULL;
  for (size_t i = 0; done && i < g->shown_count; i++) done = side_values_add(side, g->shown[i]);
  return done ? PPROFC_OK : error_nomem(error);
}

static void side_values_free(struct side_values *side) {
  if (!side->opened) return;
  interner_free(&side->names);
  view_report_close(&side->report);
}

static struct side_sum side_values_get(const struct side_values *side, pprofc_str name) {
  uint32_t id = interner_find(&side->names, name);
  if (id == MAP_NONE) return (struct side_sum){0, 0};
  return side->sums[id];
}

static pprofc_status rows_add_sides(struct view_rows *rows, struct view_page *page,
                                    pprofc_error *error) {
  const struct pipeline_overrides same = {.aggregates = true};
  struct side_values base = {.sums = NULL}, head = {.sums = NULL};
  pprofc_status status = side_values_read(&base, page, page->in->base, &same, error);
  if (!status) status = side_values_read(&head, page, page->in->head, &same, error);
  for (size_t i = 0; !status && i < rows->count; i++) {
    struct view_row *row = &rows->items[i];
    struct side_sum b = side_values_get(&base, row->name), h = side_values_get(&head, row->name);
    row->base_flat = b.flat;
    row->base_cum = b.cum;
    row->head_flat = h.flat;
    row->head_cum = h.cum;
  }
  side_values_free(&base);
  side_values_free(&head);
  return status;
}

/* Verdicts are of functions. What counts is the granularity of the report, since a view may force
 * one. */
static pprofc_status rows_add_verdicts(struct view_rows *rows, struct view_page *page,
                                       const struct view_report *v, pprofc_error *error) {
  const struct granularity *g = &v->report.result.granularity;
  pprofc_report_options options = v->options;
  if (g->function && !g->file && !g->line && !g->address) options.granularity = "functions";
  judge_free(&page->judgement);
  pprofc_status status =
      judge_pair(page->in->base, page->in->head, &options, &page->judgement, error);
  for (size_t i = 0; !status && i < rows->count; i++)
    rows->items[i].verdict = judge_find(&page->judgement, rows->items[i].function);
  return status;
}

static struct view_row rows_of_node(const struct graph *g, uint32_t node) {
  const struct graph_node *n = &g->nodes[node];
  const struct node_info *info = &g->frames.infos[n->info];
  struct view_row row = {
      .name = graph_name(g, node),
      .function = g->frames.texts.items[info->name],
      .file = g->frames.texts.items[info->file],
      .line = info->place->line,
      .flat = node_flat(n),
      .cum = node_cum(n),
      .inlined = g->marks ? (enum inline_mark)g->marks[node] : MARK_NONE,
  };
  if (!row.function.size) row.function = row.name;
  return row;
}

pprofc_status view_rows_make(struct view_rows *rows, struct view_page *page,
                             const struct view_report *v, pprofc_error *error) {
  const struct graph *g = &v->graph;
  *rows =
      (struct view_rows){.items = arena_array(&page->arena, g->shown_count, sizeof *rows->items)};
  if (!rows->items) return error_nomem(error);
  for (size_t i = 0; i < g->shown_count; i++)
    rows->items[rows->count++] = rows_of_node(g, g->shown[i]);
  if (!page_is_diff(page)) return PPROFC_OK;
  pprofc_status status = rows_add_sides(rows, page, error);
  return status ? status : rows_add_verdicts(rows, page, v, error);
}

void view_rows_select(const struct view_rows *rows, struct view_page *page) {
  for (size_t i = 0; page->selected.function.size && i < rows->count; i++) {
    const struct view_row *row = &rows->items[i];
    if (!str_equal(row->function, page->selected.function)) continue;
    page->selected = *row;
    page->selected.name = arena_str(&page->arena, row->name);
    page->selected.function = arena_str(&page->arena, row->function);
    page->selected.file = arena_str(&page->arena, row->file);
    if (!page->selected.name.data || !page->selected.function.data || !page->selected.file.data)
      page->failed = true;
    page->selected_found = true;
    return;
  }
}

/* ---- attributes -------------------------------------- */

static void rows_value_attribute(struct output *out, const struct report *report, const char *name,
                                 int64_t value) {
  output_printf(out, " data-%s=\"", name);
  html_report_value(out, report, value);
  output_add_char(out, '"');
}

static void rows_verdict_attribute(struct output *out, const struct view_page *page,
                                   const struct view_row *row, bool by_cum) {
  output_printf(out, " data-%s=\"", by_cum ? "total-verdict" : "self-verdict");
  page_verdict_text(out, page, row->verdict, by_cum);
  output_add_char(out, '"');
}

void view_row_attributes(struct output *out, const struct view_page *page,
                         const struct report *report, const struct view_row *row, bool diff) {
  html_attribute(out, "data-name", row->function);
  if (row->file.size) html_attribute(out, "data-file", row->file);
  if (row->line) output_printf(out, " data-line=\"%lld\"", (long long)row->line);
  rows_value_attribute(out, report, "self", row->flat);
  rows_value_attribute(out, report, "total", row->cum);
  output_add_text(out, " data-share=\"");
  html_share(out, row->cum, report->result.total);
  output_add_char(out, '"');
  if (!diff) return;
  rows_value_attribute(out, report, "base-self", row->base_flat);
  rows_value_attribute(out, report, "base-total", row->base_cum);
  rows_value_attribute(out, report, "head-self", row->head_flat);
  rows_value_attribute(out, report, "head-total", row->head_cum);
  if (!row->verdict) return;
  rows_verdict_attribute(out, page, row, false);
  rows_verdict_attribute(out, page, row, true);
}

const char *view_row_status(const struct view_row *row, bool by_cum) {
  int64_t change = by_cum ? row->cum : row->flat;
  if (!row->base_cum && row->head_cum) return "new";
  if (row->base_cum && !row->head_cum) return "gone";
  if (!change) return "same";
  return change > 0 ? "grew" : "shrank";
}
