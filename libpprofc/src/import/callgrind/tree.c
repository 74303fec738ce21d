/* Makes the call tree. A node is a function with its callers, so it is a stack. The option
 * call_stacks selects one node per function (flat), one per call (edges), or a tree of all calls. A
 * branch of the tree is a node with all nodes below it. Small branches are pruned (omitted).
 *
 * A graph has more paths than calls: if N callers call a function that calls N others, there are
 * N*N paths. Therefore the size of the tree is limited in proportion to the graph. Branches over
 * the limit are joined: each call then has one more node, whose stack has only "[pruned]", the
 * caller and the callee. */
#include "import/callgrind/callgrind.h"

/* A branch is pruned if its costs are below this share of the totals. Speedscope uses 1e-4, which
 * prunes an eighth of the cost in graphs with many paths. */
#define SMALLEST_SHARE 1e-6

/* Relative rounding error of sums and products of shares. */
#define ROUNDING 1e-9

/* Limits of a tree with n functions and calls: NODES_ALWAYS + n * NODES_FOR_EACH nodes, and
 * VISITS_ALWAYS + n * VISITS_FOR_EACH visited calls. Trees of compilers and interpreters have about
 * three nodes for each function and each call. */
#define MAX_NODES       ((size_t)1 << 18)
#define MAX_FRAMES      ((uint64_t)1 << 22)
#define NODES_ALWAYS    ((size_t)1 << 11)
#define NODES_FOR_EACH  16u
#define VISITS_ALWAYS   ((uint64_t)1 << 16)
#define VISITS_FOR_EACH 256u
/* Maximum number of functions in the stack of a node. Deeper branches are pruned. */
#define MAX_DEPTH 1000u

struct growing {
  struct arena arena; /* memory of the arrays */
  struct callgrind_tree *tree;
  const struct callgrind_graph *graph;
  struct callgrind_flow flow;
  pprofc_builder *builder;
  uint32_t *last; /* for each function: its last node, or NONE */

  size_t most_nodes;
  double *largest;      /* for each function and type: cost of its largest branch */
  double *below;        /* for each function and type: cost of all its branches */
  uint64_t visits_left; /* number of calls that may still be visited */
  bool full;            /* true if the tree exceeds a limit */

  /* The following arrays contain fractions from 0 to 1. The second pass (tree->joined) uses them.
   */
  double *joined_share; /* for each call and type: fraction of the callee's cost that is pruned */
  double *leaf_share; /* for each function and type: fraction of the function's cost at nodes whose
                         branches are all pruned */
};

/* Appends a node without weights. Returns false, and makes the builder fail, when out of
 * memory. */
static bool push_node(struct growing *g, const struct callgrind_node *node) {
  struct callgrind_tree *tree = g->tree;
  size_t cells = (tree->node_count + 1) * tree->types, index = tree->node_count;
  if (!import_need(
          g->builder,
          ARRAY_RESERVE(tree->mem, tree->weights, tree->weight_room, cells) &&
              ARRAY_RESERVE(tree->mem, tree->pruned, tree->pruned_room, cells) &&
              ARRAY_PUSH(tree->mem, tree->nodes, tree->node_count, tree->node_room, *node)))
    return false;
  memset(callgrind_weights(tree, index), 0, tree->types * sizeof *tree->weights);
  memset(callgrind_pruned(tree, index), 0, tree->types * sizeof *tree->pruned);
  return builder_ok(g->builder);
}

static void add_node(struct growing *g, uint32_t function, uint32_t above, uint32_t site,
                     const double *weights) {
  struct callgrind_tree *tree = g->tree;
  size_t index = tree->node_count;
  uint32_t depth = above == NONE ? 1 : tree->nodes[above].depth + 1;
  if (!push_node(g, &(struct callgrind_node){function, above, site, NONE, depth})) return;
  memcpy(callgrind_weights(tree, index), weights, tree->types * sizeof *weights);
  if (g->last[function] == NONE)
    tree->first[function] = (uint32_t)index;
  else
    tree->nodes[g->last[function]].next = (uint32_t)index;
  g->last[function] = (uint32_t)index;
  tree->frames += depth;
}

static uint32_t site_of(const struct growing *g, const struct callgrind_call *call) {
  return callgrind_location(g->graph, g->builder, call->caller, &call->site);
}

/* ---- flat, edges ------------------------------------- */

static bool any(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (values[i] > 0) return true;
  return false;
}

static void call_tree_add_flat(struct growing *g) {
  double weights[CALLGRIND_MAX_EVENTS];
  for (size_t t = 0; t < g->tree->types; t++) weights[t] = 1;
  for (uint32_t f = 0; f < g->tree->functions && builder_ok(g->builder); f++)
    add_node(g, f, NONE, NONE, weights);
}

/* Adds a node for each call. The stack of a node has two frames: the caller's call site and
 * the function. */
static void add_edges(struct growing *g) {
  size_t types = g->tree->types;
  double shares[CALLGRIND_MAX_EVENTS];
  for (uint32_t f = 0; f < g->tree->functions && builder_ok(g->builder); f++) {
    for (size_t t = 0; t < types; t++) shares[t] = callgrind_root_share(&g->flow, f, t);
    if (any(shares, types)) add_node(g, f, NONE, NONE, shares);
  }
  for (uint32_t c = 0; c < g->graph->call_count && builder_ok(g->builder); c++) {
    const struct callgrind_call *call = &g->graph->calls[c];
    for (size_t t = 0; t < types; t++) shares[t] = callgrind_call_share(&g->flow, c, t);
    if (any(shares, types)) add_node(g, call->callee, NONE, site_of(g, call), shares);
  }
}

/* ---- the tree ---------------------------------------- */

static bool tree_is_full(const struct growing *g) {
  return g->tree->node_count >= g->most_nodes || g->tree->frames >= MAX_FRAMES;
}

static bool is_deep(const struct callgrind_tree *tree, uint32_t above) {
  return above != NONE && tree->nodes[above].depth >= MAX_DEPTH;
}

static void add_joined(struct growing *g, const struct callgrind_call *call, const double *shares) {
  double *joined = g->joined_share + (size_t)(call - g->graph->calls) * g->tree->types;
  for (size_t t = 0; t < g->tree->types; t++) joined[t] += shares[t];
}

enum branch_size { BRANCH_EMPTY, BRANCH_SMALL, BRANCH_LARGE };

/* Returns the size of a branch. Its costs are the function's inclusive costs times `shares`. A
 * branch is large if one of its costs is at least SMALLEST_SHARE of the total. */
static enum branch_size size_of_branch(const struct growing *g, uint32_t function,
                                       const double *shares) {
  const double *inclusive = g->flow.inclusive + function * g->tree->types;
  enum branch_size size = BRANCH_EMPTY;
  for (size_t t = 0; t < g->tree->types; t++) {
    double cost = shares[t] * inclusive[t];
    if (!(cost > 0)) continue;
    if (cost >= (double)g->graph->totals[t] * SMALLEST_SHARE) return BRANCH_LARGE;
    size = BRANCH_SMALL;
  }
  return size;
}

/* Adds the cost of a pruned branch to the node `above`; if `above` is NONE, to pruned_roots. */
static void add_pruned(struct growing *g, uint32_t function, uint32_t above, const double *shares) {
  struct callgrind_tree *tree = g->tree;
  const double *inclusive = g->flow.inclusive + function * tree->types;
  double *pruned = above == NONE ? tree->pruned_roots : callgrind_pruned(tree, above);
  for (size_t t = 0; t < tree->types; t++) pruned[t] += shares[t] * inclusive[t];
}

/* Adds a branch: a node with the part `shares` of the cost of `function`. Prunes the branch if it
 * is small or very deep, or if the tree is full. The first pass adds the cost of a pruned branch to
 * the node `above`. The second pass adds this cost to the call's `joined_share`, and never prunes
 * roots. */
static void add_branch(struct growing *g, uint32_t function, uint32_t above,
                       const struct callgrind_call *call, const double *shares) {
  struct callgrind_tree *tree = g->tree;
  enum branch_size size = size_of_branch(g, function, shares);
  if (size == BRANCH_EMPTY) return;
  bool full = tree_is_full(g);
  bool cut = size == BRANCH_SMALL || full || is_deep(tree, above);
  g->full = g->full || full;
  if (cut && tree->joined && call)
    add_joined(g, call, shares);
  else if (cut && !tree->joined)
    add_pruned(g, function, above, shares);
  else
    add_node(g, function, above, call ? site_of(g, call) : NONE, shares);
}

/* True if all branches of a node would be pruned. Rounds each cost up (ROUNDING), because a
 * rounding error must not prune a large branch. */
static bool all_are_cut(const struct growing *g, uint32_t function, uint32_t node) {
  const struct callgrind_tree *tree = g->tree;
  const double *weights = callgrind_weights(tree, node);
  if (tree->joined && (tree_is_full(g) || is_deep(tree, node))) return true;
  for (size_t t = 0; t < tree->types; t++) {
    double cost = weights[t] * g->largest[function * tree->types + t] * (1 + ROUNDING);
    if (cost > 0 && cost >= (double)g->graph->totals[t] * SMALLEST_SHARE) return false;
  }
  return true;
}

/* Prunes all branches of a node without visiting the calls of its function. */
static void cut_all(struct growing *g, uint32_t function, uint32_t node) {
  const double *weights = callgrind_weights(g->tree, node);
  double *pruned = callgrind_pruned(g->tree, node);
  size_t types = g->tree->types;
  for (size_t t = 0; t < types; t++) {
    if (g->tree->joined)
      g->leaf_share[function * types + t] += weights[t];
    else
      pruned[t] += weights[t] * g->below[function * types + t];
  }
}

static void add_branches_of(struct growing *g, uint32_t function, uint32_t node) {
  struct callgrind_tree *tree = g->tree;
  if (all_are_cut(g, function, node)) {
    cut_all(g, function, node);
    return;
  }
  double shares[CALLGRIND_MAX_EVENTS];
  for (uint32_t c = g->graph->functions[function].first_call; c != NONE;
       c = g->graph->calls[c].next) {
    const struct callgrind_call *call = &g->graph->calls[c];
    if (call->closes_cycle) continue;
    for (size_t t = 0; t < tree->types; t++)
      shares[t] = callgrind_weights(tree, node)[t] * callgrind_call_share(&g->flow, c, t);
    add_branch(g, call->callee, node, call, shares);
  }
}

/* Grows the tree level by level, so a tree that is too large loses leaves and not whole
 * branches. */
static void grow_tree(struct growing *g) {
  struct callgrind_tree *tree = g->tree;
  double shares[CALLGRIND_MAX_EVENTS];
  for (uint32_t f = 0; f < tree->functions; f++) {
    for (size_t t = 0; t < tree->types; t++) shares[t] = callgrind_root_share(&g->flow, f, t);
    add_branch(g, f, NONE, NULL, shares);
  }
  for (uint32_t i = 0; builder_ok(g->builder) && i < tree->node_count; i++) {
    uint32_t function = tree->nodes[i].function;
    uint64_t calls = g->graph->functions[function].call_count;
    g->full = g->full || calls > g->visits_left;
    if (g->full && !tree->joined) return;
    if (calls > g->visits_left) {
      cut_all(g, function, i);
      continue;
    }
    g->visits_left -= calls;
    add_branches_of(g, function, i);
  }
}

/* ---- branches over the limit ------------------------- */

/* Divides each function's `leaf_share` among the calls that the function makes. Visits callers
 * before callees. */
static void divide_leaf_shares(struct growing *g) {
  const struct callgrind_call *calls = g->graph->calls;
  size_t types = g->tree->types;
  for (size_t i = g->tree->functions; i-- > 0;) {
    uint32_t caller = g->flow.order[i];
    const double *leaf_share = g->leaf_share + caller * types;
    for (uint32_t c = g->graph->functions[caller].first_call; c != NONE; c = calls[c].next) {
      if (calls[c].closes_cycle || !any(g->flow.inclusive + calls[c].callee * types, types))
        continue; /* a call in a cycle or without cost needs no node */
      for (size_t t = 0; t < types; t++) {
        g->joined_share[c * types + t] += leaf_share[t] * callgrind_call_share(&g->flow, c, t);
        g->leaf_share[calls[c].callee * types + t] += g->joined_share[c * types + t];
      }
    }
  }
}

/* Adds a node for the frame "[pruned]", which replaces the callers of pruned branches. For each
 * call that begins pruned branches, adds one node below this frame. The share of the node is the
 * sum of the shares of these branches (joined_share). */
static void add_joined_nodes(struct growing *g) {
  size_t types = g->tree->types;
  uint32_t above = (uint32_t)g->tree->node_count;
  push_node(
      g, &(struct callgrind_node){NONE, NONE, import_marker(g->builder, STR("[pruned]")), NONE, 1});
  for (uint32_t c = 0; builder_ok(g->builder) && c < g->graph->call_count; c++) {
    const struct callgrind_call *call = &g->graph->calls[c];
    const double *share = g->joined_share + c * types;
    if (any(share, types)) add_node(g, call->callee, above, site_of(g, call), share);
  }
}

static void clear_tree(struct growing *g) {
  struct callgrind_tree *tree = g->tree;
  tree->node_count = 0;
  memset(tree->first, 0xFF, tree->functions * sizeof *tree->first);
  memset(g->last, 0xFF, tree->functions * sizeof *g->last);
  memset(tree->pruned_roots, 0, sizeof tree->pruned_roots);
  tree->frames = 0;
}

static void set_limits(struct growing *g) {
  uint64_t size = (uint64_t)g->tree->functions + g->graph->call_count;
  uint64_t most = NODES_ALWAYS + NODES_FOR_EACH * size;
  g->most_nodes = most < MAX_NODES ? (size_t)most : MAX_NODES;
  g->visits_left = VISITS_ALWAYS + VISITS_FOR_EACH * size;
  g->full = false;
}

/* Grows the tree a second time. Joins the branches over the limit: each call has one node for all
 * its joined branches. */
static void grow_joined(struct growing *g) {
  size_t calls = g->graph->call_count * g->tree->types;
  size_t cells = g->tree->functions * g->tree->types;
  clear_tree(g);
  set_limits(g);
  g->tree->joined = true;
  g->joined_share = arena_zero_array(&g->arena, calls, sizeof *g->joined_share);
  g->leaf_share = arena_zero_array(&g->arena, cells, sizeof *g->leaf_share);
  if (!import_need(g->builder, g->joined_share && g->leaf_share)) return;
  grow_tree(g);
  divide_leaf_shares(g);
  add_joined_nodes(g);
}

/* Computes for each function the costs of its branches. */
static void measure_branches(struct growing *g) {
  size_t types = g->tree->types;
  for (uint32_t c = 0; c < g->graph->call_count; c++) {
    const struct callgrind_call *call = &g->graph->calls[c];
    if (call->closes_cycle) continue;
    for (size_t t = 0; t < types; t++) {
      double cost =
          callgrind_call_share(&g->flow, c, t) * g->flow.inclusive[call->callee * types + t];
      size_t cell = call->caller * types + t;
      if (cost > g->largest[cell]) g->largest[cell] = cost;
      g->below[cell] += cost;
    }
  }
}

static void add_tree(struct growing *g) {
  size_t cells = g->tree->functions * g->tree->types;
  g->largest = arena_zero_array(&g->arena, cells, sizeof *g->largest);
  g->below = arena_zero_array(&g->arena, cells, sizeof *g->below);
  if (!import_need(g->builder, g->largest && g->below)) return;
  measure_branches(g);
  set_limits(g);
  grow_tree(g);
  if (g->full) grow_joined(g);
}

/* ---- the whole tree ---------------------------------- */

static void (*const ways[])(struct growing *) = {
    [PPROFC_STACKS_PROPORTIONAL] = add_tree,
    [PPROFC_STACKS_EDGES] = add_edges,
    [PPROFC_STACKS_FLAT] = call_tree_add_flat,
};

void callgrind_tree_init(struct callgrind_tree *tree, const struct callgrind_graph *graph,
                         pprofc_builder *builder, pprofc_call_stacks stacks) {
  const pprofc_allocator *mem = graph->mem;
  size_t functions = graph->function_count;
  *tree = (struct callgrind_tree){.types = graph->types, .functions = functions, .mem = mem};
  struct growing g = {.tree = tree, .graph = graph, .builder = builder};
  arena_init(&g.arena, mem);
  tree->first = mem_array(mem, functions, sizeof *tree->first);
  g.last = arena_array(&g.arena, functions, sizeof *g.last);
  bool ok = callgrind_flow_init(&g.flow, graph, &g.arena, stacks == PPROFC_STACKS_PROPORTIONAL);
  if (import_need(builder, ok && tree->first && g.last)) {
    for (size_t f = 0; f < functions; f++) tree->first[f] = g.last[f] = NONE;
    ways[stacks](&g);
  }
  arena_free(&g.arena);
}

void callgrind_tree_free(struct callgrind_tree *tree) {
  mem_free(tree->mem, tree->first, tree->functions, sizeof *tree->first);
  ARRAY_FREE(tree->mem, tree->nodes, tree->node_room);
  ARRAY_FREE(tree->mem, tree->weights, tree->weight_room);
  ARRAY_FREE(tree->mem, tree->pruned, tree->pruned_room);
}
