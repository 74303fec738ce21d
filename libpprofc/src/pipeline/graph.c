/* Makes the graph of a pipeline's result, and chooses the unit of its values. */
#include "pipeline/pipeline.h"

#include "unit/unit.h"

/* Returns the smallest absolute value of the shown nodes, or 0 if all values are 0. The value of a
 * node is its flat value, or its cumulative value if the flat value is 0. */
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

/* Chooses one unit for all values, so that they are easy to compare. If the unit is automatic, it
 * fits the smallest value. */
static pprofc_str choose_unit(const struct pipeline_result *r, const struct graph *g,
                              bool integers) {
  const pprofc_str unit = r->sample_unit, automatic = STR("minimum");
  if (!str_equal(r->output_unit, automatic) || !g->shown_count) return r->output_unit;
  int64_t low = smallest_value(g), high = pipeline_ratio(r, r->total);
  if (low == 0) low = r->total;
  low = pipeline_ratio(r, low);
  struct measure lowest = unit_scale(low, unit, automatic);
  struct measure highest = unit_scale(high, unit, automatic);
  if (!str_equal(lowest.unit, highest.unit) && number_multiply(low, 100) < high && !integers)
    lowest = unit_scale(number_multiply(low, 100), unit, automatic);
  return lowest.unit.size ? lowest.unit : unit;
}

pprofc_status pipeline_graph(const struct pipeline_result *r, unsigned wanted, struct graph *g,
                             pprofc_str *output_unit, pprofc_error *error) {
  const pprofc_report_options *o = &r->options;
  const unsigned threads = o->threads ? o->threads : r->profile->threads;
  struct graph_options options = {
      .frames = {.granularity = &r->granularity,
                 .object_names = wanted & PIPELINE_OBJECTS,
                 .trim_path = o->trim_path,
                 .source_path = o->source_path},
      .value_index = r->value_index,
      .mean = r->mean,
      .call_tree = o->call_tree && (wanted & PIPELINE_CALL_TREE),
      .drop_negative = o->drop_negative,
      .cum_sort = r->cum_sort,
      .visual = wanted & PIPELINE_VISUAL,
      .by_change = wanted & PIPELINE_BY_CHANGE,
      .nodecount = r->nodecount,
      .nodefraction = r->nodefraction,
      .edgefraction = r->edgefraction,
      .want_edges = wanted & (PIPELINE_EDGES | PIPELINE_EDGES_OF_MATCH),
      .want_tags = wanted & PIPELINE_TAGS,
      .want_inline_marks = wanted & PIPELINE_INLINE_MARKS,
      .bytes_unit = label_units_get(&r->units, STR("bytes")),
      .tag_unit = r->output_unit,
      .threads = threads,
  };
  if (wanted & PIPELINE_EDGES_OF_MATCH) options.edges_of = r->argument;
  *output_unit = r->output_unit;
  pprofc_status status = graph_build(g, r->profile, &options, error);
  if (!status) *output_unit = choose_unit(r, g, wanted & PIPELINE_INTEGERS);
  return status;
}

struct graph_summary pipeline_summary(const struct graph *graph) {
  struct graph_summary summary = {.nodes = graph->shown_count,
                                  .nodes_before = graph->nodes_before,
                                  .dropped_nodes = graph->dropped_nodes};
  for (size_t i = 0; i < graph->shown_count; i++)
    summary.shown = sum_add(summary.shown, node_flat(&graph->nodes[graph->shown[i]]));
  if (graph->options.visual) summary.dropped_edges = graph->dropped_edges;
  return summary;
}
