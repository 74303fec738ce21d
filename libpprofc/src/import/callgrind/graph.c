/* Callgrind's call graph while it is being read: functions, lines and calls, each once. */
#include "import/callgrind/callgrind.h"

void callgrind_graph_init(struct callgrind_graph *graph, const pprofc_allocator *mem, size_t types,
                          size_t most_bytes) {
  *graph = (struct callgrind_graph){.mem = mem, .types = types};
  struct buffer *const buffers[] = {&graph->functions, &graph->costs, &graph->cost_values,
                                    &graph->calls, &graph->call_values};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    buffer_init(buffers[i], mem, most_bytes);
  map_init(&graph->by_name, mem);
  map_init(&graph->by_place, mem);
  map_init(&graph->by_call, mem);
}

void callgrind_graph_free(struct callgrind_graph *graph) {
  struct buffer *const buffers[] = {&graph->functions, &graph->costs, &graph->cost_values,
                                    &graph->calls, &graph->call_values};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) buffer_free(buffers[i]);
  map_free(&graph->by_name);
  map_free(&graph->by_place);
  map_free(&graph->by_call);
}

void callgrind_graph_clear(struct callgrind_graph *graph) {
  struct buffer *const buffers[] = {&graph->functions, &graph->costs, &graph->cost_values,
                                    &graph->calls, &graph->call_values};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) buffer_clear(buffers[i]);
  struct map *const maps[] = {&graph->by_name, &graph->by_place, &graph->by_call};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
    map_free(maps[i]);
    map_init(maps[i], graph->mem);
  }
  for (size_t t = 0; t < graph->types; t++) graph->before[t] += graph->totals[t];
  memset(graph->totals, 0, sizeof graph->totals);
}

bool callgrind_graph_ok(const struct callgrind_graph *graph) {
  return !graph->functions.failed && !graph->costs.failed && !graph->cost_values.failed &&
         !graph->calls.failed && !graph->call_values.failed;
}

/* Appends a row to a column and its values, and notes it in the map; NONE when out of memory. */
static uint32_t append(struct callgrind_graph *graph, struct buffer *rows, const void *row,
                       size_t size, struct buffer *values, size_t values_size, struct map *map,
                       uint64_t hash) {
  size_t index = rows->size / size;
  graph->too_large |=
      size > rows->ceiling - rows->size || (values && values_size > values->ceiling - values->size);
  bool fits = index < NONE - 1 && buffer_reserve(rows, size) &&
              (!values || buffer_reserve(values, values_size));
  if (!fits || !map_insert(map, hash, (uint32_t)index)) {
    rows->failed = true;
    return NONE;
  }
  buffer_add(rows, row, size);
  if (values) buffer_add_fill(values, 0, values_size);
  return (uint32_t)index;
}

uint32_t callgrind_graph_function(struct callgrind_graph *graph, uint32_t object, uint32_t name,
                                  uint32_t plain_name, uint32_t file) {
  uint64_t hash = hash_mix(hash_mix(object, name), file);
  struct map_probe probe = map_start(&graph->by_name, hash);
  uint32_t index;
  while ((index = map_next(&graph->by_name, &probe)) != MAP_NONE) {
    const struct callgrind_function *f = &callgrind_functions(graph)[index];
    if (f->object == object && f->name == name && f->file == file) return index;
  }
  struct callgrind_function function = {object, name, file, plain_name, NONE, NONE, NONE, NONE};
  return append(graph, &graph->functions, &function, sizeof function, NULL, 0, &graph->by_name,
                hash);
}

static bool same_place(const struct callgrind_place *a, const struct callgrind_place *b) {
  return a->file == b->file && a->inlined == b->inlined && a->line == b->line &&
         a->address == b->address;
}

static uint64_t hash_place(uint64_t hash, const struct callgrind_place *place) {
  hash = hash_mix(hash, (uint64_t)place->file << 32 | place->inlined);
  return hash_mix(hash_mix(hash, (uint64_t)place->line), place->address);
}

static uint32_t cost_of(struct callgrind_graph *graph, uint32_t function,
                        const struct callgrind_place *place) {
  uint64_t hash = hash_place(hash_mix(0, function), place);
  struct map_probe probe = map_start(&graph->by_place, hash);
  uint32_t index;
  while ((index = map_next(&graph->by_place, &probe)) != MAP_NONE) {
    const struct callgrind_cost *cost = &callgrind_costs(graph)[index];
    if (cost->function == function && same_place(&cost->place, place)) return index;
  }
  struct callgrind_cost cost = {function, NONE, *place};
  index = append(graph, &graph->costs, &cost, sizeof cost, &graph->cost_values,
                 graph->types * sizeof(int64_t), &graph->by_place, hash);
  if (index == NONE) return NONE;
  struct callgrind_function *f = &callgrind_functions(graph)[function];
  if (f->first_cost == NONE)
    f->first_cost = index;
  else
    callgrind_costs(graph)[f->last_cost].next = index;
  f->last_cost = index;
  return index;
}

void callgrind_graph_cost(struct callgrind_graph *graph, uint32_t function,
                          const struct callgrind_place *place, const int64_t *values) {
  uint32_t index = cost_of(graph, function, place);
  if (index == NONE) return;
  int64_t *sums = callgrind_cost_values(graph, index);
  for (size_t t = 0; t < graph->types; t++) {
    if (values[t] > INT64_MAX - graph->before[t] - graph->totals[t]) {
      graph->overflowed = true;
      continue;
    }
    graph->totals[t] += values[t];
    sums[t] += values[t];
  }
}

static uint32_t call_of(struct callgrind_graph *graph, uint32_t caller, uint32_t callee,
                        const struct callgrind_place *site) {
  uint64_t hash = hash_mix(caller, callee);
  if (graph->by_site) hash = hash_place(hash, site);
  struct map_probe probe = map_start(&graph->by_call, hash);
  uint32_t index;
  while ((index = map_next(&graph->by_call, &probe)) != MAP_NONE) {
    const struct callgrind_call *call = &callgrind_calls(graph)[index];
    if (call->caller == caller && call->callee == callee &&
        (!graph->by_site || same_place(&call->site, site)))
      return index;
  }
  struct callgrind_call call = {caller, callee, NONE, *site, -1, false};
  index = append(graph, &graph->calls, &call, sizeof call, &graph->call_values,
                 graph->types * sizeof(double), &graph->by_call, hash);
  if (index == NONE) return NONE;
  struct callgrind_function *f = &callgrind_functions(graph)[caller];
  if (f->first_call == NONE)
    f->first_call = index;
  else
    callgrind_calls(graph)[f->last_call].next = index;
  f->last_call = index;
  return index;
}

void callgrind_graph_call(struct callgrind_graph *graph, uint32_t caller, uint32_t callee,
                          const struct callgrind_place *site, const int64_t *values) {
  uint32_t index = call_of(graph, caller, callee, site);
  if (index == NONE) return;
  struct callgrind_call *call = &callgrind_calls(graph)[index];
  double *sums = callgrind_call_values(graph, index);
  for (size_t t = 0; t < graph->types; t++) sums[t] += (double)values[t];
  if ((double)values[0] > call->heaviest) {
    call->heaviest = (double)values[0];
    call->site = *site;
  }
}
