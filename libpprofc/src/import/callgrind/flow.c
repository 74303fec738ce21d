/* Divides the cost of a function among its callers, in proportion to the costs of their calls.
 *
 * A depth-first walk finds cycles: a call to a function on the walk's path closes a cycle. The tree
 * of stacks skips this call, so recursion ends at its first repeat. The remaining graph has no
 * cycles. So the callers' shares of a function's cost add up to 1, and the stacks that end at the
 * function have its whole cost. */
#include "import/callgrind/callgrind.h"

/* A function is a root if more than this share of its cost does not come from calls. Smaller shares
 * are rounding errors. */
#define ROOT_SHARE 0.001

/* ---- cycles ------------------------------------------ */

/* State of Tarjan's algorithm for strongly connected components, with an explicit stack. */
struct callgrind_flow_walk {
  struct callgrind_flow *flow;
  const struct callgrind_graph *graph;
  /* for each function: number in the order of discovery, from 1; 0 if not found yet */
  uint32_t *found;
  uint32_t *low;  /* low link of each function: the smallest `found` of the `open` functions that it
                     can reach */
  uint32_t *next; /* for each function: index of the next call to follow */
  uint32_t *path; /* functions from the start of the walk to the current function */
  uint32_t *open; /* functions whose strongly connected component is not complete */
  bool *on_path, *is_open;
  size_t path_size, open_size, order_size;
  uint32_t clock;
};

static void enter(struct callgrind_flow_walk *w, uint32_t function) {
  w->found[function] = w->low[function] = ++w->clock;
  w->next[function] = w->graph->functions[function].first_call;
  w->path[w->path_size++] = function;
  w->open[w->open_size++] = function;
  w->on_path[function] = w->is_open[function] = true;
}

/* Leaves the function at the end of the path, after the walk has followed all its calls. */
static void leave(struct callgrind_flow_walk *w) {
  uint32_t function = w->path[--w->path_size];
  w->on_path[function] = false;
  w->flow->order[w->order_size++] = function;
  if (w->path_size) {
    uint32_t caller = w->path[w->path_size - 1];
    if (w->low[function] < w->low[caller]) w->low[caller] = w->low[function];
  }
  if (w->low[function] != w->found[function]) return;
  bool several = w->open[w->open_size - 1] != function;
  uint32_t member;
  do {
    member = w->open[--w->open_size];
    w->is_open[member] = false;
    if (several) w->flow->recursive[member] = true;
  } while (member != function);
}

static void walk_from(struct callgrind_flow_walk *w, uint32_t root) {
  if (w->found[root]) return;
  enter(w, root);
  while (w->path_size) {
    uint32_t function = w->path[w->path_size - 1], index = w->next[function];
    if (index == NONE) {
      leave(w);
      continue;
    }
    struct callgrind_call *call = &w->graph->calls[index];
    w->next[function] = call->next;
    if (!w->found[call->callee]) {
      enter(w, call->callee);
      continue;
    }
    if (call->callee == function) w->flow->recursive[function] = true;
    call->closes_cycle = w->on_path[call->callee];
    if (w->is_open[call->callee] && w->found[call->callee] < w->low[function])
      w->low[function] = w->found[call->callee];
  }
}

/* Walks the graph from the functions that no other function calls, then from the functions that are
 * not reached yet. */
static void walk_all(struct callgrind_flow_walk *w, bool *called) {
  size_t functions = w->graph->function_count;
  const struct callgrind_call *calls = w->graph->calls;
  for (size_t i = 0; i < w->graph->call_count; i++)
    if (calls[i].caller != calls[i].callee) called[calls[i].callee] = true;
  for (uint32_t f = 0; f < functions; f++)
    if (!called[f]) walk_from(w, f);
  for (uint32_t f = 0; f < functions; f++) walk_from(w, f);
}

static bool find_cycles(struct callgrind_flow *flow) {
  size_t n = flow->graph->function_count;
  struct callgrind_flow_walk w = {.flow = flow, .graph = flow->graph};
  struct arena arena = arena_make(flow->graph->mem);
  w.found = arena_zero_array(&arena, n, sizeof *w.found);
  w.low = arena_array(&arena, n, sizeof *w.low);
  w.next = arena_array(&arena, n, sizeof *w.next);
  w.path = arena_array(&arena, n, sizeof *w.path);
  w.open = arena_array(&arena, n, sizeof *w.open);
  w.on_path = arena_zero_array(&arena, n, sizeof *w.on_path);
  w.is_open = arena_zero_array(&arena, n, sizeof *w.is_open);
  bool *called = arena_zero_array(&arena, n, sizeof *called);
  bool ok = w.found && w.low && w.next && w.path && w.open && w.on_path && w.is_open && called;
  if (ok) walk_all(&w, called);
  arena_free(&arena);
  return ok;
}

/* ---- shares ------------------------------------------ */

/* Costs of a function, which may be negative. */
struct callgrind_signed {
  double inclusive; /* cost of the function's lines and of the calls that the function makes */
  double uncalled;  /* inclusive cost minus the cost of the calls to the function */
};

/* Adds up the costs of lines and calls for each function. `sums` has an entry for each function and
 * type. */
static void sum_calls(struct callgrind_flow *flow, struct callgrind_signed *sums, bool tree) {
  const struct callgrind_graph *graph = flow->graph;
  size_t types = graph->types, functions = graph->function_count;
  for (size_t f = 0; f < functions; f++)
    for (uint32_t c = graph->functions[f].first_cost; c != NONE; c = graph->costs[c].next)
      for (size_t t = 0; t < types; t++) {
        double cost = (double)callgrind_cost_values(graph, c)[t];
        sums[f * types + t].inclusive += cost;
        sums[f * types + t].uncalled += cost;
        flow->inclusive[f * types + t] += fabs(cost);
      }
  for (size_t i = 0; i < graph->call_count; i++) {
    const struct callgrind_call *call = &graph->calls[i];
    if (tree && call->closes_cycle) continue;
    for (size_t t = 0; t < types; t++) {
      double cost = callgrind_call_values(graph, i)[t];
      sums[call->caller * types + t].inclusive += cost;
      sums[call->caller * types + t].uncalled += cost;
      sums[call->callee * types + t].uncalled -= cost;
      flow->calls[call->callee * types + t] += fabs(cost);
    }
  }
}

/* Sets flow->root: the cost of each function that does not come from calls. Functions in a cycle
 * are not roots, because the costs of their calls count the same work several times. */
static void flow_find_roots(struct callgrind_flow *flow, const struct callgrind_signed *sums) {
  size_t types = flow->graph->types, functions = flow->graph->function_count;
  for (size_t f = 0; f < functions; f++)
    for (size_t t = 0; t < types; t++) {
      const struct callgrind_signed *sum = &sums[f * types + t];
      double sign = sum->inclusive < 0 ? -1 : 1;
      if (!flow->recursive[f] && sum->uncalled * sign > fabs(sum->inclusive) * ROOT_SHARE)
        flow->root[f * types + t] = fabs(sum->uncalled);
    }
}

static void sum_inclusive(struct callgrind_flow *flow) {
  const struct callgrind_graph *graph = flow->graph;
  size_t types = graph->types, functions = graph->function_count;
  for (size_t i = 0; i < functions; i++) {
    uint32_t caller = flow->order[i];
    for (uint32_t c = graph->functions[caller].first_call; c != NONE; c = graph->calls[c].next) {
      const struct callgrind_call *call = &graph->calls[c];
      if (call->closes_cycle) continue;
      for (size_t t = 0; t < types; t++)
        flow->inclusive[caller * types + t] +=
            flow->inclusive[call->callee * types + t] * callgrind_call_share(flow, c, t);
    }
  }
}

bool callgrind_flow_init(struct callgrind_flow *flow, const struct callgrind_graph *graph,
                         struct arena *arena, bool tree) {
  *flow = (struct callgrind_flow){.graph = graph};
  size_t functions = graph->function_count, cells = functions * graph->types;
  flow->calls = arena_zero_array(arena, cells, sizeof *flow->calls);
  flow->root = arena_zero_array(arena, cells, sizeof *flow->root);
  flow->inclusive = arena_zero_array(arena, cells, sizeof *flow->inclusive);
  flow->order = arena_array(arena, functions, sizeof *flow->order);
  flow->recursive = arena_zero_array(arena, functions, sizeof *flow->recursive);
  struct callgrind_signed *sums = mem_zero_array(graph->mem, cells, sizeof *sums);
  bool ok = flow->calls && flow->root && flow->inclusive && flow->order && flow->recursive &&
            sums && find_cycles(flow);
  if (ok) {
    sum_calls(flow, sums, tree);
    flow_find_roots(flow, sums);
    if (tree) sum_inclusive(flow);
  }
  mem_free(graph->mem, sums, cells, sizeof *sums);
  return ok;
}

/* Returns the index of the event whose costs determine the shares of a function. The event is
 * `type`, or event 0 if the calls to the function have no cost of that type. Returns NONE if the
 * function is not called. */
static size_t share_event(const struct callgrind_flow *flow, uint32_t function, size_t type) {
  const double *calls = flow->calls + function * flow->graph->types;
  if (calls[type] > 0) return type;
  return calls[0] > 0 ? 0 : NONE;
}

double callgrind_call_share(const struct callgrind_flow *flow, uint32_t call, size_t type) {
  uint32_t callee = flow->graph->calls[call].callee;
  size_t t = share_event(flow, callee, type), at = callee * flow->graph->types + t;
  if (t == NONE) return 0;
  return fabs(callgrind_call_values(flow->graph, call)[t]) / (flow->calls[at] + flow->root[at]);
}

double callgrind_root_share(const struct callgrind_flow *flow, uint32_t function, size_t type) {
  size_t t = share_event(flow, function, type), at = function * flow->graph->types + t;
  if (t == NONE) return 1;
  return flow->root[at] / (flow->calls[at] + flow->root[at]);
}
