/* Builds the call tree, which has one node per call path. So a function has separate costs for
 * each path to it (docs/spec/pprof.md, 18, option call_tree). Edge i leads from the caller of
 * node i to node i. */
#include "graph/path.h"

uint32_t graph_tree_child(const struct graph *g, uint32_t parent, uint32_t info) {
  MAP_FIND(index, &g->tree, hash_mix(parent, info),
           g->nodes[index].parent == parent && g->nodes[index].info == info);
  return index;
}

/* Reserves memory for another node and the edge to it. */
static bool tree_grow(struct graph *g) {
  return ARRAY_RESERVE(g->mem, g->nodes, g->node_capacity, g->node_count + 1) &&
         ARRAY_RESERVE(g->mem, g->edges, g->edge_capacity, g->node_count + 1);
}

/* Returns the node with the node_info `info` and the caller `parent`, and adds the node if it is
 * new. Returns NONE when out of memory. */
static uint32_t tree_find_child(struct graph *g, uint32_t parent, uint32_t info, bool is_inline) {
  uint32_t node = graph_tree_child(g, parent, info);
  if (node != NONE) {
    g->edges[node].is_inline &= is_inline;
    return node;
  }
  if (!tree_grow(g)) return NONE;
  node = (uint32_t)g->node_count;
  if (node >= NONE - 1 || !map_insert(&g->tree, hash_mix(parent, info), node)) return NONE;
  g->nodes[node] = (struct graph_node){.info = info, .parent = parent};
  g->edges[node] = (struct graph_edge){
      .source = parent == NONE ? node : parent,
      .target = node,
      .is_inline = is_inline,
      .dead = parent == NONE,
  };
  g->node_count = g->edge_count = node + (size_t)1;
  return node;
}

/* State of building the tree. */
struct tree_pass {
  struct graph *graph;
  struct graph_path path;
};

static bool tree_push(void *context, uint32_t info, uint32_t offset, bool is_inline) {
  struct tree_pass *pass = context;
  const struct path_step *caller = path_leaf(&pass->path);
  uint32_t node = tree_find_child(pass->graph, caller ? caller->node : NONE, info, is_inline);
  if (node == NONE) return false;
  pass->path.steps[pass->path.depth++] = (struct path_step){.node = node, .offset = offset};
  return true;
}

static void tree_pop(void *context, const struct path_step *step) {
  struct tree_pass *pass = context;
  struct graph_node *n = &pass->graph->nodes[step->node];
  n->cum = sum_add(n->cum, step->pending.value);
  n->cum_div = sum_add(n->cum_div, step->pending.divisor);
}

static bool tree_follow(struct tree_pass *pass) {
  for (size_t i = 0; i < pass->graph->profile->samples.count; i++) {
    struct path_sum added;
    if (!path_add(&pass->path, i, &added)) return false;
    const struct path_step *leaf = path_leaf(&pass->path);
    if (!leaf) continue;
    struct graph_node *n = &pass->graph->nodes[leaf->node];
    n->flat = sum_add(n->flat, added.value);
    n->flat_div = sum_add(n->flat_div, added.divisor);
  }
  path_end(&pass->path);
  return true;
}

pprofc_status graph_sum_tree(struct graph *g, pprofc_error *error) {
  struct tree_pass pass = {.graph = g};
  map_init(&g->tree, g->mem);
  bool done = path_init(&pass.path, g, 0);
  pass.path.context = &pass;
  pass.path.push = tree_push;
  pass.path.pop = tree_pop;
  done = done && tree_follow(&pass);
  path_free(&pass.path);
  if (!done) return error_nomem(error);
  for (size_t i = 0; i < g->node_count; i++) {
    g->edges[i].weight = g->nodes[i].cum;
    g->edges[i].weight_div = g->nodes[i].cum_div;
  }
  return PPROFC_OK;
}

/* Removes from the call tree each node i for which removed[i] is 1. Residual edges (edges that skip
 * nodes) then connect the callees of a removed node with its caller. If the node has no caller, its
 * callees become roots. Callers have lower indices than callees, so one loop is enough. Nodes whose
 * flat and cum are 0 stay, because no report shows them. */
void graph_trim_tree(struct graph *g, const uint8_t *removed) {
  for (size_t i = 0; i < g->edge_count; i++) {
    struct graph_edge *e = &g->edges[i];
    if (e->dead || !removed[e->source]) continue;
    const struct graph_edge *above = &g->edges[e->source];
    if (above->dead) {
      e->dead = true;
      continue;
    }
    e->source = above->source;
    e->residual = true;
    e->is_inline &= above->is_inline;
  }
  for (size_t i = 0; i < g->edge_count; i++)
    if (removed[g->edges[i].target]) g->edges[i].dead = true;
}
