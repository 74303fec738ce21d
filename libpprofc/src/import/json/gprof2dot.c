/* Reads JSON in the format of gprof2dot, which memray also writes. A file has functions and events.
 * An event has one cost of each kind, and a list of functions, leaf first. */
#include "import/json/json.h"

#define GPROF2DOT_MAX_COSTS 64u

struct gprof2dot {
  pprofc_builder *builder;
  struct json_stack stack;
  uint32_t *locations; /* location of each function */
  size_t function_count, cost_count;
};

static void gprof2dot_functions(struct gprof2dot *g, const struct node *functions,
                                struct arena *arena) {
  g->function_count = node_size(functions);
  g->locations = arena_array(arena, g->function_count, sizeof *g->locations);
  import_need(g->builder, g->locations != NULL);
  for (size_t i = 0; g->locations && i < g->function_count; i++) {
    const struct node *function = node_at(functions, i);
    g->locations[i] =
        json_plain_frame(g->builder, node_text(function, "name"), node_text(function, "module"), 0);
  }
}

static void gprof2dot_types(struct gprof2dot *g, const struct node *costs) {
  g->cost_count = node_size(costs);
  for (size_t i = 0; i < g->cost_count; i++) {
    const struct node *cost = node_at(costs, i);
    builder_add_type(g->builder, node_text(cost, "description"), node_text(cost, "unit"));
  }
}

/* Adds the sample of an event. Returns false if the event has no stack or refers to a missing
 * function. */
static bool gprof2dot_event(struct gprof2dot *g, const struct node *event) {
  const struct node *chain = node_get(event, "callchain"), *costs = node_get(event, "cost");
  size_t depth = node_size(chain);
  int64_t values[GPROF2DOT_MAX_COSTS];
  if (!depth || !json_stack_reserve(&g->stack, g->builder, depth)) return false;
  for (size_t i = 0; i < depth; i++) {
    size_t index;
    if (!json_index(node_at(chain, i), &index) || index >= g->function_count) return false;
    g->stack.frames[i] = g->locations[index];
  }
  for (size_t i = 0; i < g->cost_count; i++) values[i] = json_cost(g->builder, node_at(costs, i));
  pprofc_builder_sample(g->builder, g->stack.frames, depth, values);
  return true;
}

JSON_SHAPE(json_gprof2dot) {
  const struct node *costs = node_get(root, "costs"), *events = node_get(root, "events");
  const struct node *functions = node_get(root, "functions");
  if (!node_size(costs) || !node_is(events, NODE_ARRAY) || !node_is(functions, NODE_ARRAY))
    return false;
  if (node_size(costs) > GPROF2DOT_MAX_COSTS) {
    import_refuse(builder, PPROFC_E_LIMIT, "more than %u costs", GPROF2DOT_MAX_COSTS);
    return true;
  }
  struct gprof2dot g = {.builder = builder, .stack = {.arena = arena}};
  gprof2dot_types(&g, costs);
  gprof2dot_functions(&g, functions, arena);
  size_t read = 0, count = node_size(events);
  for (size_t i = 0; i < count && builder_ok(builder); i++)
    read += gprof2dot_event(&g, node_at(events, i));
  import_account_one(builder, read, "events", count - read, "event has no readable stack",
                     "events have no readable stack");
  import_compare_version(builder, "gprof2dot's format", json_member_int(root, "version", 0), 0);
  return true;
}
