/* What the reports of the call graph share. */
#include "report/graph_report.h"

#include "report/value.h"
#include "unit/unit.h"

/* The smallest flat value shown, or cum where flat is 0; 0 when all are 0. */
static int64_t smallest_value(const struct graph *g) {
  int64_t smallest = 0;
  for (size_t i = 0; i < g->shown_count; i++) {
    const struct graph_node *n = &g->nodes[g->shown[i]];
    int64_t value = number_abs(node_flat(n));
    if (value == 0) value = number_abs(node_cum(n));
    if (value > 0 && (smallest == 0 || value < smallest)) smallest = value;
  }
  return smallest;
}

/* One unit for all values, so that they can be compared by eye: the one that shows the smallest. */
static void choose_unit(struct report *report, const struct graph *g, bool integers) {
  if (!str_equal(report->output_unit, STR("minimum")) || !g->shown_count) return;
  const pprofc_str unit = report->sample_unit, automatic = STR("minimum");
  int64_t low = smallest_value(g), high = report->total;
  if (low == 0) low = high;
  low = value_ratio(report, low);
  high = value_ratio(report, high);
  struct measure lowest = unit_scale(low, unit, automatic);
  struct measure highest = unit_scale(high, unit, automatic);
  if (!str_equal(lowest.unit, highest.unit) && number_multiply(low, 100) < high && !integers)
    lowest = unit_scale(number_multiply(low, 100), unit, automatic);
  report->output_unit = lowest.unit.size ? lowest.unit : unit;
}

pprofc_status graph_for_report(struct report *report, enum graph_use use, struct graph *g,
                               pprofc_error *error) {
  const pprofc_report_options *o = report->options;
  bool tree_use = use == USE_DOT || use == USE_CALLGRIND;
  struct graph_options options = {
      .frames = {.granularity = &report->granularity,
                 .object_names = use == USE_CALLGRIND,
                 .trim_path = o->trim_path,
                 .source_path = o->source_path},
      .value_index = report->value_index,
      .mean = report->mean,
      .call_tree = report->call_tree && tree_use,
      .drop_negative = o->drop_negative,
      .cum_sort = report->cum_sort,
      .visual = use == USE_DOT,
      .nodecount = report->nodecount,
      .nodefraction = report->nodefraction,
      .edgefraction = report->edgefraction,
      .want_edges = tree_use || use == USE_TREE || use == USE_PEEK,
      .want_tags = use == USE_DOT,
      .want_inline_marks = use == USE_TOP,
      .edges_of = use == USE_PEEK ? report->argument : NULL,
      .bytes_unit = label_units_get(&report->units, STR("bytes")),
      .tag_unit = report->output_unit,
      .threads = o->threads ? o->threads : report->profile->threads,
  };
  pprofc_status status = graph_build(g, report->profile, &options, error);
  if (!status) choose_unit(report, g, use == USE_CALLGRIND);
  return status;
}

struct legend graph_legend(const struct graph *g) {
  struct legend legend = {0, g->shown_count, g->nodes_before, g->dropped_nodes, 0};
  for (size_t i = 0; i < g->shown_count; i++)
    legend.shown = number_add(legend.shown, node_flat(&g->nodes[g->shown[i]]));
  if (g->options.visual) legend.dropped_edges = g->dropped_edges;
  return legend;
}
