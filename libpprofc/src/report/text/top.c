/* The reports top and text: one line for each node. */
#include "report/labels.h"
#include "unit/unit.h"

static void top_add_value(const struct report *report, struct output *out, int64_t value) {
  char text[UNIT_LABEL_MAX];
  output_add_padded(out, report_value(report, value, text), 10);
}

static void top_add_percentage(const struct report *report, struct output *out, int64_t value) {
  char text[32];
  output_add_char(out, ' ');
  output_add_str(out, unit_percentage(value, report->result.total, text));
}

static void top_print_node(const struct report *report, const struct graph *g, uint32_t node,
                           int64_t *running, struct output *out) {
  static const char *const marks[] = {"", " (inline)", " (partial-inline)"};
  int64_t flat = node_flat(&g->nodes[node]), cum = node_cum(&g->nodes[node]);
  *running = sum_add(*running, flat);
  output_row(out, 0, 0, (long double)flat);
  top_add_value(report, out, flat);
  top_add_percentage(report, out, flat);
  top_add_percentage(report, out, *running);
  output_add_char(out, ' ');
  top_add_value(report, out, cum);
  top_add_percentage(report, out, cum);
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
