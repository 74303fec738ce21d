/* Finds the tree node at which each sample's stack ends, for the times of the page.
 *
 * Stacks are read as differences from the previous stack: callers that both stacks share are not
 * looked up again. Otherwise a chain of calls with a sample in each function would take quadratic
 * time. */
#include "report/stacks/flame_times.h"

#include "core/budget.h"
#include "profile/delta.h"

/* The node that a stack has reached after some of its frames. The root is the first frame. */
struct reached {
  uint32_t node; /* NONE if the tree has no node for these frames */
  bool ended;    /* true if the next nodes are folded, so that the stack ends here */
};

/* Returns the node that a stack reaches with one more frame. If one node replaces several small
 * nodes there, returns this node, and the stack ends. */
static struct reached reach_frame(const struct grouping *g, struct reached at, uint32_t frame) {
  if (at.ended || at.node == NONE) return at;
  uint32_t child = flame_groups_child(g, at.node, frame);
  if (child) return (struct reached){child, false};
  if (!g->graph->tree.folded) return (struct reached){NONE, false};
  child = flame_groups_child(g, at.node, (uint32_t)g->graph->frames.count - 1);
  return (struct reached){child ? child : at.node, true};
}

static struct reached reach_location(const struct grouping *g, struct reached at,
                                     uint32_t location) {
  const struct stack_frames *frames = &g->graph->frames;
  uint32_t to = frames->location_from[location + 1];
  for (uint32_t i = frames->location_from[location]; i < to; i++)
    at = reach_frame(g, at, frames->location_frames[i]);
  return at;
}

/* Returns the node at the end of the current stack. path[n] is the node that the first n bytes from
 * the root reach. It is already set for the bytes that the previous stack shares. The function sets
 * it for the other bytes. */
static uint32_t end_of_stack(const struct grouping *g, const struct stack_delta *d,
                             struct reached *path) {
  uint32_t byte = d->shared;
  struct reached at = path[byte];
  for (size_t i = d->count; i-- > 0;) {
    while (++byte < d->fresh[i].offset) path[byte] = at; /* these bytes are hidden frames */
    at = reach_location(g, at, d->fresh[i].location);
    path[byte] = at;
  }
  while (++byte <= d->size) path[byte] = at;
  return at.node;
}

pprofc_status flame_times_make(struct grouping *g, const uint32_t **node_of, pprofc_error *error) {
  const struct samples *samples = &g->report->result.profile->samples;
  uint32_t longest = 0;
  for (size_t i = 0; i < samples->count; i++)
    if (samples->stack_size[i] > longest) longest = samples->stack_size[i];
  uint32_t *nodes = arena_array(&g->arena, samples->count, sizeof *nodes);
  struct reached *path = arena_zero_array(&g->arena, (size_t)longest + 1, sizeof *path);
  struct stack_delta delta;
  if (!nodes || !path || !flame_groups_map(g) || !delta_init(&delta, g->arena.mem, samples, 0))
    return error_nomem(error);
  bool stopped = false;
  for (size_t i = 0; i < samples->count && !stopped; i++) {
    delta_next(&delta, i);
    nodes[i] = end_of_stack(g, &delta, path);
    stopped = budget_poll(g->arena.mem, i);
  }
  delta_free(&delta, g->arena.mem);
  *node_of = nodes;
  return stopped ? error_nomem(error) : PPROFC_OK;
}
