/* The view Peek: the lines of -peek, each function between its callers and callees, with names
 * as links. */
#include "core/escape.h"
#include "unit/unit.h"
#include "web/views/page.h"

/* Number of functions shown, unless the reader requests all: with a filter and without. */
#define PEEK_FOUND_MAX 500
#define PEEK_FIRST_MAX 50

struct peek {
  struct view_page *page;
  struct view_report v;
  struct output *out;
  int64_t running; /* sum of the flat values printed */
};

/* ---- matching functions ------------------------------ */

static bool peek_matches(const struct graph *g, size_t index) {
  return !g->matches || g->matches[g->shown[index]];
}

static size_t peek_count(const struct graph *g) {
  size_t count = 0;
  for (size_t i = 0; i < g->shown_count; i++) count += peek_matches(g, i);
  return count;
}

/* Makes an expression for the printed names of all functions whose own name matches. Printed
 * names end with file and line, so ^name$ does not match them. */
static pprofc_str peek_names_expression(struct peek *p) {
  const struct graph *g = &p->v.graph;
  struct interner names;
  struct buffer text;
  interner_init(&names, p->page->mem);
  buffer_init(&text, p->page->mem, (size_t)1 << 20);
  for (size_t i = 0; i < g->shown_count; i++) {
    const struct node_info *info = &g->frames.infos[g->nodes[g->shown[i]].info];
    pprofc_str name = g->frames.texts.items[info->name];
    size_t before = names.count;
    if (!name.size || !regex_match(p->v.report.result.argument, name)) continue;
    if (interner_add(&names, name) != before) continue;
    html_exact_expression(&text, name);
    text.size -= text.size > 0; /* removes the $ */
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

/* Makes the graph of the functions that match the expression, by printed name or else by
 * function name. */
static pprofc_status peek_find(struct peek *p, pprofc_error *error) {
  struct view_page *page = p->page;
  page->options.argument = page->options.focus;
  pprofc_status status = peek_make(p, error);
  if (status || peek_count(&p->v.graph)) return status;
  const char *asked = page->options.argument ? page->options.argument : "";
  pprofc_str names = peek_names_expression(p);
  if (!names.size && !*asked) return PPROFC_OK; /* the profile has no samples */
  if (!names.size)
    return error_set(error, PPROFC_E_NO_MATCH, "no matches found for regexp: %s", asked);
  view_report_close(&p->v);
  page->options.argument = names.data;
  page->argument = str_of(names.data);
  return peek_make(p, error);
}

/* ---- lines ------------------------------------------- */

static void peek_value(struct peek *p, int64_t value, size_t width) {
  char text[UNIT_LABEL_MAX];
  pprofc_str label = html_value_text(&p->v.report, value, text);
  size_t length = utf8_length(label);
  if (length < width) output_add_fill(p->out, ' ', width - length);
  html_name(p->out, label);
}

static void peek_percentage(struct peek *p, int64_t value, int64_t total) {
  char text[32];
  output_add_char(p->out, ' ');
  output_add_str(p->out, unit_percentage(value, total, text));
}

static void peek_name(struct peek *p, uint32_t node) {
  const struct graph *g = &p->v.graph;
  const struct node_info *info = &g->frames.infos[g->nodes[node].info];
  pprofc_str function = g->frames.texts.items[info->name], name = graph_name(g, node);
  page_name_link(p->out, p->page, "peek", function.size ? function : name, name);
}

static void peek_edge(struct peek *p, const struct graph_edge *e, int64_t cum, uint32_t other) {
  output_printf(p->out, "<span class=\"l %s\">", html_heat((double)e->weight, (double)cum));
  peek_value(p, e->weight, 50);
  peek_percentage(p, e->weight, cum);
  output_add_text(p->out, " |   ");
  peek_name(p, other);
  output_add_text(p->out, e->is_inline ? " (inline)\n</span>" : "\n</span>");
}

static void peek_own_line(struct peek *p, uint32_t node) {
  const struct graph_node *n = &p->v.graph.nodes[node];
  int64_t flat = node_flat(n), cum = node_cum(n), total = p->v.report.result.total;
  p->running = sum_add(p->running, flat);
  output_add_text(p->out, "<span class=\"l own\">");
  peek_value(p, flat, 10);
  peek_percentage(p, flat, total);
  peek_percentage(p, p->running, total);
  output_add_char(p->out, ' ');
  peek_value(p, cum, 10);
  peek_percentage(p, cum, total);
  output_add_text(p->out, "                | ");
  peek_name(p, node);
  output_add_text(p->out, "\n</span>");
}

static void peek_function(struct peek *p, uint32_t node) {
  const struct graph *g = &p->v.graph;
  const struct node_info *info = &g->frames.infos[g->nodes[node].info];
  struct view_row row = {.name = graph_name(g, node),
                         .function = g->frames.texts.items[info->name],
                         .file = g->frames.texts.items[info->file],
                         .line = info->place->line,
                         .flat = node_flat(&g->nodes[node]),
                         .cum = node_cum(&g->nodes[node])};
  if (!row.function.size) row.function = row.name;
  output_add_text(p->out, "<pre class=function");
  view_row_attributes(p->out, p->page, &p->v.report, &row);
  output_add_char(p->out, '>');
  for (uint32_t i = g->in_from[node]; i < g->in_from[node + 1]; i++)
    peek_edge(p, &g->edges[g->in[i]], row.cum, g->edges[g->in[i]].source);
  peek_own_line(p, node);
  for (uint32_t i = g->out_from[node]; i < g->out_from[node + 1]; i++)
    peek_edge(p, &g->edges[g->out[i]], row.cum, g->edges[g->out[i]].target);
  output_add_text(p->out, "</pre>\n");
}

static void peek_print(struct peek *p) {
  const struct graph *g = &p->v.graph;
  const char *filter = p->page->options.focus;
  size_t count = peek_count(g), shown = 0;
  size_t most = filter && *filter ? PEEK_FOUND_MAX : PEEK_FIRST_MAX;
  const struct web_change all = {"rows", STR("all")};
  if (strcmp(page_parameter(p->page, "rows"), "all") == 0) most = SIZE_MAX;
  output_add_text(p->out,
                  "<p class=hint>Above a function are its callers, below it its callees, each with "
                  "its part of the cost.</p>\n<div class=\"peek scroll\"><pre class=legend>      "
                  "flat  flat%   sum%        cum   cum%   calls calls% + context</pre>\n");
  for (size_t i = 0; i < g->shown_count && shown < most; i++) {
    if (!peek_matches(g, i)) continue;
    peek_function(p, g->shown[i]);
    shown++;
  }
  output_add_text(p->out, "</div>\n");
  if (!count) output_add_text(p->out, "<p class=empty>There are no samples to show.</p>\n");
  if (shown == count) return;
  output_printf(p->out, "<p class=more>%zu of %zu functions. <a", shown, count);
  page_link(p->out, p->page, "peek", &all, 1);
  output_add_text(p->out, ">Show all</a></p>\n");
}

pprofc_status view_peek(struct view_page *page, struct output *out, pprofc_error *error) {
  struct peek p = {.page = page, .out = out};
  pprofc_status status = peek_find(&p, error);
  if (!status) {
    page_note_report(page, &p.v);
    page->totals.has_shown = false;
    peek_print(&p);
  }
  view_report_close(&p.v);
  return status;
}
