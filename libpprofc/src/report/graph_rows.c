/* Returns the call graph as data: the nodes of -top and the edges of -tree. The data is a copy in
 * its own memory region. */
#include "report/report.h"

struct pprofc_graph {
  struct region *region; /* memory for this struct, the arrays and all texts */
  pprofc_graph_node *nodes;
  size_t node_count;
  pprofc_graph_edge *edges;
  size_t edge_count;
  pprofc_graph_totals totals;
};

struct graph_copy {
  const struct pipeline_result *result;
  const struct graph *graph;
  struct pprofc_graph *rows;
  size_t *row_of;    /* for each node, its index among the shown nodes; SIZE_MAX: not shown */
  pprofc_str *texts; /* copy of each text in frames.texts; data is NULL until the copy is made */
};

/* Copies a text into the region. Returns false when out of memory. */
static bool graph_copy_text(struct graph_copy *c, pprofc_str text, pprofc_str *out) {
  *out = arena_str(&c->rows->region->arena, text);
  return out->data != NULL;
}

/* Returns the copy of a text of a frame. Makes only one copy of each text, because many nodes have
 * the same file. */
static bool graph_share_text(struct graph_copy *c, uint32_t text, pprofc_str *out) {
  pprofc_str *copy = &c->texts[text];
  if (!copy->data && !graph_copy_text(c, c->graph->frames.texts.items[text], copy)) return false;
  *out = *copy;
  return true;
}

/* Copies the name of a node. If the name of the node's function is the same text, both share one
 * copy. */
static bool graph_copy_name(struct graph_copy *c, uint32_t index, uint32_t function,
                            pprofc_str *out) {
  pprofc_str name = graph_name(c->graph, index), text = c->graph->frames.texts.items[function];
  if (name.data == text.data && name.size == text.size) return graph_share_text(c, function, out);
  return graph_copy_text(c, name, out);
}

static bool graph_copy_node(struct graph_copy *c, uint32_t index, pprofc_graph_node *out) {
  const struct graph_node *node = &c->graph->nodes[index];
  const struct node_info *info = &c->graph->frames.infos[node->info];
  *out = (pprofc_graph_node){
      .line = info->place->line,
      .address = info->place->address,
      .flat = pipeline_ratio(c->result, node_flat(node)),
      .cum = pipeline_ratio(c->result, node_cum(node)),
  };
  return graph_copy_name(c, index, info->name, &out->name) &&
         graph_share_text(c, info->name, &out->function) &&
         graph_share_text(c, info->file, &out->file);
}

static bool graph_copy_nodes(struct graph_copy *c) {
  const struct graph *g = c->graph;
  pprofc_graph_node *nodes = arena_array(&c->rows->region->arena, g->shown_count, sizeof *nodes);
  if (!nodes) return false;
  for (size_t i = 0; i < g->node_count; i++) c->row_of[i] = SIZE_MAX;
  for (size_t i = 0; i < g->shown_count; i++) {
    if (!graph_copy_node(c, g->shown[i], &nodes[i])) return false;
    c->row_of[g->shown[i]] = i;
  }
  c->rows->nodes = nodes;
  c->rows->node_count = g->shown_count;
  return true;
}

/* Marks the callee of an edge as inlined if all calls along the edge are inlined, else sets *plain
 * to true. If a callee has an inlined edge and *plain is true, it is partly inlined. */
static void graph_mark_target(const struct graph_edge *edge, pprofc_graph_node *target,
                              bool *plain) {
  if (edge->is_inline) target->inlined = PPROFC_GRAPH_INLINED;
  *plain |= !edge->is_inline;
}

static bool graph_copy_edges(struct graph_copy *c) {
  const struct graph *g = c->graph;
  struct pprofc_graph *rows = c->rows;
  pprofc_graph_edge *edges = arena_array(&rows->region->arena, g->sorted_count, sizeof *edges);
  bool *plain = mem_zero_array(g->mem, rows->node_count, sizeof *plain);
  if (!edges || !plain) {
    mem_free(g->mem, plain, rows->node_count, sizeof *plain);
    return false;
  }
  size_t count = 0;
  for (size_t i = 0; i < g->sorted_count; i++) {
    const struct graph_edge *edge = &g->edges[g->sorted[i]];
    size_t source = c->row_of[edge->source], target = c->row_of[edge->target];
    if (source == SIZE_MAX || target == SIZE_MAX) continue; /* caller or callee is hidden */
    edges[count++] = (pprofc_graph_edge){
        .source = source,
        .target = target,
        .weight = pipeline_ratio(c->result, edge_weight(edge)),
        .inlined = edge->is_inline,
        .residual = edge->residual,
    };
    graph_mark_target(edge, &rows->nodes[target], &plain[target]);
  }
  for (size_t i = 0; i < rows->node_count; i++)
    if (plain[i] && rows->nodes[i].inlined) rows->nodes[i].inlined = PPROFC_GRAPH_PARTLY_INLINED;
  mem_free(g->mem, plain, rows->node_count, sizeof *plain);
  rows->edges = edges;
  rows->edge_count = count;
  return true;
}

static bool graph_copy_totals(struct graph_copy *c) {
  const struct pipeline_result *r = c->result;
  const struct graph_summary summary = pipeline_summary(c->graph);
  pprofc_graph_totals *t = &c->rows->totals;
  *t = (pprofc_graph_totals){
      .total = pipeline_ratio(r, r->total),
      .shown = pipeline_ratio(r, summary.shown),
      .nodes_before = summary.nodes_before,
      .dropped_nodes = summary.dropped_nodes,
  };
  return graph_copy_text(c, r->type, &t->type) && graph_copy_text(c, r->sample_unit, &t->unit);
}

/* Copies the graph, and the struct pprofc_graph itself, into a memory region. */
static pprofc_status graph_copy(const struct pipeline_result *result, const struct graph *g,
                                pprofc_graph **graph, pprofc_error *error) {
  struct region *region = region_new(g->mem);
  if (!region) return error_nomem(error);
  const size_t texts = g->frames.texts.count;
  struct graph_copy copy = {.result = result, .graph = g};
  copy.rows = arena_zero_array(&region->arena, 1, sizeof *copy.rows);
  copy.row_of = mem_array(g->mem, g->node_count, sizeof *copy.row_of);
  copy.texts = mem_zero_array(g->mem, texts, sizeof *copy.texts);
  bool done = copy.rows && copy.row_of && copy.texts;
  if (done) copy.rows->region = region;
  done = done && graph_copy_nodes(&copy) && graph_copy_edges(&copy) && graph_copy_totals(&copy);
  mem_free(g->mem, copy.row_of, g->node_count, sizeof *copy.row_of);
  mem_free(g->mem, copy.texts, texts, sizeof *copy.texts);
  if (!done) {
    region_release(region);
    return error_nomem(error);
  }
  *graph = copy.rows;
  return PPROFC_OK;
}

static pprofc_status graph_rows_new(const pprofc_profile *profile,
                                    const pprofc_report_options *options, unsigned wanted,
                                    pprofc_graph **graph, pprofc_error *error) {
  pprofc_report_options o;
  pprofc_status status = OPTIONS_COPY(pprofc_report_options, &o, options, error);
  if (status) return status;
  status = profile_need_stacks(profile, error);
  if (status) return status;
  const struct pipeline_overrides as_top = {.all_nodes = true, .aggregates = true};
  struct pipeline_result result;
  status = pipeline_run(profile, &o, &as_top, &result, error);
  if (!status) {
    struct graph g;
    pprofc_str unit;
    status = pipeline_graph(&result, wanted, &g, &unit, error);
    if (!status) status = graph_copy(&result, &g, graph, error);
    graph_free(&g);
  }
  pipeline_free(&result);
  return budget_status(&profile->mem, status, error);
}

pprofc_status pprofc_graph_new(const pprofc_profile *profile, const pprofc_report_options *options,
                               pprofc_graph **graph, pprofc_error *error) {
  return graph_rows_new(profile, options, PIPELINE_EDGES, graph, error);
}

pprofc_status graph_nodes_new(const pprofc_profile *profile, const pprofc_report_options *options,
                              pprofc_graph **graph, pprofc_error *error) {
  return graph_rows_new(profile, options, 0, graph, error);
}

void pprofc_graph_free(pprofc_graph *graph) {
  if (graph) region_release(graph->region);
}

const pprofc_graph_node *pprofc_graph_nodes(const pprofc_graph *graph, size_t *count) {
  *count = graph->node_count;
  return graph->nodes;
}

const pprofc_graph_edge *pprofc_graph_edges(const pprofc_graph *graph, size_t *count) {
  *count = graph->edge_count;
  return graph->edges;
}

pprofc_graph_totals pprofc_graph_totals_of(const pprofc_graph *graph) {
  return graph->totals;
}
