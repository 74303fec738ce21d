/* Creates the view Graph. dot draws the picture. If dot is missing or the graph is too large for
 * dot, the script of the page draws it. */
#include "core/child.h"
#include "report/report.h"
#include "web/views/page.h"

/* Maximum number of edges in a graph for dot. dot needs minutes for larger graphs. */
#define DOT_EDGES 2000

struct graph_picture {
  struct view_page *page;
  struct view_report v;
  struct view_rows rows;
  struct buffer dot, svg;
  char reason[512]; /* reason why there is no picture from dot, or "" */
};

/* Writes the input of dot with the font of the page. Drops the legend, because the page shows its
 * content elsewhere. */
static pprofc_status picture_write_dot(struct graph_picture *g, pprofc_error *error) {
  static const char fonts[] = "node [fontname=\"Helvetica,Arial,sans-serif\"]\n"
                              "edge [fontname=\"Helvetica,Arial,sans-serif\"]\n"
                              "graph [bgcolor=transparent]\n";
  struct output out;
  struct buffer plain = buffer_make(g->page->mem, CHILD_OUTPUT_BYTES);
  output_init(&out, buffer_write, &plain);
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

/* Draws the graph. If that fails, stores the reason, which the page shows. The failure is not an
 * error of the page. */
static pprofc_status picture_draw(struct graph_picture *g, pprofc_error *error) {
  const struct web_info *info = g->page->in->info;
  pprofc_error why = {.message = ""};
  if (g->v.graph.sorted_count > DOT_EDGES) {
    snprintf(g->reason, sizeof g->reason, "graphviz takes too long for %zu edges",
             g->v.graph.sorted_count);
    return PPROFC_OK;
  }
  pprofc_status status = info->draw(info->draw_context, buffer_str(&g->dot), &g->svg, &why);
  if (status == PPROFC_E_NOMEM) return error_nomem(error);
  if (status) snprintf(g->reason, sizeof g->reason, "%.500s", why.message);
  return PPROFC_OK;
}

/* Writes the start of a box's link: "<a" and attributes with the values of its row. */
static void picture_box(void *context, struct buffer *out, size_t number) {
  const struct graph_picture *g = context;
  struct view_page *page = g->page;
  struct fill whole = page->fill;
  fill_init(&page->fill, page->mem);
  if (number <= g->rows.count) {
    const struct view_row *row = &g->rows.items[number - 1];
    if (page_is_diff(page))
      view_row_fill_sides(page, row);
    else
      view_row_fill(page, &g->v.report, row);
    page_fill_name(page, row);
  }
  page_put(page, out, "box");
  fill_free(&page->fill);
  page->fill = whole;
}

static void picture_fill_share(const struct graph_picture *g, const char *name, int64_t value) {
  int64_t total = number_abs(g->v.report.result.total);
  char text[FLOAT_SHORTEST];
  float_shortest(text, total ? (double)value / (double)total : 0);
  fill_words(&g->page->fill, name, text);
}

/* Adds the edges as data for the script. The script numbers the boxes from 0. */
static bool picture_fill_edges(const struct graph_picture *g) {
  const struct graph *graph = &g->v.graph;
  struct fill *fill = &g->page->fill;
  size_t *number = mem_zero_array(g->page->mem, graph->node_count, sizeof *number);
  if (!number) return false;
  for (size_t i = 0; i < graph->shown_count; i++) number[graph->shown[i]] = i + 1;
  for (size_t i = 0; i < graph->sorted_count; i++) {
    const struct graph_edge *e = &graph->edges[graph->sorted[i]];
    if (!number[e->source] || !number[e->target]) continue;
    fill_pack(fill, "edges:{source:i target:i", (int64_t)number[e->source] - 1,
              (int64_t)number[e->target] - 1);
    picture_fill_share(g, "share", edge_weight(e));
    page_fill_value(g->page, "text", &g->v.report, edge_weight(e));
    fill_pack(fill, "residual:b}", e->residual);
  }
  mem_free(g->page->mem, number, graph->node_count, sizeof *number);
  return true;
}

static bool picture_print(struct graph_picture *g, struct buffer *out) {
  struct view_page *page = g->page;
  struct buffer picture = buffer_make(page->mem, SIZE_MAX / 2);
  fill_pack(&page->fill, "reason:s empty:b count:i", g->reason, !g->rows.count,
            (int64_t)g->rows.count);
  if (g->svg.size) svg_write(&picture, buffer_str(&g->svg), page_is_diff(page), picture_box, g);
  buffer_add_str(fill_html(&page->fill, "picture"), buffer_str(&picture));
  bool done = !picture.failed && (!*g->reason || picture_fill_edges(g));
  fill_flag(&page->fill, "data", *g->reason);
  buffer_free(&picture);
  for (size_t i = 0; i < g->rows.count; i++) {
    fill_begin(&page->fill, "rows");
    page_fill_value(page, "data-self", &g->v.report, g->rows.items[i].flat);
    page_fill_value(page, "data-total", &g->v.report, g->rows.items[i].cum);
    fill_str(&page->fill, "data-name", g->rows.items[i].function);
    picture_fill_share(g, "share", g->rows.items[i].cum);
    picture_fill_share(g, "own", g->rows.items[i].flat);
    page_fill_name(page, &g->rows.items[i]);
    fill_end(&page->fill);
  }
  page_put(page, out, "graph");
  return done;
}

static pprofc_status picture_make(struct graph_picture *g, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {.aggregates = true};
  unsigned wanted = DOT_GRAPH;
  if (page_is_diff(g->page)) wanted |= PIPELINE_BY_CHANGE;
  pprofc_status status = view_rows_open(&g->rows, &g->v, g->page, &overrides, wanted, error);
  if (!status && g->rows.count) status = picture_write_dot(g, error);
  if (!status && g->rows.count) status = picture_draw(g, error);
  return status;
}

pprofc_status view_graph(struct view_page *page, struct buffer *out, pprofc_error *error) {
  struct graph_picture g = {.page = page};
  buffer_init(&g.dot, page->mem, CHILD_OUTPUT_BYTES);
  buffer_init(&g.svg, page->mem, CHILD_OUTPUT_BYTES);
  pprofc_status status = picture_make(&g, error);
  if (!status) {
    page_note_report(page, &g.v);
    if (!picture_print(&g, out)) status = error_nomem(error);
  }
  view_report_close(&g.v);
  buffer_free(&g.dot);
  buffer_free(&g.svg);
  return status;
}
