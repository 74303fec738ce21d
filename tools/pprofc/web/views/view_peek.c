/* Creates the view Peek. It shows the output of -peek with links: each function between its callers
 * and its callees. */
#include "unit/unit.h"
#include "web/views/page.h"

/* Maximum number of functions shown with a search expression, and without one. The user can request
 * all functions. */
#define PEEK_FOUND_MAX 500
#define PEEK_FIRST_MAX 50

struct peek {
  struct view_page *page;
  struct view_report v;
  int64_t running; /* sum of the self values of the printed functions */
};

static bool peek_matches(const struct graph *g, size_t index) {
  return !g->matches || g->matches[g->shown[index]];
}

static size_t peek_count(const struct graph *g) {
  size_t count = 0;
  for (size_t i = 0; i < g->shown_count; i++) count += peek_matches(g, i);
  return count;
}

/* Returns a regular expression that finds, in the output of -peek, the functions that the user's
 * expression matches. The expression does not end with $, because file and line follow the name in
 * this output. */
static pprofc_str peek_names_expression(struct peek *p) {
  const struct graph *g = &p->v.graph;
  struct interner names;
  interner_init(&names, p->page->mem);
  struct buffer text = buffer_make(p->page->mem, (size_t)1 << 20);
  for (size_t i = 0; i < g->shown_count; i++) {
    const struct node_info *info = &g->frames.infos[g->nodes[g->shown[i]].info];
    pprofc_str name = g->frames.texts.items[info->name];
    size_t before = names.count;
    if (!name.size || !regex_match(p->v.report.result.argument, name)) continue;
    if (interner_add(&names, name) != before) continue;
    html_exact_expression(&text, name);
    text.size -= text.size > 0; /* removes the $ at the end of the expression */
    buffer_add_text(&text, "(?: |$)");
  }
  pprofc_str expression = STR("");
  buffer_add_char(&text, '\0');
  if (text.failed)
    p->page->failed = true;
  else if (names.count)
    expression = buffer_keep(&text, &p->page->arena);
  interner_free(&names);
  buffer_free(&text);
  return expression;
}

static pprofc_status peek_make(struct peek *p, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {
      .granularity = "lines", .no_trim = true, .takes_argument = true, .aggregates = true};
  struct view_page *page = p->page;
  pprofc_status status = view_report_open(&p->v, page, page->in->profile, &overrides, error);
  if (!status) status = view_report_graph(&p->v, PIPELINE_EDGES_OF_MATCH, error);
  return status;
}

/* Builds the graph of the functions that match the search expression. Matches the names as in the
 * output of -peek, with file and line. If no function matches, matches the function names alone. */
static pprofc_status peek_find(struct peek *p, pprofc_error *error) {
  struct view_page *page = p->page;
  page->options.argument = page->argument.data;
  pprofc_status status = peek_make(p, error);
  if (status || peek_count(&p->v.graph)) return status;
  const char *asked = page->options.argument;
  pprofc_str names = peek_names_expression(p);
  /* Without samples, no function can match. Report this as an error only if the user searched. */
  if (!names.size && !*asked) return PPROFC_OK;
  if (!names.size)
    return error_set(error, PPROFC_E_NO_MATCH, "no matches found for regexp: %s", asked);
  view_report_close(&p->v);
  page->options.argument = names.data;
  page->argument = str_of(names.data);
  return peek_make(p, error);
}

static void peek_add_value(const struct peek *p, int64_t value, size_t width, struct buffer *out) {
  char text[UNIT_LABEL_MAX];
  html_right(out, html_value_text(&p->v.report, value, text), width);
}

static void peek_add_share(int64_t value, int64_t total, struct buffer *out) {
  char text[32];
  buffer_add_char(out, ' ');
  buffer_add_str(out, unit_percentage(value, total, text));
}

static void peek_edge(struct peek *p, const struct graph_edge *e, int64_t cum, uint32_t other) {
  struct view_row row = view_row_of_node(&p->v.graph, other);
  if (e->is_inline) row.inlined = MARK_INLINE;
  fill_pack(&p->page->fill, "lines:{class:s", html_heat((double)e->weight, (double)cum));
  struct buffer *cost = fill_text(&p->page->fill, "cost");
  peek_add_value(p, e->weight, 50, cost);
  peek_add_share(e->weight, cum, cost);
  buffer_add_text(cost, " |   ");
  page_fill_name(p->page, &row);
  fill_end(&p->page->fill);
}

static void peek_own_line(struct peek *p, const struct view_row *row) {
  int64_t total = p->v.report.result.total;
  p->running = sum_add(p->running, row->flat);
  fill_pack(&p->page->fill, "lines:{class:s", "own");
  struct buffer *cost = fill_text(&p->page->fill, "cost");
  peek_add_value(p, row->flat, 10, cost);
  peek_add_share(row->flat, total, cost);
  peek_add_share(p->running, total, cost);
  buffer_add_char(cost, ' ');
  peek_add_value(p, row->cum, 10, cost);
  peek_add_share(row->cum, total, cost);
  buffer_add_text(cost, "                | ");
  page_fill_name(p->page, row);
  fill_end(&p->page->fill);
}

static void peek_function(struct peek *p, uint32_t node) {
  const struct graph *g = &p->v.graph;
  struct view_row row = view_row_of_node(g, node);
  fill_begin(&p->page->fill, "functions");
  view_row_fill(p->page, &p->v.report, &row);
  for (uint32_t i = g->in_from[node]; i < g->in_from[node + 1]; i++)
    peek_edge(p, &g->edges[g->in[i]], row.cum, g->edges[g->in[i]].source);
  peek_own_line(p, &row);
  for (uint32_t i = g->out_from[node]; i < g->out_from[node + 1]; i++)
    peek_edge(p, &g->edges[g->out[i]], row.cum, g->edges[g->out[i]].target);
  fill_end(&p->page->fill);
}

static void peek_print(struct peek *p, struct buffer *out) {
  const struct graph *g = &p->v.graph;
  size_t count = peek_count(g), shown = 0;
  size_t most = p->page->argument.size ? PEEK_FOUND_MAX : PEEK_FIRST_MAX;
  if (strcmp(page_parameter(p->page, "rows"), "all") == 0) most = SIZE_MAX;
  for (size_t i = 0; i < g->shown_count && shown < most; i++) {
    if (!peek_matches(g, i)) continue;
    peek_function(p, g->shown[i]);
    shown++;
  }
  fill_flag(&p->page->fill, "empty", !count);
  page_more(p->page, shown, count);
  page_put(p->page, out, "peek");
}

pprofc_status view_peek(struct view_page *page, struct buffer *out, pprofc_error *error) {
  struct peek p = {.page = page};
  pprofc_status status = peek_find(&p, error);
  if (!status) {
    page_note_report(page, &p.v);
    page->totals.has_shown = false;
    peek_print(&p, out);
  }
  view_report_close(&p.v);
  return status;
}
