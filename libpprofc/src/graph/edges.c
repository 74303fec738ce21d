/* Finds the edges between kept nodes (nodes that are not dropped). Follows the path of kept frames
 * from sample to sample, as sums.c does for all frames. */
#include "core/parallel.h"
#include "graph/graph.h"

#define GRAIN THRESHOLD(8192)

/* A kept frame of the path. `edge` is the index of the edge from the previous kept frame to this
 * frame. `edge` is NONE if the edge is not selected, leads from a node to itself, or is also in the
 * path nearer to the root. */
struct edges_step {
  int64_t pending, pending_div;
  uint32_t node, edge;
  uint32_t offset;
  uint32_t skipped; /* `offset` of the first dropped frame after this frame, or 0 */
};

struct edge_table {
  struct graph_edge *items;
  size_t count, capacity;
  struct map map;
  /* For each target node: 1 + the index of the edge that find_edge last returned for this target;
   * 0: no edge. */
  uint32_t *last;
};

struct edges_worker {
  struct edge_table table;
  struct edges_step *path;
  size_t depth, capacity;
  bool failed;
};

struct edge_pass {
  struct graph *graph;
  const pprofc_allocator *mem;
  struct edge_choice choice;
  unsigned workers;
  struct edges_worker *items;
};

/* Returns the index of the edge between two nodes, and adds the edge if it is new. Returns NONE
 * when out of memory. */
static uint32_t look_up_edge(const pprofc_allocator *mem, struct edge_table *t, uint32_t source,
                             uint32_t target, bool is_inline) {
  uint64_t hash = hash_mix(source, target);
  MAP_FIND(index, &t->map, hash,
           t->items[index].target == target && t->items[index].source == source);
  if (index != MAP_NONE) return index;
  struct graph_edge edge = {.source = source, .target = target, .is_inline = is_inline};
  bool added =
      t->count < NONE && MAP_PUSH(mem, &t->map, hash, t->items, t->count, t->capacity, edge);
  return added ? (uint32_t)t->count - 1 : NONE;
}

/* Returns the same as look_up_edge. Needs no search if its last result for `target` is an edge from
 * `source`. */
static inline uint32_t find_edge(const pprofc_allocator *mem, struct edge_table *t, uint32_t source,
                                 uint32_t target, bool is_inline) {
  uint32_t last = t->last[target];
  if (last && t->items[last - 1].source == source) return last - 1;
  uint32_t edge = look_up_edge(mem, t, source, target, is_inline);
  if (edge != NONE) t->last[target] = edge + 1;
  return edge;
}

static bool edges_is_wanted(const struct edge_choice *c, uint32_t source, uint32_t target) {
  if (!c->target && !c->source) return true;
  return (c->target && c->target[target]) || (c->source && c->source[source]);
}

static bool edges_push_kept(struct edge_pass *pass, struct edges_worker *w, uint32_t node,
                            uint32_t offset, bool is_inline) {
  const struct edge_choice *choice = &pass->choice;
  struct edges_step *below = w->depth ? &w->path[w->depth - 1] : NULL;
  uint32_t edge = NONE;
  if (below && below->node != node && edges_is_wanted(choice, below->node, node)) {
    struct edge_table *t = &w->table;
    edge = find_edge(pass->mem, t, below->node, node, is_inline);
    if (edge == NONE) return false;
    if (t->items[edge].on_path) {
      edge = NONE;
    } else {
      t->items[edge].on_path = true;
      t->items[edge].is_inline &= is_inline;
      t->items[edge].residual |= below->skipped != 0;
    }
  }
  w->path[w->depth++] = (struct edges_step){.node = node, .edge = edge, .offset = offset};
  return true;
}

static inline bool edges_push(struct edge_pass *pass, struct edges_worker *w, uint32_t node,
                              uint32_t offset, bool is_inline) {
  if (!pass->choice.kept || pass->choice.kept[node])
    return edges_push_kept(pass, w, node, offset, is_inline);
  if (w->depth && !w->path[w->depth - 1].skipped) w->path[w->depth - 1].skipped = offset;
  return true;
}

static void edges_pop(struct edges_worker *w) {
  const struct edges_step *step = &w->path[--w->depth];
  if (step->edge != NONE) {
    struct graph_edge *e = &w->table.items[step->edge];
    e->weight = sum_add(e->weight, step->pending);
    e->weight_div = sum_add(e->weight_div, step->pending_div);
    e->on_path = false;
  }
  if (!w->depth) return;
  struct edges_step *below = &w->path[w->depth - 1];
  below->pending = sum_add(below->pending, step->pending);
  below->pending_div = sum_add(below->pending_div, step->pending_div);
}

static void pop_to(struct edges_worker *w, uint32_t shared) {
  while (w->depth && w->path[w->depth - 1].offset > shared) edges_pop(w);
  if (w->depth && w->path[w->depth - 1].skipped > shared) w->path[w->depth - 1].skipped = 0;
}

static bool edges_reserve(const struct edge_pass *pass, struct edges_worker *w, size_t more) {
  return ARRAY_RESERVE(pass->mem, w->path, w->capacity, w->depth + more);
}

static bool edges_push_location(struct edge_pass *pass, struct edges_worker *w,
                                struct fresh_frame frame, size_t following) {
  const struct frames *f = &pass->graph->frames;
  uint32_t node = f->of_location[frame.location];
  if (!(node & FRAME_LIST)) return edges_push(pass, w, node, frame.offset, false);
  const uint32_t *list = frame_list(f, node);
  if (!edges_reserve(pass, w, list[0] + following)) return false;
  for (uint32_t k = list[0]; k; k--)
    if (!edges_push(pass, w, list[k], frame.offset, k != list[0])) return false;
  return true;
}

/* Value of a sample, and its divisor if the report shows means. */
struct amount {
  int64_t value, divisor;
};

static bool edges_follow(struct edge_pass *pass, struct edges_worker *w, struct stack_delta *delta,
                         struct amount amount) {
  pop_to(w, delta->shared);
  delta_read(delta);
  if (!edges_reserve(pass, w, delta->count)) return false;
  for (size_t k = delta->count; k-- > 0;)
    if (!edges_push_location(pass, w, delta->fresh[k], k)) return false;
  if (!w->depth) return true;
  struct edges_step *leaf = &w->path[w->depth - 1];
  leaf->pending = sum_add(leaf->pending, amount.value);
  leaf->pending_div = sum_add(leaf->pending_div, amount.divisor);
  return true;
}

static bool edges_find_range(struct edge_pass *pass, struct edges_worker *w,
                             struct stack_delta *delta, size_t from, size_t to) {
  const pprofc_profile *profile = pass->graph->profile;
  const struct graph_options *o = &pass->graph->options;
  struct value_column column = profile_values(profile, o->value_index);
  struct value_column divisors = profile_values(profile, 0);
  for (size_t i = from; i < to; i++) {
    struct amount amount = {column.values[i * column.step], 0};
    if (o->mean) amount.divisor = divisors.values[i * divisors.step];
    if (budget_poll(pass->mem, i)) return false;
    if (amount.value == 0 && amount.divisor == 0) continue;
    delta_move(delta, i);
    if (!edges_follow(pass, w, delta, amount)) return false;
  }
  pop_to(w, 0);
  return true;
}

static void edges_run(void *context, unsigned index) {
  struct edge_pass *pass = context;
  struct edges_worker *w = &pass->items[index];
  const struct samples *samples = &pass->graph->profile->samples;
  size_t from = parallel_from(samples->count, index, pass->workers);
  size_t to = parallel_from(samples->count, index + 1, pass->workers);
  w->failed = true;
  map_init(&w->table.map, pass->mem);
  w->capacity = samples->max_depth + 1;
  w->path = mem_array(pass->mem, w->capacity, sizeof *w->path);
  w->table.last = mem_zero_array(pass->mem, pass->graph->node_count, sizeof *w->table.last);
  struct stack_delta delta;
  if (!w->path || !w->table.last || !delta_init(&delta, pass->mem, samples, from)) return;
  w->failed = !edges_find_range(pass, w, &delta, from, to);
  delta_free(&delta, pass->mem);
}

/* Adds the edges that a later worker (a thread) found to the edges of the first worker. The order
 * of the edges is the same as with a single worker. */
static bool merge(const pprofc_allocator *mem, struct edge_table *to,
                  const struct edge_table *from) {
  for (size_t i = 0; i < from->count; i++) {
    const struct graph_edge *e = &from->items[i];
    uint32_t index = find_edge(mem, to, e->source, e->target, e->is_inline);
    if (index == NONE) return false;
    struct graph_edge *sum = &to->items[index];
    sum->weight = sum_add(sum->weight, e->weight);
    sum->weight_div = sum_add(sum->weight_div, e->weight_div);
    sum->is_inline &= e->is_inline;
    sum->residual |= e->residual;
  }
  return true;
}

static void edges_free_worker(const struct edge_pass *pass, struct edges_worker *w) {
  const pprofc_allocator *mem = pass->mem;
  mem_free(mem, w->table.items, w->table.capacity, sizeof *w->table.items);
  if (w->table.map.mem) map_free(&w->table.map);
  mem_free(mem, w->table.last, pass->graph->node_count, sizeof *w->table.last);
  mem_free(mem, w->path, w->capacity, sizeof *w->path);
}

pprofc_status graph_find_edges(struct graph *g, const struct edge_choice *choice,
                               pprofc_error *error) {
  struct edges_worker items[16] = {0};
  struct edge_pass pass = {.graph = g, .mem = g->mem, .choice = *choice, .items = items};
  pass.workers = parallel_workers(g->options.threads, g->profile->samples.count, GRAIN);
  parallel_run(pass.workers, edges_run, &pass);
  bool done = true;
  for (unsigned k = 0; k < pass.workers; k++) done = done && !items[k].failed;
  for (unsigned k = 1; k < pass.workers && done; k++)
    done = merge(g->mem, &items[0].table, &items[k].table);

  mem_free(g->mem, g->edges, g->edge_capacity, sizeof *g->edges);
  g->edges = items[0].table.items;
  g->edge_count = done ? items[0].table.count : 0;
  g->edge_capacity = items[0].table.capacity;
  items[0].table.items = NULL;
  for (unsigned k = 0; k < pass.workers; k++) edges_free_worker(&pass, &items[k]);
  return done ? PPROFC_OK : error_nomem(error);
}

/* ---- inlined calls ---------------------------------- */

/* Marks nodes that are inlined where they are called: "(inline)" and "(partial-inline)".
 *
 * Only calls along kept edges count. An edge is inlined if every call along it is inlined
 * (docs/spec/pprof.md, 20.1). So the marks of a node depend on its edges. Only nodes that are an
 * inlined frame of a location can have a mark, so only the edges to such nodes are built. */

/* Sets candidates[i] to 1 for each node i that is an inlined frame of a location. Returns false if
 * no location has several frames. */
static bool marks_find_candidates(const struct graph *g, uint8_t *candidates) {
  const struct frames *f = &g->frames;
  bool found = false;
  for (size_t i = 0; f->lists && i < f->locations->count; i++) {
    if (!(f->of_location[i] & FRAME_LIST)) continue;
    const uint32_t *list = frame_list(f, f->of_location[i]);
    for (uint32_t k = 1; k < list[0]; k++) candidates[list[k]] = 1;
    found = true;
  }
  return found;
}

/* Marks the targets of inlined edges. A target that also has calls without inlining gets
 * MARK_PARTIAL. */
static bool marks_set(struct graph *g) {
  uint8_t *plain = mem_zero_array(g->mem, g->node_count, 1);
  if (!plain) return false;
  for (size_t i = 0; i < g->edge_count; i++) {
    const struct graph_edge *edge = &g->edges[i];
    if (number_abs(edge->weight) < g->edge_cutoff) continue;
    if (edge->is_inline)
      g->marks[edge->target] = MARK_INLINE;
    else
      plain[edge->target] = 1;
  }
  for (size_t i = 0; i < g->node_count; i++)
    if (g->marks[i] && plain[i]) g->marks[i] = MARK_PARTIAL;
  mem_free(g->mem, plain, g->node_count, 1);
  return true;
}

pprofc_status graph_mark_inlined(struct graph *g, const uint8_t *kept, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  g->marks = arena_zero_array(&g->arena, g->node_count, 1);
  uint8_t *candidates = mem_zero_array(g->mem, g->node_count, 1);
  if (!g->marks || !candidates) {
    status = error_nomem(error);
  } else if (marks_find_candidates(g, candidates)) {
    const struct edge_choice choice = {.kept = kept, .target = candidates};
    status = graph_find_edges(g, &choice, error);
    if (!status && !marks_set(g)) status = error_nomem(error);
    g->edge_count = 0;
  }
  mem_free(g->mem, candidates, g->node_count, 1);
  return status;
}
