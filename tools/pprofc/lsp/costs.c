/* Costs of lines by file. */
#include "lsp/costs.h"

#include "core/log_guard.h"
#include "core/markdown.h"
#include "mcp/lines.h"
#include "unit/unit.h"

/* Calls shown in each direction. */
#define COSTS_CALLS 5

pprofc_status costs_read(struct costs *costs, const pprofc_profile *profile,
                         const pprofc_report_options *options, pprofc_error *error) {
  pprofc_report_options functions = *options;
  *costs = (struct costs){.count = 0};
  functions.granularity = "functions";
  functions.trim = false;
  pprofc_status status = lines_graph(profile, options, &costs->lines, error);
  if (!status) status = pprofc_graph_new(profile, &functions, &costs->functions, error);
  if (!status) costs->nodes = pprofc_graph_nodes(costs->lines, &costs->count);
  return status;
}

void costs_free(struct costs *costs) {
  pprofc_graph_free(costs->lines);
  pprofc_graph_free(costs->functions);
}

/* ---- files ------------------------------------------- */

/* Returns the number of parts that two paths have in common at their ends; *whole: all of a. */
static size_t costs_common(pprofc_str a, pprofc_str b, bool *whole) {
  size_t parts = 0, i = a.size, k = b.size;
  while (i && k && a.data[i - 1] == b.data[k - 1]) {
    parts += a.data[i - 1] == '/';
    i--, k--;
  }
  bool b_ends = !k || b.data[k - 1] == '/', a_ends = !i || a.data[i - 1] == '/';
  *whole = !i && b_ends;
  return parts + (a_ends && b_ends && (!i || !k || a.data[i] != '/'));
}

pprofc_str costs_file(const struct costs *costs, pprofc_str path) {
  pprofc_str best = STR("");
  size_t most = 0;
  for (size_t i = 0; i < costs->count; i++) {
    bool whole;
    pprofc_str file = costs->nodes[i].file;
    size_t parts = file.size ? costs_common(file, path, &whole) : 0;
    if (parts <= most || !(parts >= 2 || whole)) continue;
    most = parts;
    best = file;
  }
  return best;
}

/* ---- words ------------------------------------------- */

static void costs_put_value(const struct costs *costs, struct buffer *to, int64_t value) {
  char text[UNIT_LABEL_MAX];
  pprofc_str unit = pprofc_graph_totals_of(costs->lines).unit;
  buffer_add_str(to, unit_label(value, unit, STR("auto"), text));
}

void costs_put(const struct costs *costs, struct buffer *to, int64_t flat, int64_t cum) {
  costs_put_value(costs, to, flat);
  buffer_add_text(to, " self, ");
  costs_put_value(costs, to, cum);
  buffer_add_text(to, " total");
}

void costs_put_name(struct buffer *to, pprofc_str name) {
  name = str_slice(name, 0, 200);
  if (!markdown_put_code(to, name, false)) escape_line(to, name);
}

static void costs_put_call(const struct costs *costs, struct buffer *to, const char *way,
                           int64_t weight, pprofc_str name) {
  buffer_printf(to, "- %s ", way);
  costs_put_name(to, name);
  buffer_add_text(to, ": ");
  costs_put_value(costs, to, weight);
  buffer_add_char(to, '\n');
}

void costs_put_calls(const struct costs *costs, struct buffer *to, pprofc_str function) {
  size_t node_count, edge_count, callers = 0, callees = 0;
  const pprofc_graph_node *nodes = pprofc_graph_nodes(costs->functions, &node_count);
  const pprofc_graph_edge *edges = pprofc_graph_edges(costs->functions, &edge_count);
  for (size_t i = 0; i < edge_count; i++) {
    const pprofc_graph_node *from = &nodes[edges[i].source], *into = &nodes[edges[i].target];
    if (str_equal(into->function, function) && callers++ < COSTS_CALLS)
      costs_put_call(costs, to, "called by", edges[i].weight, from->function);
    if (str_equal(from->function, function) && callees++ < COSTS_CALLS)
      costs_put_call(costs, to, "calls", edges[i].weight, into->function);
  }
}
