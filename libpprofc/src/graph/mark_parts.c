/* The edges of nodes that counters leave open, a part at a time.
 *
 * Where the cutoff is small, nearly every call reaches it: in a difference of random stacks the
 * changes add up to nearly nothing, and the cutoff is a part of that sum. Then there are tens of
 * millions of edges, but one that is inlined and one that is not settle a node, and a small part of
 * its edges mostly has both. A part is a range of counters: a call has one counter, so its edge is
 * whole in one of the parts. Each pass over the samples makes the edges of one part, of the nodes
 * that are open still, and parts grow as fast as nodes are settled. */
#include "graph/mark_parts.h"

#define PARTS_FIRST 64                /* the first part has one in so many counters */
#define PARTS_EDGES ((size_t)1 << 20) /* that a thread may make of it */
#define PARTS_STEP  4                 /* both grow by this factor, or more */
#define PARTS_MOST  ((uint64_t)1 << 32)

/* The counters of the part at hand. */
struct mark_part {
  uint64_t from, to;
  size_t most; /* edges of it */
  struct edge_filter filter;
};

static void mark_part_fill(struct mark_part *part, const struct edge_filter *all) {
  memset(part->filter.bits, 0, (all->mask + 1) / 8);
  for (uint64_t bit = part->from; bit < part->to; bit++)
    if (edge_filter_has(all, bit)) edge_filter_add(&part->filter, bit);
}

static size_t mark_parts_open(const struct mark_parts *p) {
  size_t open = 0;
  for (size_t i = 0; i < p->graph->node_count; i++) open += p->open[i];
  return open;
}

/* Takes what the edges of a part say. */
static void mark_parts_take(struct mark_parts *p) {
  const struct graph *g = p->graph;
  for (size_t i = 0; i < g->edge_count; i++) {
    const struct graph_edge *e = &g->edges[i];
    if (number_abs(e->weight) < g->edge_cutoff) continue;
    p->has[e->target] |= e->is_inline ? MARK_HAS_INLINE : MARK_HAS_PLAIN;
  }
  for (size_t i = 0; i < g->node_count; i++) {
    if (p->has[i] != (MARK_HAS_INLINE | MARK_HAS_PLAIN) || !p->open[i]) continue;
    g->marks[i] = MARK_PARTIAL;
    p->open[i] = 0;
  }
}

/* The counters of the next part: of the edges that the last one had, those of the nodes that are
 * still open would have been `edges`. */
static uint64_t mark_part_next(const struct mark_part *part, double edges) {
  double size = (double)(part->to - part->from) * PARTS_STEP;
  double room = (double)(part->to - part->from) * (double)part->most;
  if (edges * size < room) size = edges < 1 ? room : room / edges;
  return size < PARTS_MOST ? (uint64_t)size : PARTS_MOST;
}

/* Makes one part after the other. A part with too many edges is made smaller; one counter is taken
 * whatever it has. */
static pprofc_status mark_parts_run(struct mark_parts *p, struct mark_part *part,
                                    pprofc_error *error) {
  const uint64_t counters = p->filter->mask + 1;
  uint64_t size = counters / PARTS_FIRST;
  size_t open = mark_parts_open(p);
  while (open && part->from < counters) {
    part->to = counters - part->from > size ? part->from + size : counters;
    mark_part_fill(part, p->filter);
    struct edge_choice choice = {p->kept, p->open, NULL, &part->filter, size > 1 ? part->most : 0};
    pprofc_status status = graph_find_edges(p->graph, &choice, error);
    if (status && status != PPROFC_E_NO_MATCH) return status;
    if (status) {
      size = size > PARTS_STEP ? size / PARTS_STEP : 1;
      continue;
    }
    mark_parts_take(p);
    size_t before = open;
    open = mark_parts_open(p);
    part->most *= PARTS_STEP;
    size = mark_part_next(part, (double)p->graph->edge_count * (double)open / (double)before);
    part->from = part->to;
  }
  return PPROFC_OK;
}

pprofc_status mark_parts_find(struct mark_parts *p, pprofc_error *error) {
  struct graph *g = p->graph;
  size_t bytes = (size_t)((p->filter->mask + 1) / 8);
  struct mark_part part = {.most = g->options.most_edges};
  if (!part.most) part.most = PARTS_EDGES;
  part.filter = (struct edge_filter){mem_zero_array(g->mem, bytes, 1), p->filter->mask};
  if (!part.filter.bits) return error_nomem(error);
  pprofc_status status = mark_parts_run(p, &part, error);
  for (size_t i = 0; i < g->node_count; i++)
    if (p->open[i] && (p->has[i] & MARK_HAS_INLINE))
      g->marks[i] = p->has[i] & MARK_HAS_PLAIN ? MARK_PARTIAL : MARK_INLINE;
  mem_free(g->mem, part.filter.bits, bytes, 1);
  return status;
}
