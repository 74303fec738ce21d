/* Finds the node of the tree in which each sample's stack ends, for the times of the page. */
#include "report/stacks/flame_times.h"

#include "core/budget.h"
#include "profile/stack.h"

/* Returns the node at the end of a stack of locations, leaf first, or NONE. If the tree folded
 * nodes, their replacement is the end. */
static uint32_t end_of_stack(const struct grouping *g, const uint32_t *locations, size_t depth) {
  const struct stack_frames *frames = &g->graph->frames;
  uint32_t node = 0;
  while (depth-- > 0) {
    uint32_t from = frames->location_from[locations[depth]];
    uint32_t to = frames->location_from[locations[depth] + 1];
    for (uint32_t i = from; i < to; i++) {
      uint32_t child = flame_groups_child(g, node, frames->location_frames[i]);
      if (child) {
        node = child;
        continue;
      }
      if (!g->graph->tree.folded) return NONE;
      child = flame_groups_child(g, node, (uint32_t)frames->count - 1);
      return child ? child : node;
    }
  }
  return node;
}

pprofc_status flame_times_make(struct grouping *g, const uint32_t **node_of, pprofc_error *error) {
  const struct samples *samples = &g->report->result.profile->samples;
  uint32_t *nodes = arena_array(&g->arena, samples->count, sizeof *nodes);
  uint32_t *locations = arena_array(&g->arena, samples->max_depth + 1, sizeof *locations);
  struct stack_reader reader = stack_reader_at(samples, 0);
  if (!nodes || !locations || !flame_groups_map(g)) return error_nomem(error);
  for (size_t i = 0; i < samples->count; i++) {
    if (budget_poll(g->arena.mem, i)) return error_nomem(error);
    nodes[i] = end_of_stack(g, locations, stack_read(&reader, i, locations));
  }
  *node_of = nodes;
  return PPROFC_OK;
}
