/* Prints the reports top and text. Each node is a line. */
#include "report/report.h"

pprofc_status report_comments(struct report *report, struct output *out, pprofc_error *error) {
  (void)error;
  const pprofc_profile *p = report->result.profile;
  for (size_t i = 0; i < p->comment_count; i++) {
    report_text(out, report->mem, profile_string(p, p->comments[i]));
    output_add_char(out, '\n');
  }
  return PPROFC_OK;
}

static void top_print_node(const struct report *report, const struct graph *g, uint32_t node,
                           int64_t *running, struct output *out) {
  static const char *const marks[] = {"", " (inline)", " (partial-inline)"};
  int64_t flat = node_flat(&g->nodes[node]), cum = node_cum(&g->nodes[node]);
  output_row(out, 0, 0, (long double)flat);
  report_columns(report, out, flat, cum, running);
  output_add_text(out, "  ");
  report_text(out, report->mem, graph_name(g, node));
  output_add_text(out, marks[g->marks[node]]);
  output_add_char(out, '\n');
}

pprofc_status report_top(struct report *report, struct output *out, pprofc_error *error) {
  struct graph g;
  pprofc_status status = report_graph(report, PIPELINE_INLINE_MARKS, &g, error);
  if (!status) {
    report->legend = pipeline_summary(&g);
    labels_graph(report, &report->legend, false, label_to_output, out);
    output_add_text(out, "      flat  flat%   sum%        cum   cum%\n");
    int64_t running = 0;
    report->rows_add_up = true;
    for (size_t i = 0; i < g.shown_count && !out->failed; i++)
      top_print_node(report, &g, g.shown[i], &running, out);
  }
  report_graph_free(report, &g);
  return status;
}
