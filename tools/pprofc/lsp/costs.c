/* Computes the costs of source lines. */
#include "lsp/lsp.h"

#include "mcp/mcp.h"
#include "noise/noise.h"
#include "unit/unit.h"

/* Maximum number of callers, and maximum number of callees, that are shown. */
#define COSTS_CALLS 5

static bool costs_add(struct costs *costs, const struct cost *cost) {
  if (cost->line < 1 || !cost->file.size) return true;
  return ARRAY_PUSH(&mem_default, costs->items, costs->count, costs->capacity, *cost);
}

static pprofc_status costs_take_lines(struct costs *costs, pprofc_error *error) {
  size_t count;
  pprofc_status status = lines_graph(costs->profile, &costs->quiet, &costs->lines, error);
  if (status) return status;
  const pprofc_graph_node *nodes = pprofc_graph_nodes(costs->lines, &count);
  for (size_t i = 0; i < count; i++) {
    const pprofc_graph_node *n = &nodes[i];
    const struct cost cost = {n->function, n->file, n->line, n->flat, n->cum, NULL, false};
    if (!costs_add(costs, &cost)) return error_nomem(error);
  }
  return PPROFC_OK;
}

/* Adds each line that has a verdict. The name of a verdict row is FUNCTION, newline, FILE:LINE. */
static pprofc_status costs_take_rows(struct costs *costs, pprofc_error *error) {
  for (size_t i = 0; i < costs->by_line.row_count; i++) {
    const pprofc_verdict_row *row = &costs->by_line.rows[i];
    size_t end = str_find_last_char(row->name, '\n');
    pprofc_str place = str_slice(row->name, end + 1, row->name.size);
    size_t colon = str_find_last_char(place, ':');
    struct cost cost = {
        str_slice(row->name, 0, end), str_slice(place, 0, colon), 0, 0, 0, row, false};
    str_parse_int(str_slice(place, colon + 1, place.size), 10, &cost.line);
    if (!costs_add(costs, &cost)) return error_nomem(error);
  }
  return PPROFC_OK;
}

/* True if the command compares with -diff_base, and no option prevents verdicts. */
static bool costs_can_judge(const struct command *command) {
  const pprofc_report_options *o = &command->report;
  return *command->diff_base && !*command->benchmark && !o->mean && !o->normalize &&
         !o->drop_negative && !noise_sums_given(command);
}

static pprofc_status costs_judge(struct costs *costs, const struct command *command,
                                 pprofc_error *error) {
  struct loaded_runs runs;
  struct noise_options lines = command->noise;
  struct output out;
  lines.how.lines = true;
  costs->judged = (struct noise_report){.options = &command->report, .show = lines.show};
  costs->by_line = (struct noise_report){.options = &costs->quiet, .show = lines.show};
  pprofc_status status = runs_load(command, NULL, &runs, error);
  if (!status) status = noise_judge(&costs->judged, &command->noise, &runs.list, error);
  if (!status) status = noise_judge(&costs->by_line, &lines, &runs.list, error);
  if (!status) status = runs_difference(&runs.list, true, &costs->profile, error);
  runs_free(&runs);
  if (status) return status;
  output_init(&out, buffer_write, &costs->header);
  noise_header(&costs->judged, &out);
  status = output_flush(&out, error);
  return status ? status : costs_take_rows(costs, error);
}

static int cost_by_place(const void *a, const void *b) {
  const struct cost *x = *(struct cost *const *)a, *y = *(struct cost *const *)b;
  int order = str_compare(x->function, y->function);
  if (!order) order = str_compare(x->file, y->file);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool costs_mark_first(struct costs *costs) {
  struct cost **order = mem_array(&mem_default, costs->count, sizeof *order);
  if (!order) return false;
  for (size_t i = 0; i < costs->count; i++) order[i] = &costs->items[i];
  if (costs->count) qsort(order, costs->count, sizeof *order, cost_by_place);
  for (size_t i = 0; i < costs->count; i++)
    order[i]->first = i == 0 || !str_equal(order[i]->function, order[i - 1]->function) ||
                      !str_equal(order[i]->file, order[i - 1]->file);
  mem_free(&mem_default, order, costs->count, sizeof *order);
  return true;
}

/* Stores for each function name the first graph node with this name. */
static bool costs_index(struct costs *costs) {
  const pprofc_graph_node *nodes = pprofc_graph_nodes(costs->functions, &costs->node_count);
  costs->nodes = mem_array(&mem_default, costs->node_count, sizeof *costs->nodes);
  for (size_t i = 0; costs->nodes && i < costs->node_count; i++) {
    size_t known = costs->names.count;
    uint32_t name = interner_add(&costs->names, nodes[i].function);
    if (name == MAP_NONE) return false;
    if (name == known) costs->nodes[name] = (uint32_t)i;
  }
  return costs->nodes;
}

pprofc_status costs_read(struct costs *costs, const struct command *command, pprofc_error *error) {
  *costs = (struct costs){.quiet = command->report};
  buffer_init(&costs->header, &mem_default, SIZE_MAX);
  interner_init(&costs->names, &mem_default);
  costs->quiet.warn = NULL;
  bool judged = costs_can_judge(command);
  pprofc_status status = judged ? costs_judge(costs, command, error) : PPROFC_OK;
  if (status == PPROFC_E_INVALID && !*command->noise.show) {
    /* Verdicts are not possible for these profiles, so show the difference without verdicts. */
    costs_free(costs);
    judged = false;
    status = PPROFC_OK;
  }
  if (!status && !judged) status = sources_fetch(command, &costs->profile, error);
  if (!status && !judged) {
    costs->profile->disposable = false;
    status = costs_take_lines(costs, error);
  }
  pprofc_report_options functions = costs->quiet;
  functions.granularity = "functions";
  functions.trim = false;
  if (!status) status = pprofc_graph_new(costs->profile, &functions, &costs->functions, error);
  if (!status && !(costs_index(costs) && costs_mark_first(costs))) status = error_nomem(error);
  return status;
}

void costs_free(struct costs *costs) {
  pprofc_graph_free(costs->lines);
  pprofc_graph_free(costs->functions);
  interner_free(&costs->names);
  mem_free(&mem_default, costs->nodes, costs->node_count, sizeof *costs->nodes);
  pprofc_verdicts_free(costs->judged.verdicts);
  pprofc_verdicts_free(costs->by_line.verdicts);
  pprofc_profile_release(costs->profile);
  ARRAY_FREE(&mem_default, costs->items, costs->capacity);
  buffer_free(&costs->header);
  *costs = (struct costs){.quiet = costs->quiet, .header = costs->header};
  interner_init(&costs->names, &mem_default);
}

struct cost costs_function(const struct costs *costs, pprofc_str name) {
  struct cost cost = {.function = STR("")};
  if (costs->judged.verdicts) {
    cost.judged = pprofc_verdicts_find(costs->judged.verdicts, name);
    if (cost.judged) cost.function = name;
    return cost;
  }
  size_t count;
  uint32_t known = interner_find(&costs->names, name);
  if (known == MAP_NONE) return cost;
  const pprofc_graph_node *n = &pprofc_graph_nodes(costs->functions, &count)[costs->nodes[known]];
  return (struct cost){.function = name, .file = n->file, .flat = n->flat, .cum = n->cum};
}

double costs_own(const struct cost *cost) {
  return fabs(cost->judged ? cost->judged->flat.delta : (double)cost->flat);
}

double costs_total(const struct cost *cost) {
  const pprofc_verdict_row *row = cost->judged;
  return row ? fmax(row->cum.base, row->cum.head) : fabs((double)cost->cum);
}

/* Returns the number of equal components at the ends of two paths. */
static size_t costs_common(pprofc_str a, pprofc_str b) {
  size_t parts = 0;
  /* A '/' precedes each component. Act as if a relative path began with '/'. */
  for (size_t n = 1; n <= a.size + 1 && n <= b.size + 1; n++) {
    char x = n <= a.size ? a.data[a.size - n] : '/';
    char y = n <= b.size ? b.data[b.size - n] : '/';
    if (x != y) break;
    parts += x == '/';
  }
  return parts;
}

pprofc_str costs_file(const struct costs *costs, pprofc_str path) {
  pprofc_str best = STR("");
  size_t most = 0;
  for (size_t i = 0; i < costs->count; i++) {
    pprofc_str file = costs->items[i].file;
    size_t parts = costs_common(file, path);
    size_t needed = str_find_char(file, '/') < file.size ? 2 : 1;
    if (parts <= most || parts < needed) continue;
    most = parts;
    best = file;
  }
  return best;
}

static void costs_put_value(const struct costs *costs, struct buffer *to, int64_t value) {
  char text[UNIT_LABEL_MAX];
  if (costs->judged.verdicts) {
    /* Divide by the number of base runs, because the difference is a sum over these runs, but
     * verdicts compare means. */
    double mean = (double)value / (double)costs->judged.summary.base_runs;
    struct amount_unit unit = noise_unit_for(&costs->judged, fabs(mean));
    buffer_add_str(to, amount_text(&unit, mean, true, text));
  } else {
    pprofc_str unit = pprofc_graph_totals_of(costs->functions).unit;
    buffer_add_str(to, unit_label(value, unit, STR("auto"), text));
  }
}

static void costs_put_amount(struct buffer *to, const struct amount_grid *grid, double value,
                             bool plus) {
  char text[AMOUNT_TEXT];
  buffer_add_str(to, amount_of_ticks(grid, value, plus, text));
}

/* Appends the change of the self value, or of the total if there are no self samples. The text is
 * ", +0.5s ±0.1s" for a line, and "; grew: +0.5s ±0.1s" for a function. Omits the interval if there
 * was no test. */
static void costs_put_change(const struct costs *costs, struct buffer *to, const struct cost *cost,
                             const struct amount_grid *grid) {
  const pprofc_verdict_summary *s = &costs->judged.summary;
  bool by_cum = cost->judged->flat.samples <= 0;
  const pprofc_verdict_estimate *e = noise_estimate(cost->judged, by_cum);
  double half = amount_ticks(grid, (e->high - e->low) / 2);
  if (cost->line)
    buffer_add_text(to, ", ");
  else
    buffer_printf(to, "; %s: ", noise_word(cost->judged, by_cum));
  if (by_cum) buffer_add_text(to, "total ");
  costs_put_amount(to, grid, amount_ticks(grid, e->head) - amount_ticks(grid, e->base), true);
  if (!isnan(e->p) && !s->lone && half != 0) {
    buffer_add_text(to, " \xC2\xB1");
    costs_put_amount(to, grid, half, false);
  }
  if (noise_is_pair(s)) buffer_add_text(to, s->lone ? ", one run of each version" : ", one pair");
}

void costs_put(const struct costs *costs, struct buffer *to, const struct cost *cost) {
  const pprofc_verdict_row *row = cost->judged;
  struct noise_range range = {.largest = 0};
  if (!row) {
    costs_put_value(costs, to, cost->flat);
    buffer_add_text(to, " self, ");
    costs_put_value(costs, to, cost->cum);
    buffer_add_text(to, " total");
    return;
  }
  noise_range_add(&range, row->flat.base, row->flat.head, fmax(row->cum.base, row->cum.head),
                  row->flat.samples > 0 ? row->flat.delta : row->cum.delta);
  struct amount_grid grid = noise_grid(&costs->judged, &range);
  costs_put_amount(to, &grid, amount_ticks(&grid, row->flat.head), false);
  buffer_add_text(to, " self, ");
  costs_put_amount(to, &grid, amount_ticks(&grid, row->cum.head), false);
  buffer_add_text(to, " total");
  costs_put_change(costs, to, cost, &grid);
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
