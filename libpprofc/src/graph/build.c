/* Builds a graph. Drops nodes and edges in the same order of steps as pprof (docs/spec/pprof.md,
 * 20.1).
 *
 * pprof builds the graph again from the samples each time it drops nodes. But flat, cum and tags
 * of a node do not depend on the other nodes. Only the edges change, because residual edges skip
 * the dropped nodes. So graph_build computes sums and tags once. It builds only the edges again,
 * and only for reports that need edges. */
#include "graph/graph.h"

/* Scratch memory of graph_build. */
struct build {
  struct graph *graph;
  uint8_t *kept;   /* for each node, 1 if it is shown, else 0 */
  bool all_kept;   /* true if no node was dropped; nodes whose values are 0 then also have edges */
  uint32_t *queue; /* queue of nodes for the search in has_other_way */
  uint32_t *seen;  /* for each node, the number (`stamp`) of the last search that reached it */
  uint32_t stamp;
};

static void mark_shown(struct build *b) {
  struct graph *g = b->graph;
  memset(b->kept, 0, g->node_count);
  for (size_t i = 0; i < g->shown_count; i++) b->kept[g->shown[i]] = 1;
}

static bool build_is_negative(const struct graph_node *n) {
  return n->flat < 0 || (n->flat == 0 && n->cum < 0);
}

static void select_nodes(struct build *b) {
  struct graph *g = b->graph;
  int64_t total = 0;
  g->shown_count = 0;
  for (uint32_t i = 0; i < g->node_count; i++) {
    const struct graph_node *n = &g->nodes[i];
    if (n->flat == 0 && n->cum == 0) continue;
    if (g->options.drop_negative && build_is_negative(n)) continue;
    g->shown[g->shown_count++] = i;
    total = sum_add(total, n->flat);
  }
  const struct graph_options *o = &g->options;
  g->node_cutoff = graph_cutoff(total, o->nodefraction);
  g->edge_cutoff = graph_cutoff(total, o->edgefraction);
  mark_shown(b);
}

/* Drops the shown nodes after the first `count`. */
static void keep_shown(struct build *b, size_t count) {
  struct graph *g = b->graph;
  if (g->options.call_tree) {
    /* from here on, `kept` has 1 for the nodes to drop, not for the nodes to keep */
    for (size_t i = 0; i < count; i++) b->kept[g->shown[i]] = 0;
    graph_trim_tree(g, b->kept);
  }
  g->shown_count = count;
  b->all_kept = false;
  mark_shown(b);
}

static void drop_low_nodes(struct build *b) {
  struct graph *g = b->graph;
  size_t count = 0;
  if (g->node_cutoff > 0) {
    for (size_t i = 0; i < g->shown_count; i++)
      if (number_abs(g->nodes[g->shown[i]].cum) >= g->node_cutoff) g->shown[count++] = g->shown[i];
    g->dropped_nodes = g->shown_count - count;
    if (g->dropped_nodes) keep_shown(b, count);
  }
  g->nodes_before = g->shown_count;
}

/* ---- edges ------------------------------------------- */

/* Builds the edges between the kept nodes, unless the graph is a call tree, which already has its
 * edges. Then makes the names of the nodes and the sorted lists of edges. */
static pprofc_status make_edges(struct build *b, const uint8_t *target, const uint8_t *source,
                                pprofc_error *error) {
  struct graph *g = b->graph;
  struct edge_choice choice = {b->all_kept ? NULL : b->kept, target, source};
  pprofc_status status = PPROFC_OK;
  bool possible = b->all_kept || g->shown_count > 1;
  if (!g->options.call_tree && possible) status = graph_find_edges(g, &choice, error);
  if (!possible) g->edge_count = 0;
  if (!status) status = graph_rank_names(g, error);
  if (!status) status = graph_link_edges(g, error);
  return status;
}

static size_t drop_low_edges(struct build *b) {
  struct graph *g = b->graph;
  size_t dropped = 0;
  for (size_t i = 0; i < g->edge_count; i++) {
    struct graph_edge *e = &g->edges[i];
    if (e->dead || !b->kept[e->target] || number_abs(e->weight) >= g->edge_cutoff) continue;
    e->dead = true;
    dropped++;
  }
  return dropped;
}

/* True if a path of other edges leads from the source of an edge to its target. */
static bool has_other_way(struct build *b, const struct graph_edge *edge) {
  const struct graph *g = b->graph;
  size_t head = 0, tail = 0;
  b->stamp++;
  b->seen[edge->target] = b->stamp;
  b->queue[tail++] = edge->target;
  while (head < tail) {
    uint32_t node = b->queue[head++];
    for (uint32_t i = g->in_from[node]; i < g->in_from[node + 1]; i++) {
      const struct graph_edge *e = &g->edges[g->in[i]];
      if (e == edge || e->dead || b->seen[e->source] == b->stamp) continue;
      if (e->source == edge->source) return true;
      b->seen[e->source] = b->stamp;
      b->queue[tail++] = e->source;
    }
  }
  return false;
}

static pprofc_status drop_redundant_edges(struct build *b, pprofc_error *error) {
  struct graph *g = b->graph;
  b->queue = arena_array(&g->arena, g->node_count, sizeof *b->queue);
  b->seen = arena_zero_array(&g->arena, g->node_count, sizeof *b->seen);
  if (!b->queue || !b->seen) return error_nomem(error);
  for (size_t i = g->shown_count; i-- > 0;) {
    uint32_t node = g->shown[i];
    for (uint32_t k = g->in_from[node + 1]; k-- > g->in_from[node];) {
      struct graph_edge *e = &g->edges[g->in[k]];
      if (e->dead) continue;
      if (!e->residual) break;
      if (has_other_way(b, e)) e->dead = true;
    }
  }
  return PPROFC_OK;
}

/* ---- selection --------------------------------------- */

/* Maximum number of tags (label values) that a node has in a picture. */
#define MAX_TAGS 4

static size_t count_tags(const struct graph *g, uint32_t node) {
  size_t count = 0;
  if (!g->tag_from) return 0;
  for (uint32_t i = g->tag_from[node]; i < g->tag_from[node + 1]; i++)
    count += g->tags[i].flat != 0;
  return count < MAX_TAGS ? count : MAX_TAGS;
}

/* Returns how many of the shown nodes the option nodecount permits. In a picture, tags (label
 * values) count as nodes. */
static size_t room_for_nodes(const struct graph *g) {
  size_t most = (size_t)g->options.nodecount, count = 0;
  if (g->options.visual)
    for (size_t i = 0; i < g->shown_count; i++)
      if ((count += count_tags(g, g->shown[i]) + 1) >= most) {
        most = i + 1;
        break;
      }
  return most < g->shown_count ? most : g->shown_count;
}

/* Sorts the nodes. In pictures and call trees, first builds the edges, because the order of the
 * nodes depends on the edges. */
static pprofc_status sort_nodes(struct build *b, pprofc_error *error) {
  struct graph *g = b->graph;
  bool early = g->options.visual || g->options.call_tree;
  pprofc_status status = early ? make_edges(b, NULL, NULL, error) : graph_rank_names(g, error);
  return status ? status : graph_sort_nodes(g, error);
}

static pprofc_status limit_nodes(struct build *b, pprofc_error *error) {
  struct graph *g = b->graph;
  if (g->options.nodecount <= 0) return PPROFC_OK;
  drop_low_edges(b);
  size_t count = room_for_nodes(g);
  if (count == g->shown_count) return PPROFC_OK;
  keep_shown(b, count);
  return g->options.visual || g->options.call_tree ? sort_nodes(b, error) : PPROFC_OK;
}

/* ---- parts of a graph -------------------------------- */

pprofc_status graph_match_names(struct graph *g, pprofc_error *error) {
  if (!g->matches) g->matches = arena_array(&g->arena, g->node_count, 1);
  if (!g->matches) return error_nomem(error);
  memset(g->matches, 0, g->node_count);
  for (size_t i = 0; i < g->shown_count; i++)
    g->matches[g->shown[i]] = regex_match(g->options.edges_of, graph_name(g, g->shown[i]));
  if (regex_tripped(g->options.edges_of))
    return error_set(error, PPROFC_E_LIMIT, "the expression takes too long to match");
  return PPROFC_OK;
}

static pprofc_status finish_edges(struct build *b, pprofc_error *error) {
  struct graph *g = b->graph;
  pprofc_status status = PPROFC_OK;
  if (g->options.edges_of) status = graph_match_names(g, error);
  if (!status && !g->options.visual && !g->options.call_tree)
    status = make_edges(b, g->matches, g->matches, error);
  if (status) return status;
  g->dropped_edges = drop_low_edges(b);
  if (g->options.visual) status = drop_redundant_edges(b, error);
  return status ? status : graph_link_edges(g, error);
}

static pprofc_status trim(struct build *b, pprofc_error *error) {
  struct graph *g = b->graph;
  drop_low_nodes(b);
  pprofc_status status = PPROFC_OK;
  if (g->options.want_tags) status = graph_find_tags(g, b->kept, error);
  if (!status && !g->options.any_order) status = sort_nodes(b, error);
  if (!status) status = limit_nodes(b, error);
  if (!status && g->options.want_edges) status = finish_edges(b, error);
  if (!status && g->options.want_inline_marks)
    status = graph_mark_inlined(g, b->all_kept ? NULL : b->kept, error);
  return status;
}

pprofc_status graph_build(struct graph *g, const pprofc_profile *profile,
                          const struct graph_options *options, pprofc_error *error) {
  *g = (struct graph){.mem = &profile->mem, .profile = profile, .options = *options};
  arena_init(&g->arena, g->mem);
  struct build b = {.graph = g, .all_kept = true};
  pprofc_status status = frames_build(&g->frames, profile, &options->frames, error);
  if (!status) status = options->call_tree ? graph_sum_tree(g, error) : graph_sum(g, error);
  if (status) return status;
  g->shown = arena_array(&g->arena, g->node_count, sizeof *g->shown);
  b.kept = arena_array(&g->arena, g->node_count, 1);
  if (!g->shown || !b.kept) return error_nomem(error);
  select_nodes(&b);
  return trim(&b, error);
}

void graph_free(struct graph *g) {
  frames_free(&g->frames);
  if (g->tree.mem) map_free(&g->tree);
  mem_free(g->mem, g->edges, g->edge_capacity, sizeof *g->edges);
  mem_free(g->mem, g->in, g->linked, sizeof *g->in);
  mem_free(g->mem, g->out, g->linked, sizeof *g->out);
  mem_free(g->mem, g->sorted, g->linked, sizeof *g->sorted);
  if (g->node_capacity) mem_free(g->mem, g->nodes, g->node_capacity, sizeof *g->nodes);
  arena_free(&g->arena);
}
