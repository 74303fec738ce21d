/* Finds the edges between kept nodes (nodes that are not dropped). Follows the path of kept frames
 * from sample to sample, as sums.c does for all frames. */
#include "core/parallel.h"
#include "graph/path.h"

#define GRAIN THRESHOLD(8192)

struct edge_table {
  struct graph_edge *items;
  size_t count, capacity;
  struct map map;
  /* For each target node: 1 + the index of the edge that find_edge last returned for this target;
   * 0: no edge. */
  uint32_t *last;
};

struct edges_worker {
  const struct edge_choice *choice;
  struct edge_table table;
  struct graph_path path;
  bool failed;
};

struct edge_pass {
  struct graph *graph;
  const struct edge_choice *choice;
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

static bool edges_push(void *context, uint32_t node, uint32_t offset, bool is_inline) {
  struct edges_worker *w = context;
  struct edge_table *t = &w->table;
  struct path_step *below = path_leaf(&w->path);
  uint32_t edge = NONE;
  if (w->choice->kept && !w->choice->kept[node]) {
    if (below && !below->skipped) below->skipped = offset;
    return true;
  }
  if (below && below->node != node && edges_is_wanted(w->choice, below->node, node)) {
    edge = find_edge(w->path.graph->mem, t, below->node, node, is_inline);
    if (edge == NONE) return false;
    if (t->items[edge].on_path) {
      edge = NONE;
    } else {
      t->items[edge].on_path = true;
      t->items[edge].is_inline &= is_inline;
      t->items[edge].residual |= below->skipped != 0;
    }
  }
  w->path.steps[w->path.depth++] = (struct path_step){.node = node, .edge = edge, .offset = offset};
  return true;
}

static void edges_pop(void *context, const struct path_step *step) {
  struct edges_worker *w = context;
  if (step->edge == NONE) return;
  struct graph_edge *e = &w->table.items[step->edge];
  e->weight = sum_add(e->weight, step->pending.value);
  e->weight_div = sum_add(e->weight_div, step->pending.divisor);
  e->on_path = false;
}

static void edges_run(void *context, unsigned index) {
  struct edge_pass *pass = context;
  struct edges_worker *w = &pass->items[index];
  const struct samples *samples = &pass->graph->profile->samples;
  size_t from = parallel_from(samples->count, index, pass->workers);
  size_t to = parallel_from(samples->count, index + 1, pass->workers);
  const pprofc_allocator *mem = pass->graph->mem;
  struct path_sum added;
  w->choice = pass->choice;
  map_init(&w->table.map, mem);
  w->table.last = mem_zero_array(mem, pass->graph->node_count, sizeof *w->table.last);
  bool done = path_init(&w->path, pass->graph, from) && w->table.last;
  w->path.context = w;
  w->path.push = edges_push;
  w->path.pop = edges_pop;
  for (size_t i = from; done && i < to; i++) done = path_add(&w->path, i, &added);
  if (done) path_end(&w->path);
  w->failed = !done;
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
  const pprofc_allocator *mem = pass->graph->mem;
  mem_free(mem, w->table.items, w->table.capacity, sizeof *w->table.items);
  if (w->table.map.mem) map_free(&w->table.map);
  mem_free(mem, w->table.last, pass->graph->node_count, sizeof *w->table.last);
  path_free(&w->path);
}

pprofc_status graph_find_edges(struct graph *g, const struct edge_choice *choice,
                               pprofc_error *error) {
  struct edges_worker items[16] = {0};
  struct edge_pass pass = {.graph = g, .choice = choice, .items = items};
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
