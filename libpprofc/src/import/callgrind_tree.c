/* The places in stacks that the functions of a call graph get: one each (flat), one below each
 * caller (edges), or a tree of all calls, cut off where a branch is too small to be seen. */
#include "import/callgrind.h"

/* Branches below this share of every total are cut off. Speedscope takes 1e-4, which for graphs
 * with many paths (a garbage collector) is an eighth of all cost; this is a hundredth. */
#define SMALLEST_SHARE 1e-6

/* A tree has no more than this; what is over it is cut off too. */
#define MOST_POSITIONS ((size_t)1 << 18)
#define MOST_FRAMES    ((uint64_t)1 << 22)
#define MOST_DEPTH     1000u

struct growing {
  struct callgrind_tree *tree;
  const struct callgrind_graph *graph;
  struct callgrind_flow flow;
  pprofc_builder *builder;
  uint32_t *last; /* [functions] position of each function, or NONE */
};

/* Appends a position without weights; NULL when out of memory. */
static double *add_position(struct growing *g, uint32_t function, uint32_t above, uint32_t site) {
  struct callgrind_tree *tree = g->tree;
  size_t index = callgrind_position_count(tree), row = tree->types * sizeof(double);
  uint32_t depth = above == NONE ? 1 : callgrind_positions(tree)[above].depth + 1;
  struct callgrind_position position = {function, above, site, NONE, depth};
  if (!buffer_reserve(&tree->positions, sizeof position) || !buffer_reserve(&tree->weights, row) ||
      !buffer_reserve(&tree->pruned, row))
    return NULL;
  buffer_add(&tree->positions, &position, sizeof position);
  buffer_add_fill(&tree->weights, 0, row);
  buffer_add_fill(&tree->pruned, 0, row);
  if (g->last[function] == NONE)
    tree->first[function] = (uint32_t)index;
  else
    callgrind_positions(tree)[g->last[function]].next = (uint32_t)index;
  g->last[function] = (uint32_t)index;
  tree->frames += depth;
  return callgrind_weights(tree, index);
}

static uint32_t site_of(const struct growing *g, const struct callgrind_call *call) {
  return callgrind_location(g->graph, g->builder, call->caller, &call->site);
}

/* ---- flat, edges
 * ----------------------------------------------------------------------------------------- */

static bool any(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (values[i] > 0) return true;
  return false;
}

static bool add_flat(struct growing *g) {
  for (uint32_t f = 0; f < g->tree->functions; f++) {
    double *weights = add_position(g, f, NONE, NONE);
    if (!weights) return false;
    for (size_t t = 0; t < g->tree->types; t++) weights[t] = 1;
  }
  return true;
}

/* The caller's frame is only a site: two frames, whatever there is above. */
static bool add_edges(struct growing *g) {
  size_t types = g->tree->types;
  double shares[CALLGRIND_MOST_EVENTS];
  for (uint32_t f = 0; f < g->tree->functions; f++) {
    for (size_t t = 0; t < types; t++) shares[t] = callgrind_root_share(&g->flow, f, t);
    if (!any(shares, types)) continue;
    double *weights = add_position(g, f, NONE, NONE);
    if (!weights) return false;
    memcpy(weights, shares, types * sizeof *weights);
  }
  for (uint32_t c = 0; c < callgrind_call_count(g->graph); c++) {
    const struct callgrind_call *call = &callgrind_calls(g->graph)[c];
    for (size_t t = 0; t < types; t++) shares[t] = callgrind_call_share(&g->flow, c, t);
    if (!any(shares, types)) continue;
    double *weights = add_position(g, call->callee, NONE, site_of(g, call));
    if (!weights) return false;
    memcpy(weights, shares, types * sizeof *weights);
  }
  return true;
}

/* ---- the tree
 * -------------------------------------------------------------------------------------------- */

/* Adds a branch with a share of the function, unless it is small: then what it costs is noted where
 * it was cut off. */
static bool add_branch(struct growing *g, uint32_t function, uint32_t above,
                       const struct callgrind_call *call, const double *shares) {
  struct callgrind_tree *tree = g->tree;
  const double *inclusive = g->flow.inclusive + function * tree->types;
  bool empty = true, small = true;
  for (size_t t = 0; t < tree->types; t++) {
    double cost = shares[t] * inclusive[t];
    empty &= !(cost > 0);
    small &= !(cost > 0 && cost >= (double)g->graph->totals[t] * SMALLEST_SHARE);
  }
  if (empty) return true;
  bool full = callgrind_position_count(tree) >= MOST_POSITIONS || tree->frames >= MOST_FRAMES ||
              (above != NONE && callgrind_positions(tree)[above].depth >= MOST_DEPTH);
  if (small || full) {
    double *pruned = above == NONE ? tree->pruned_roots : callgrind_pruned(tree, above);
    for (size_t t = 0; t < tree->types; t++) pruned[t] += shares[t] * inclusive[t];
    return true;
  }
  double *weights = add_position(g, function, above, call ? site_of(g, call) : NONE);
  if (!weights) return false;
  memcpy(weights, shares, tree->types * sizeof *weights);
  return true;
}

static bool add_branches_of(struct growing *g, uint32_t position) {
  struct callgrind_tree *tree = g->tree;
  uint32_t function = callgrind_positions(tree)[position].function;
  double shares[CALLGRIND_MOST_EVENTS];
  for (uint32_t c = callgrind_functions(g->graph)[function].first_call; c != NONE;
       c = callgrind_calls(g->graph)[c].next) {
    const struct callgrind_call *call = &callgrind_calls(g->graph)[c];
    if (call->closes_cycle) continue;
    for (size_t t = 0; t < tree->types; t++)
      shares[t] = callgrind_weights(tree, position)[t] * callgrind_call_share(&g->flow, c, t);
    if (!add_branch(g, call->callee, position, call, shares)) return false;
  }
  return true;
}

/* Level by level, so that a tree that would be too large loses its leaves. */
static bool add_tree(struct growing *g) {
  double shares[CALLGRIND_MOST_EVENTS];
  for (uint32_t f = 0; f < g->tree->functions; f++) {
    for (size_t t = 0; t < g->tree->types; t++) shares[t] = callgrind_root_share(&g->flow, f, t);
    if (!add_branch(g, f, NONE, NULL, shares)) return false;
  }
  for (uint32_t i = 0; i < callgrind_position_count(g->tree); i++)
    if (!add_branches_of(g, i)) return false;
  return true;
}

/* ---- all of them
 * ----------------------------------------------------------------------------------------- */

static bool (*const ways[])(struct growing *) = {
    [PPROFC_STACKS_PROPORTIONAL] = add_tree,
    [PPROFC_STACKS_EDGES] = add_edges,
    [PPROFC_STACKS_FLAT] = add_flat,
};

bool callgrind_tree_init(struct callgrind_tree *tree, const struct callgrind_graph *graph,
                         pprofc_builder *builder, pprofc_call_stacks stacks) {
  const pprofc_allocator *mem = graph->mem;
  size_t functions = callgrind_function_count(graph);
  *tree = (struct callgrind_tree){.types = graph->types, .functions = functions, .mem = mem};
  buffer_init(&tree->positions, mem, PTRDIFF_MAX);
  buffer_init(&tree->weights, mem, PTRDIFF_MAX);
  buffer_init(&tree->pruned, mem, PTRDIFF_MAX);
  struct growing g = {.tree = tree, .graph = graph, .builder = builder};
  tree->first = mem_array(mem, functions, sizeof *tree->first);
  g.last = mem_array(mem, functions, sizeof *g.last);
  bool ok = callgrind_flow_init(&g.flow, graph, stacks == PPROFC_STACKS_PROPORTIONAL);
  ok = ok && tree->first && g.last;
  for (size_t f = 0; ok && f < functions; f++) tree->first[f] = g.last[f] = NONE;
  ok = ok && ways[stacks](&g);
  callgrind_flow_free(&g.flow);
  mem_free(mem, g.last, functions, sizeof *g.last);
  return ok;
}

void callgrind_tree_free(struct callgrind_tree *tree) {
  mem_free(tree->mem, tree->first, tree->functions, sizeof *tree->first);
  buffer_free(&tree->positions);
  buffer_free(&tree->weights);
  buffer_free(&tree->pruned);
}
