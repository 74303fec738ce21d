/* Builds callgrind's call graph. Each function, line and call is stored once. */
#include "import/callgrind/callgrind.h"

void callgrind_graph_init(struct callgrind_graph *graph, pprofc_builder *builder,
                          const pprofc_allocator *mem, size_t types, uint64_t memory_bytes) {
  *graph = (struct callgrind_graph){
      .mem = mem, .builder = builder, .types = types, .memory_bytes = memory_bytes};
  map_init(&graph->by_name, mem);
  map_init(&graph->by_place, mem);
  map_init(&graph->by_call, mem);
}

void callgrind_graph_free(struct callgrind_graph *graph) {
  ARRAY_FREE(graph->mem, graph->functions, graph->function_room);
  ARRAY_FREE(graph->mem, graph->costs, graph->cost_room);
  ARRAY_FREE(graph->mem, graph->cost_values, graph->cost_value_room);
  ARRAY_FREE(graph->mem, graph->calls, graph->call_room);
  ARRAY_FREE(graph->mem, graph->call_values, graph->call_value_room);
  map_free(&graph->by_name);
  map_free(&graph->by_place);
  map_free(&graph->by_call);
}

void callgrind_graph_clear(struct callgrind_graph *graph) {
  struct map *const maps[] = {&graph->by_name, &graph->by_place, &graph->by_call};
  graph->function_count = graph->cost_count = graph->call_count = 0;
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
    map_free(maps[i]);
    map_init(maps[i], graph->mem);
  }
  for (size_t t = 0; t < graph->types; t++) graph->before[t] += graph->totals[t];
  memset(graph->totals, 0, sizeof graph->totals);
}

/* Makes room for `count` elements in an array of the graph. Makes the builder fail, and returns
 * false, when out of memory or if the array would exceed its limit. */
static bool graph_reserve(const struct callgrind_graph *graph, void *items, size_t *room,
                          size_t count, size_t size) {
  if (count <= *room) return true;
  uint64_t most = graph->memory_bytes / 4 / size;
  if (count > most)
    return import_refuse(graph->builder, PPROFC_E_LIMIT,
                         "the call graph needs more than %llu bytes of memory "
                         "(raise the limit memory_bytes)",
                         (unsigned long long)graph->memory_bytes);
  return import_need(graph->builder, count < NONE && array_grow(graph->mem, items, room, count,
                                                                (size_t)most, size));
}

#define GRAPH_RESERVE(graph, items, room, count)                                                   \
  graph_reserve((graph), &(items), &(room), (count), sizeof *(items))

static bool same_function(const struct callgrind_function *a, const struct callgrind_function *b) {
  return a->object == b->object && a->name == b->name && a->file == b->file;
}

uint32_t callgrind_graph_function(struct callgrind_graph *graph,
                                  const struct callgrind_function *names) {
  uint64_t hash = hash_mix(hash_mix(names->object, names->name), names->file);
  uint32_t index = (uint32_t)graph->function_count;
  MAP_FIND(found, &graph->by_name, hash, same_function(&graph->functions[found], names));
  if (found != MAP_NONE) return found;
  if (!GRAPH_RESERVE(graph, graph->functions, graph->function_room, graph->function_count + 1) ||
      !import_need(graph->builder, map_insert(&graph->by_name, hash, index)))
    return NONE;
  struct callgrind_function *function = &graph->functions[graph->function_count++];
  *function = *names;
  function->first_cost = function->last_cost = NONE;
  function->first_call = function->last_call = NONE;
  return index;
}

static bool same_place(const struct callgrind_place *a, const struct callgrind_place *b) {
  return a->file == b->file && a->inlined == b->inlined && a->line == b->line &&
         a->address == b->address;
}

static uint64_t hash_place(uint64_t hash, const struct callgrind_place *place) {
  hash = hash_mix(hash, (uint64_t)place->file << 32 | place->inlined);
  return hash_mix(hash_mix(hash, (uint64_t)place->line), place->address);
}

/* Returns the index of the cost at the line `place` of a function, and adds the cost if it is new.
 * Returns NONE when out of memory. */
static uint32_t cost_of(struct callgrind_graph *graph, uint32_t function,
                        const struct callgrind_place *place) {
  const struct callgrind_cost *costs = graph->costs;
  uint64_t hash = hash_place(hash_mix(0, function), place);
  size_t count = graph->cost_count + 1, cells = count * graph->types;
  uint32_t index = (uint32_t)graph->cost_count;
  MAP_FIND(found, &graph->by_place, hash,
           costs[found].function == function && same_place(&costs[found].place, place));
  if (found != MAP_NONE) return found;
  if (!GRAPH_RESERVE(graph, graph->costs, graph->cost_room, count) ||
      !GRAPH_RESERVE(graph, graph->cost_values, graph->cost_value_room, cells) ||
      !import_need(graph->builder, map_insert(&graph->by_place, hash, index)))
    return NONE;
  graph->costs[graph->cost_count++] = (struct callgrind_cost){function, NONE, *place};
  memset(callgrind_cost_values(graph, index), 0, graph->types * sizeof *graph->cost_values);
  struct callgrind_function *f = &graph->functions[function];
  if (f->first_cost == NONE)
    f->first_cost = index;
  else
    graph->costs[f->last_cost].next = index;
  f->last_cost = index;
  f->cost_count++;
  return index;
}

void callgrind_graph_cost(struct callgrind_graph *graph, uint32_t function,
                          const struct callgrind_place *place, const int64_t *values) {
  uint32_t index = cost_of(graph, function, place);
  if (index == NONE) return;
  int64_t *sums = callgrind_cost_values(graph, index);
  for (size_t t = 0; t < graph->types; t++) {
    int64_t size = values[t] < 0 ? -values[t] : values[t];
    if (size > INT64_MAX - graph->before[t] - graph->totals[t]) {
      import_refuse(graph->builder, PPROFC_E_FORMAT, "the total of an event does not fit 63 bits");
      continue;
    }
    graph->totals[t] += size;
    sums[t] += values[t];
  }
}

static uint64_t hash_call(const struct callgrind_graph *graph, const struct callgrind_call *call) {
  uint64_t hash = hash_mix(call->caller, call->callee);
  return graph->by_site ? hash_place(hash, &call->site) : hash;
}

static bool call_is_same(const struct callgrind_graph *graph, const struct callgrind_call *a,
                         const struct callgrind_call *b) {
  return a->caller == b->caller && a->callee == b->callee &&
         (!graph->by_site || same_place(&a->site, &b->site));
}

/* Returns the index of a call, and adds the call if it is new. Returns NONE when out of memory. */
static uint32_t call_of(struct callgrind_graph *graph, uint32_t caller, uint32_t callee,
                        const struct callgrind_place *site) {
  struct callgrind_call call = {caller, callee, NONE, false, *site, -1};
  uint64_t hash = hash_call(graph, &call);
  size_t count = graph->call_count + 1, cells = count * graph->types;
  uint32_t index = (uint32_t)graph->call_count;
  MAP_FIND(found, &graph->by_call, hash, call_is_same(graph, &graph->calls[found], &call));
  if (found != MAP_NONE) return found;
  if (!GRAPH_RESERVE(graph, graph->calls, graph->call_room, count) ||
      !GRAPH_RESERVE(graph, graph->call_values, graph->call_value_room, cells) ||
      !import_need(graph->builder, map_insert(&graph->by_call, hash, index)))
    return NONE;
  graph->calls[graph->call_count++] = call;
  memset(callgrind_call_values(graph, index), 0, graph->types * sizeof *graph->call_values);
  struct callgrind_function *f = &graph->functions[caller];
  if (f->first_call == NONE)
    f->first_call = index;
  else
    graph->calls[f->last_call].next = index;
  f->last_call = index;
  f->call_count++;
  return index;
}

void callgrind_graph_call(struct callgrind_graph *graph, uint32_t caller, uint32_t callee,
                          const struct callgrind_place *site, const int64_t *values) {
  uint32_t index = call_of(graph, caller, callee, site);
  if (index == NONE) return;
  struct callgrind_call *call = &graph->calls[index];
  double *sums = callgrind_call_values(graph, index);
  for (size_t t = 0; t < graph->types; t++) sums[t] += (double)values[t];
  if (fabs((double)values[0]) > call->heaviest) {
    call->heaviest = fabs((double)values[0]);
    call->site = *site;
  }
}
