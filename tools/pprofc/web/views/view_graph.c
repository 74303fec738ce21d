/* The view Graph: the picture of dot, with links. Without dot, or for a graph that is too
 * large for dot, the script draws the same graph. */
#include "core/child.h"
#include "core/json_write.h"
#include "report/graphs/dot.h"
#include "unit/unit.h"
#include "web/views/page.h"
#include "web/views/svg.h"

#include <stdio.h>

/* dot takes minutes for more edges. */
#define DOT_EDGES 2000

#define DOT_MILLISECONDS 10000u

struct graph_picture {
  struct view_page *page;
  struct view_report v;
  struct view_rows rows;
  struct output *out;
  struct buffer dot, svg;
  char reason[512]; /* reason why dot drew no picture, or "" */
};

/* ---- drawing ----------------------------------------- */

static int picture_collect(void *buffer, const void *data, size_t size) {
  buffer_add(buffer, data, size);
  return ((struct buffer *)buffer)->failed;
}

/* Writes the input of dot, with a font that fits the page and without the legend, which the
 * page shows elsewhere. */
static pprofc_status picture_write_dot(struct graph_picture *g, pprofc_error *error) {
  static const char fonts[] = "node [fontname=\"Helvetica,Arial,sans-serif\"]\n"
                              "edge [fontname=\"Helvetica,Arial,sans-serif\"]\n"
                              "graph [bgcolor=transparent]\n";
  struct buffer plain;
  struct output out;
  buffer_init(&plain, g->page->mem, CHILD_OUTPUT_BYTES);
  output_init(&out, picture_collect, &plain);
  pprofc_status status = dot_write(&g->v.report, &g->v.graph, &out, error);
  if (!status) status = output_flush(&out, error);
  pprofc_str text = buffer_str(&plain);
  size_t at = str_find(text, STR("\nnode [style=filled"));
  if (at < text.size) at++;
  buffer_add_str(&g->dot, str_slice(text, 0, at));
  if (at < text.size) buffer_add_text(&g->dot, fonts);
  pprofc_str rest = str_slice(text, at, text.size), line;
  while (rest.size && str_next(&rest, '\n', &line)) {
    if (str_starts(line, STR("subgraph cluster_L "))) continue;
    buffer_add_str(&g->dot, line);
    buffer_add_char(&g->dot, '\n');
  }
  if (!status && (plain.failed || g->dot.failed)) status = error_nomem(error);
  buffer_free(&plain);
  return status;
}

static pprofc_status picture_run_dot(struct graph_picture *g, pprofc_error *error) {
  static const char *const argv[] = {"dot", "-Tsvg", NULL};
  const struct child child = {
      .argv = argv, .input = buffer_str(&g->dot), .timeout_ms = DOT_MILLISECONDS};
  struct child_end end;
  if (!child_exists("dot"))
    return error_set(error, PPROFC_E_UNSUPPORTED,
                     "graphviz is not installed (apt install graphviz)");
  pprofc_status status = child_run(&child, &g->svg, &end, error);
  if (!status && end.status)
    return error_set(error, PPROFC_E_IO, "dot failed with status %d", end.status);
  return status;
}

/* Draws the graph, or stores the reason why there is no picture, which is not an error of the
 * page. */
static pprofc_status picture_draw(struct graph_picture *g, pprofc_error *error) {
  const struct web_info *info = g->page->in->info;
  pprofc_error why = {.message = ""};
  if (g->v.graph.sorted_count > DOT_EDGES) {
    snprintf(g->reason, sizeof g->reason, "graphviz takes too long for %zu edges",
             g->v.graph.sorted_count);
    return PPROFC_OK;
  }
  pprofc_status status = info->draw
                             ? info->draw(info->draw_context, buffer_str(&g->dot), &g->svg, &why)
                             : picture_run_dot(g, &why);
  if (status == PPROFC_E_NOMEM) return error_nomem(error);
  if (status) snprintf(g->reason, sizeof g->reason, "%.500s", why.message);
  return PPROFC_OK;
}

/* ---- the picture ------------------------------------- */

static void picture_link(const struct graph_picture *g, struct output *out,
                         const struct view_row *row) {
  struct buffer expression;
  buffer_init(&expression, g->page->mem, (size_t)4 << 20);
  html_exact_expression(&expression, row->function);
  const struct web_change changes[] = {{"f", buffer_str(&expression)}, {"sel", row->function}};
  page_link(out, g->page, "peek", changes, expression.failed ? 0 : 2);
  view_row_attributes(out, g->page, page_is_diff(g->page) ? NULL : &g->v.report, row);
  output_add_char(out, ' ');
  buffer_free(&expression);
}

static void picture_box(void *context, struct output *out, size_t number) {
  const struct graph_picture *g = context;
  if (number <= g->rows.count) picture_link(g, out, &g->rows.items[number - 1]);
}

/* ---- the graph as data ------------------------------- */

static void picture_json_value(struct json_writer *json, const struct graph_picture *g,
                               const char *key, int64_t value) {
  char text[UNIT_LABEL_MAX];
  json_key(json, key);
  json_string(json, html_value_text(&g->v.report, value, text));
}

static double picture_share(const struct graph_picture *g, int64_t value) {
  int64_t total = number_abs(g->v.report.result.total);
  return total ? (double)value / (double)total : 0;
}

static void picture_json_nodes(struct json_writer *json, const struct graph_picture *g) {
  json_key(json, "nodes");
  json_begin_array(json);
  for (size_t i = 0; i < g->rows.count; i++) {
    const struct view_row *row = &g->rows.items[i];
    json_begin_object(json);
    json_key(json, "name");
    json_string(json, row->name);
    json_key(json, "function");
    json_string(json, row->function);
    picture_json_value(json, g, "self", row->flat);
    picture_json_value(json, g, "total", row->cum);
    json_key(json, "share");
    json_double(json, picture_share(g, row->cum));
    json_key(json, "own");
    json_double(json, picture_share(g, row->flat));
    json_end(json);
  }
  json_end(json);
}

static bool picture_json_edges(struct json_writer *json, const struct graph_picture *g) {
  const struct graph *graph = &g->v.graph;
  size_t *number = mem_zero_array(g->page->mem, graph->node_count, sizeof *number);
  if (!number) return false;
  for (size_t i = 0; i < graph->shown_count; i++) number[graph->shown[i]] = i + 1;
  json_key(json, "edges");
  json_begin_array(json);
  for (size_t i = 0; i < graph->sorted_count; i++) {
    const struct graph_edge *e = &graph->edges[graph->sorted[i]];
    if (!number[e->source] || !number[e->target]) continue;
    json_begin_array(json);
    json_uint(json, number[e->source] - 1);
    json_uint(json, number[e->target] - 1);
    json_double(json, picture_share(g, edge_weight(e)));
    char text[UNIT_LABEL_MAX];
    json_string(json, html_value_text(&g->v.report, edge_weight(e), text));
    json_bool(json, e->residual);
    json_end(json);
  }
  json_end(json);
  mem_free(g->page->mem, number, graph->node_count, sizeof *number);
  return true;
}

static bool picture_json(const struct graph_picture *g) {
  struct json_writer json;
  output_add_text(g->out, "<script type=\"application/json\" id=graph-data>");
  json_init(&json, g->out, g->page->mem);
  json_begin_object(&json);
  picture_json_nodes(&json, g);
  bool done = picture_json_edges(&json, g);
  json_end(&json);
  output_add_text(g->out, "</script>\n");
  return json_finish(&json) && done;
}

/* ---- the page ---------------------------------------- */

static void picture_list(const struct graph_picture *g) {
  output_printf(g->out, "<details class=boxes%s><summary>The %zu boxes as a list</summary><ul>\n",
                g->svg.size ? "" : " open", g->rows.count);
  for (size_t i = 0; i < g->rows.count; i++) {
    const struct view_row *row = &g->rows.items[i];
    output_add_text(g->out, "<li>");
    page_name_link(g->out, g->page, "peek", row->function, row->name);
    output_add_text(g->out, " <small>");
    html_report_value(g->out, &g->v.report, row->flat);
    output_add_text(g->out, " of ");
    html_report_value(g->out, &g->v.report, row->cum);
    output_add_text(g->out, "</small></li>\n");
  }
  output_add_text(g->out, "</ul></details>\n");
}

static bool picture_print(struct graph_picture *g) {
  bool done = true;
  if (g->reason[0]) {
    output_add_text(g->out, "<p class=hint>Drawn without graphviz: ");
    html_put(g->out, g->reason);
    output_add_text(g->out, ". graphviz would draw this graph more clearly.</p>\n");
  }
  output_add_text(g->out,
                  "<div id=graph tabindex=0 role=group aria-label=\"Call graph: arrows move, "
                  "plus and minus zoom, 0 shows all\">");
  if (!g->rows.count)
    output_add_text(g->out, "<p class=empty>There are no samples to show.</p>");
  else if (!g->reason[0])
    svg_write(g->out, buffer_str(&g->svg), page_is_diff(g->page), picture_box, g);
  output_add_text(g->out, "</div>\n");
  if (g->reason[0]) done = picture_json(g);
  picture_list(g);
  return done;
}

static pprofc_status picture_make(struct graph_picture *g, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {.aggregates = true};
  unsigned wanted = DOT_GRAPH;
  if (page_is_diff(g->page)) wanted |= PIPELINE_BY_CHANGE;
  pprofc_status status = view_report_open(&g->v, g->page, g->page->in->profile, &overrides, error);
  if (!status) status = view_report_graph(&g->v, wanted, error);
  if (!status) status = view_rows_make(&g->rows, g->page, &g->v, error);
  if (!status && g->rows.count) status = picture_write_dot(g, error);
  if (!status && g->rows.count) status = picture_draw(g, error);
  return status;
}

pprofc_status view_graph(struct view_page *page, struct output *out, pprofc_error *error) {
  struct graph_picture g = {.page = page, .out = out};
  buffer_init(&g.dot, page->mem, CHILD_OUTPUT_BYTES);
  buffer_init(&g.svg, page->mem, CHILD_OUTPUT_BYTES);
  pprofc_status status = picture_make(&g, error);
  if (!status) {
    page_note_report(page, &g.v);
    view_rows_select(&g.rows, page);
    if (!picture_print(&g)) status = error_nomem(error);
  }
  view_report_close(&g.v);
  buffer_free(&g.dot);
  buffer_free(&g.svg);
  return status;
}
