/* Builds the call tree, which has one node per call path. So a function has separate costs for
 * each path to it (docs/spec/pprof.md, 18, option call_tree). Edge i leads from the caller of
 * node i to node i. */
#include "graph/graph.h"

struct tree_step {
  int64_t pending, pending_div;
  uint32_t node;
  uint32_t offset;
};

struct tree_pass {
  struct graph *graph;
  struct tree_step *path;
  size_t depth, capacity;
};

static uint64_t hash_child(uint32_t parent, uint32_t info) {
  return hash_mix(parent, info);
}

uint32_t graph_tree_child(const struct graph *g, uint32_t parent, uint32_t info) {
  MAP_FIND(index, &g->tree, hash_child(parent, info),
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
  if (node >= NONE - 1 || !map_insert(&g->tree, hash_child(parent, info), node)) return NONE;
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

static bool tree_push(struct tree_pass *pass, uint32_t info, uint32_t offset, bool is_inline) {
  uint32_t parent = pass->depth ? pass->path[pass->depth - 1].node : NONE;
  uint32_t node = tree_find_child(pass->graph, parent, info, is_inline);
  if (node == NONE) return false;
  pass->path[pass->depth++] = (struct tree_step){.node = node, .offset = offset};
  return true;
}

static void tree_pop(struct tree_pass *pass) {
  struct tree_step step = pass->path[--pass->depth];
  struct graph_node *n = &pass->graph->nodes[step.node];
  n->cum = sum_add(n->cum, step.pending);
  n->cum_div = sum_add(n->cum_div, step.pending_div);
  if (!pass->depth) return;
  struct tree_step *below = &pass->path[pass->depth - 1];
  below->pending = sum_add(below->pending, step.pending);
  below->pending_div = sum_add(below->pending_div, step.pending_div);
}

static bool tree_reserve(struct tree_pass *pass, size_t more) {
  return ARRAY_RESERVE(pass->graph->mem, pass->path, pass->capacity, pass->depth + more);
}

static bool tree_push_location(struct tree_pass *pass, struct fresh_frame frame, size_t following) {
  struct graph *g = pass->graph;
  const struct frames *f = &g->frames;
  uint32_t info = f->of_location[frame.location];
  if (!(info & FRAME_LIST)) return tree_push(pass, info, frame.offset, false);
  const uint32_t *list = frame_list(f, info);
  if (!tree_reserve(pass, list[0] + following)) return false;
  for (uint32_t k = list[0]; k; k--)
    if (!tree_push(pass, list[k], frame.offset, k != list[0])) return false;
  return true;
}

static void tree_add_flat(struct tree_pass *pass, int64_t value, int64_t divisor) {
  struct tree_step *leaf = &pass->path[pass->depth - 1];
  struct graph_node *n = &pass->graph->nodes[leaf->node];
  leaf->pending = sum_add(leaf->pending, value);
  leaf->pending_div = sum_add(leaf->pending_div, divisor);
  n->flat = sum_add(n->flat, value);
  n->flat_div = sum_add(n->flat_div, divisor);
}

/* Adds the frames of a stack to the path. Skips the frames that the previous stack has, because
 * the path already contains them. */
static bool tree_push_fresh(struct tree_pass *pass, const struct stack_delta *delta) {
  if (!tree_reserve(pass, delta->count)) return false;
  for (size_t k = delta->count; k-- > 0;)
    if (!tree_push_location(pass, delta->fresh[k], k)) return false;
  return true;
}

static bool tree_follow(struct tree_pass *pass, struct stack_delta *delta) {
  const struct graph_options *o = &pass->graph->options;
  const pprofc_profile *profile = pass->graph->profile;
  struct value_column column = profile_values(profile, o->value_index);
  struct value_column divisors = profile_values(profile, 0);
  for (size_t i = 0; i < profile->samples.count; i++) {
    int64_t value = column.values[i * column.step];
    int64_t divisor = o->mean ? divisors.values[i * divisors.step] : 0;
    if (value == 0 && divisor == 0) continue;
    delta_next(delta, i);
    while (pass->depth && pass->path[pass->depth - 1].offset > delta->shared) tree_pop(pass);
    if (budget_poll(pass->graph->mem, i) || !tree_push_fresh(pass, delta)) return false;
    if (pass->depth) tree_add_flat(pass, value, divisor);
  }
  while (pass->depth) tree_pop(pass);
  return true;
}

pprofc_status graph_sum_tree(struct graph *g, pprofc_error *error) {
  const struct samples *samples = &g->profile->samples;
  struct tree_pass pass = {.graph = g, .capacity = samples->max_depth + 1};
  struct stack_delta delta;
  map_init(&g->tree, g->mem);
  pass.path = mem_array(g->mem, pass.capacity, sizeof *pass.path);
  bool done = false;
  if (pass.path && delta_init(&delta, g->mem, samples, 0)) {
    done = tree_follow(&pass, &delta);
    delta_free(&delta, g->mem);
  }
  mem_free(g->mem, pass.path, pass.capacity, sizeof *pass.path);
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
