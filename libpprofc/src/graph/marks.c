/* Marks nodes that are inlined where they are called: "(inline)" and "(partial-inline)".
 *
 * Only calls along kept edges count. An edge is inlined if every call along it is inlined (section
 * 20.1 of docs/spec/pprof.md). Marks therefore need edges, but only the edges to nodes that are
 * inlined somewhere. */
#include "graph/graph.h"

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
