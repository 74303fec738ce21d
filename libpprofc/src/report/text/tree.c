/* Prints the reports tree and peek: each node between its callers and its callees. */
#include "report/report.h"

static const char separator[] =
    "----------------------------------------------------------+-------------\n";
static const char legend_line[] =
    "      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t \n";

struct tree {
  struct report *report;
  struct graph graph;
  struct output *out;
  int64_t running; /* sum of the flat values of the printed nodes */
};

/* Prints an edge. Even if the values of nodes are means, the value of an edge is a sum, like in
 * pprof. */
static void tree_print_edge(const struct tree *t, const struct graph_edge *e, int64_t cum,
                            uint32_t other) {
  output_row(t->out, 0, (double)e->weight, 0);
  report_padded(t->report, t->out, e->weight, 50);
  report_percentage(t->out, e->weight, cum);
  output_add_text(t->out, " |   ");
  report_text(t->out, t->report->mem, graph_name(&t->graph, other));
  output_add_text(t->out, e->is_inline ? " (inline)\n" : "\n");
}

static void tree_print_node(struct tree *t, uint32_t node) {
  const struct graph *g = &t->graph;
  int64_t flat = node_flat(&g->nodes[node]), cum = node_cum(&g->nodes[node]);
  output_row(t->out, 1, (double)cum, 0);
  output_add_text(t->out, separator);
  for (uint32_t i = g->in_from[node]; i < g->in_from[node + 1]; i++)
    tree_print_edge(t, &g->edges[g->in[i]], cum, g->edges[g->in[i]].source);
  output_row(t->out, 2, (double)cum, (long double)flat);
  report_columns(t->report, t->out, flat, cum, &t->running);
  output_add_text(t->out, "                | ");
  report_text(t->out, t->report->mem, graph_name(g, node));
  output_add_char(t->out, '\n');
  for (uint32_t i = g->out_from[node]; i < g->out_from[node + 1]; i++)
    tree_print_edge(t, &g->edges[g->out[i]], cum, g->edges[g->out[i]].target);
}

static bool is_printed(const struct graph *g, size_t index) {
  return !g->matches || g->matches[g->shown[index]];
}

static void tree_print_all(struct tree *t) {
  const struct graph *g = &t->graph;
  struct report *report = t->report;
  report->legend = pipeline_summary(g);
  report->rows_add_up = !g->matches;
  report->node_rank = 2;
  labels_graph(report, &report->legend, false, label_to_output, t->out);
  output_add_text(t->out, separator);
  output_add_text(t->out, legend_line);
  for (size_t i = 0; i < g->shown_count && !t->out->failed; i++)
    if (is_printed(g, i)) tree_print_node(t, g->shown[i]);
  output_no_row(t->out);
  if (g->shown_count) output_add_text(t->out, separator);
}

pprofc_status report_tree(struct report *report, struct output *out, pprofc_error *error) {
  struct tree t = {.report = report, .out = out};
  pprofc_status status =
      pipeline_graph(&report->result, PIPELINE_EDGES, &t.graph, &report->output_unit, error);
  if (!status) tree_print_all(&t);
  graph_free(&t.graph);
  return status;
}

pprofc_status report_peek(struct report *report, struct output *out, pprofc_error *error) {
  struct tree t = {.report = report, .out = out};
  pprofc_status status = report_graph(report, PIPELINE_EDGES_OF_MATCH, &t.graph, error);
  if (!status) {
    bool any = false;
    for (size_t i = 0; i < t.graph.shown_count && !any; i++) any = is_printed(&t.graph, i);
    if (any)
      tree_print_all(&t);
    else
      status = report_no_match(report, "regexp:", NULL, error);
  }
  report_graph_free(report, &t.graph);
  return status;
}
