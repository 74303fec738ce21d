/* Sorts nodes, edges and tags (docs/spec/pprof.md, 19). Every order is total: if pprof defines no
 * order for two nodes, edges or tags, the one that was created first comes first. */
#include "graph/graph.h"
#include "stats/stats.h"

/* ---- names ------------------------------------------- */

/* Returns the first 8 bytes of a name as a number that sorts like the bytes. */
static uint64_t prefix_of(pprofc_str name) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < 8; i++)
    prefix = prefix << 8 | (i < name.size ? (unsigned char)name.data[i] : 0);
  return prefix;
}

struct named {
  uint64_t prefix;
  pprofc_str name;
  uint32_t info;
};

static int compare_named(const void *left, const void *right) {
  const struct named *a = left, *b = right;
  if (a->prefix != b->prefix) return a->prefix < b->prefix ? -1 : 1;
  return str_compare(a->name, b->name);
}

/* Marks the node_infos that need a name: the node_infos of shown nodes and of nodes at the ends
 * of edges. Returns their number. */
static size_t mark_named(const struct graph *g, uint8_t *marked) {
  for (size_t i = 0; i < g->shown_count; i++) marked[g->nodes[g->shown[i]].info] = 1;
  for (size_t i = 0; i < g->edge_count; i++) {
    if (g->edges[i].dead) continue;
    marked[g->nodes[g->edges[i].source].info] = 1;
    marked[g->nodes[g->edges[i].target].info] = 1;
  }
  size_t count = 0;
  for (size_t i = 0; i < g->frames.count; i++) count += marked[i];
  return count;
}

static bool name_infos(struct graph *g, const uint8_t *marked, struct named *items) {
  size_t n = 0;
  for (uint32_t i = 0; i < g->frames.count; i++) {
    if (!marked[i]) continue;
    if (!g->names[i].data) g->names[i] = frame_name(&g->frames, i, &g->arena);
    if (!g->names[i].data) return false;
    items[n++] = (struct named){prefix_of(g->names[i]), g->names[i], i};
  }
  return true;
}

static void rank_names(struct named *items, size_t count, uint32_t *rank_of) {
  uint32_t rank = 0;
  qsort(items, count, sizeof *items, compare_named);
  for (size_t i = 0; i < count; i++) {
    if (i && compare_named(&items[i - 1], &items[i]) != 0) rank++;
    rank_of[items[i].info] = rank;
  }
}

pprofc_status graph_rank_names(struct graph *g, pprofc_error *error) {
  if (!g->shown_count && !g->edge_count) return PPROFC_OK;
  size_t infos = g->frames.count;
  if (!g->names) g->names = arena_zero_array(&g->arena, infos, sizeof *g->names);
  if (!g->name_rank) g->name_rank = arena_array(&g->arena, infos, sizeof *g->name_rank);
  uint8_t *marked = mem_zero_array(g->mem, infos, 1);
  size_t count = marked ? mark_named(g, marked) : 0;
  struct named *items = mem_array(g->mem, count, sizeof *items);
  bool done = g->names && g->name_rank && marked && items && name_infos(g, marked, items);
  if (done) rank_names(items, count, g->name_rank);
  mem_free(g->mem, items, count, sizeof *items);
  mem_free(g->mem, marked, infos, 1);
  return done ? PPROFC_OK : error_nomem(error);
}

/* ---- entropy ----------------------------------------- */

static double go_log2(double x) {
  int exponent;
  double fraction = frexp(x, &exponent);
  if (fraction == 0.5) return exponent - 1;
  return go_log(fraction) * (1 / 0.693147180559945309417232121458176568) + exponent;
}

/* Returns the term of an entropy for one part of a total. Returns NaN if the logarithm is
 * undefined, as in pprof. */
static double entropy_term(int64_t part, int64_t total) {
  double f = (double)number_abs(part) / (double)total;
  return f > 0 ? -f * go_log2(f) : NAN;
}

static double edges_entropy(const struct graph *g, const uint32_t *edges, size_t count,
                            int64_t self) {
  int64_t total = self;
  double score = 0;
  for (size_t i = 0; i < count; i++)
    if (g->edges[edges[i]].weight > 0) total = sum_add(total, g->edges[edges[i]].weight);
  if (total == 0) return 0;
  for (size_t i = 0; i < count; i++) score += entropy_term(g->edges[edges[i]].weight, total);
  if (self > 0) score += entropy_term(self, total);
  return score;
}

static int64_t entropy_score(const struct graph *g, uint32_t node) {
  const struct graph_node *n = &g->nodes[node];
  size_t ins = g->in_from[node + 1] - g->in_from[node];
  size_t outs = g->out_from[node + 1] - g->out_from[node];
  double score = 0;
  score += ins ? edges_entropy(g, g->in + g->in_from[node], ins, 0) : 1;
  score += outs ? edges_entropy(g, g->out + g->out_from[node], outs, n->flat) : 1;
  return sum_add(number_from_double(score * (double)n->cum), n->flat);
}

/* ---- nodes ------------------------------------------- */

struct graph_order_ranked {
  int64_t first, second; /* sort keys; larger values come first */
  uint32_t rank, info, node;
};

static int order_compare_ranked(const void *left, const void *right) {
  const struct graph_order_ranked *a = left, *b = right;
  if (a->first != b->first) return a->first > b->first ? -1 : 1;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  /* Only nodes of a call tree can have equal node_infos. */
  if (a->info != b->info) return a->info < b->info ? -1 : 1;
  if (a->second != b->second) return a->second > b->second ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

/* Sets the two sort keys of a node. The second key is for ties. */
static struct graph_order_ranked rank_node(const struct graph *g, uint32_t node) {
  const struct graph_node *n = &g->nodes[node];
  int64_t flat = number_abs(n->flat), cum = number_abs(n->cum);
  struct graph_order_ranked r = {flat, cum, g->name_rank[n->info], n->info, node};
  bool by_cum = g->options.by_change || g->options.cum_sort;
  if (g->options.visual && !g->options.by_change) {
    r.first = number_abs(entropy_score(g, node));
    r.second = flat;
  } else if (by_cum) {
    r.first = cum;
    r.second = flat;
  }
  return r;
}

/* Sets sort keys that put the nodes with the largest changes of flat first, in a quarter of the
 * places. Sorts the others by the change of cum. By cum alone, callers often come before a leaf
 * with a large change, so the report could drop this leaf. */
static void put_own_changes_first(const struct graph *g, struct graph_order_ranked *items) {
  size_t count = g->shown_count, places = count / 4;
  if (g->options.nodecount > 0 && (size_t)g->options.nodecount < count)
    places = (size_t)g->options.nodecount / 4;
  for (size_t i = 0; i < count; i++) items[i].first = number_abs(g->nodes[items[i].node].flat);
  qsort(items, count, sizeof *items, order_compare_ranked);
  for (size_t i = 0; i < count; i++) {
    bool own = i < places && items[i].first;
    items[i].first = own ? INT64_MAX : number_abs(g->nodes[items[i].node].cum);
  }
}

pprofc_status graph_sort_nodes(struct graph *g, pprofc_error *error) {
  struct graph_order_ranked *items = mem_array(g->mem, g->shown_count, sizeof *items);
  if (!items) return error_nomem(error);
  for (size_t i = 0; i < g->shown_count; i++) items[i] = rank_node(g, g->shown[i]);
  if (g->options.by_change) put_own_changes_first(g, items);
  qsort(items, g->shown_count, sizeof *items, order_compare_ranked);
  for (size_t i = 0; i < g->shown_count; i++) g->shown[i] = items[i].node;
  mem_free(g->mem, items, g->shown_count, sizeof *items);
  return PPROFC_OK;
}

/* ---- edges ------------------------------------------- */

struct ranked_edge {
  int64_t weight;
  uint32_t source, target; /* ranks of the names of the source and the target */
  /* Last sort key: the indices of the source node and the target node. With this key, the order of
   * the edges does not depend on the order of the samples. */
  uint64_t ends;
  uint32_t edge;
};

static int compare_edges(const void *left, const void *right) {
  const struct ranked_edge *a = left, *b = right;
  if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
  if (a->source != b->source) return a->source < b->source ? -1 : 1;
  if (a->target != b->target) return a->target < b->target ? -1 : 1;
  return (a->ends > b->ends) - (a->ends < b->ends);
}

/* Writes the sorted edges into one list for each target. If `by_source` is true, there is one
 * list for each source instead. from[i] is the start of the list of node i. */
static void fill_lists(const struct graph *g, const struct ranked_edge *order, size_t count,
                       bool by_source, uint32_t *from, uint32_t *list) {
  memset(from, 0, (g->node_count + 1) * sizeof *from);
  for (size_t i = 0; i < count; i++) {
    const struct graph_edge *e = &g->edges[order[i].edge];
    from[(by_source ? e->source : e->target) + 1]++;
  }
  for (size_t i = 0; i < g->node_count; i++) from[i + 1] += from[i];
  for (size_t i = 0; i < count; i++) {
    const struct graph_edge *e = &g->edges[order[i].edge];
    list[from[by_source ? e->source : e->target]++] = order[i].edge;
  }
  memmove(from + 1, from, g->node_count * sizeof *from);
  from[0] = 0;
}

static bool alloc_lists(struct graph *g) {
  size_t nodes = g->node_count + 1;
  if (!g->in_from) g->in_from = arena_array(&g->arena, nodes, sizeof *g->in_from);
  if (!g->out_from) g->out_from = arena_array(&g->arena, nodes, sizeof *g->out_from);
  mem_free(g->mem, g->in, g->linked, sizeof *g->in);
  mem_free(g->mem, g->out, g->linked, sizeof *g->out);
  mem_free(g->mem, g->sorted, g->linked, sizeof *g->sorted);
  g->linked = g->edge_count;
  g->sorted = mem_array(g->mem, g->linked, sizeof *g->sorted);
  g->in = mem_array(g->mem, g->linked, sizeof *g->in);
  g->out = mem_array(g->mem, g->linked, sizeof *g->out);
  return g->in_from && g->out_from && g->in && g->out && g->sorted;
}

/* Sorts the edges that are not dropped. Returns their number. */
static size_t sort_edges(const struct graph *g, struct ranked_edge *order) {
  size_t count = 0;
  for (uint32_t i = 0; i < g->edge_count; i++) {
    const struct graph_edge *e = &g->edges[i];
    if (e->dead) continue;
    order[count++] = (struct ranked_edge){
        .weight = number_abs(e->weight),
        .source = g->name_rank[g->nodes[e->source].info],
        .target = g->name_rank[g->nodes[e->target].info],
        .ends = (uint64_t)e->target << 32 | e->source,
        .edge = i,
    };
  }
  qsort(order, count, sizeof *order, compare_edges);
  return count;
}

pprofc_status graph_link_edges(struct graph *g, pprofc_error *error) {
  struct ranked_edge *order = mem_array(g->mem, g->edge_count, sizeof *order);
  bool done = alloc_lists(g) && order;
  if (done) {
    size_t count = sort_edges(g, order);
    g->sorted_count = count;
    for (size_t i = 0; i < count; i++) g->sorted[i] = order[i].edge;
    fill_lists(g, order, count, false, g->in_from, g->in);
    fill_lists(g, order, count, true, g->out_from, g->out);
  }
  mem_free(g->mem, order, g->edge_count, sizeof *order);
  return done ? PPROFC_OK : error_nomem(error);
}

/* ---- tags -------------------------------------------- */

static int compare_magnitudes(int64_t a, int64_t b) {
  a = number_abs(a);
  b = number_abs(b);
  return (a < b) - (a > b);
}

static int compare_by_flat(const void *left, const void *right) {
  const struct graph_tag *a = left, *b = right;
  int order = compare_magnitudes(a->flat, b->flat);
  return order ? order : str_compare(a->name, b->name);
}

static int compare_by_cum(const void *left, const void *right) {
  const struct graph_tag *a = left, *b = right;
  int order = compare_magnitudes(a->cum, b->cum);
  return order ? order : compare_by_flat(left, right);
}

void graph_sort_tags(struct graph_tag *tags, size_t count, bool by_flat) {
  qsort(tags, count, sizeof *tags, by_flat ? compare_by_flat : compare_by_cum);
}
