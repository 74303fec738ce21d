/* Builds callgrind's call graph. Each function, line and call is stored once. */
#include "import/callgrind/callgrind.h"

#include "core/array.h"

#include <math.h>

/* Maximum number of lines or calls of a function that the reader searches one by one. For functions
 * with more lines or calls, the reader uses a hash table. */
#define FEW 8u

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
  ARRAY_FREE(graph->mem, graph->first, graph->first_room);
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

/* Appends a row to `rows`, and `values_size` zero bytes to `values` unless it is NULL. Adds the row
 * to `map` unless `map` is NULL. Returns the index of the row, or NONE when out of memory. */
static uint32_t append(struct callgrind_graph *graph, struct buffer *rows, const void *row,
                       size_t size, struct buffer *values, size_t values_size, struct map *map,
                       uint64_t hash) {
  size_t index = rows->size / size;
  graph->too_large |=
      size > rows->ceiling - rows->size || (values && values_size > values->ceiling - values->size);
  bool fits = index < NONE - 1 && buffer_reserve(rows, size) &&
              (!values || buffer_reserve(values, values_size));
  if (!fits || (map && !map_insert(map, hash, (uint32_t)index))) {
    rows->failed = true;
    return NONE;
  }
  buffer_add(rows, row, size);
  if (values) buffer_add_fill(values, 0, values_size);
  return (uint32_t)index;
}

static bool same_function(const struct callgrind_function *a, const struct callgrind_function *b) {
  return a->object == b->object && a->name == b->name && a->file == b->file;
}

static uint32_t callgrind_append_function(struct callgrind_graph *graph,
                                          const struct callgrind_function *function,
                                          struct map *map, uint64_t hash) {
  return append(graph, &graph->functions, function, sizeof *function, NULL, 0, map, hash);
}

/* Returns the index of a function that shares its name with another function, and adds the function
 * if it is new. */
static uint32_t graph_namesake(struct callgrind_graph *graph,
                               const struct callgrind_function *function) {
  uint64_t hash = hash_mix(hash_mix(function->object, function->name), function->file);
  MAP_FIND(index, &graph->by_name, hash,
           same_function(&callgrind_functions(graph)[index], function));
  if (index != MAP_NONE) return index;
  return callgrind_append_function(graph, function, &graph->by_name, hash);
}

/* Returns the entry of graph->first for a name, or NULL when out of memory. The entry may be from
 * an earlier part of the file, so the caller must compare the name. */
static uint32_t *graph_first(struct callgrind_graph *graph, uint32_t name) {
  size_t old = graph->first_room;
  if (!ARRAY_RESERVE(graph->mem, graph->first, graph->first_room, (size_t)name + 1)) {
    graph->functions.failed = true;
    return NULL;
  }
  if (graph->first_room > old)
    memset(graph->first + old, 0xFF, (graph->first_room - old) * sizeof *graph->first);
  return &graph->first[name];
}

uint32_t callgrind_graph_function(struct callgrind_graph *graph,
                                  const struct callgrind_function *names) {
  struct callgrind_function function = *names;
  function.first_cost = function.last_cost = NONE;
  function.first_call = function.last_call = NONE;
  uint32_t *first = graph_first(graph, function.name);
  if (!first) return NONE;
  const struct callgrind_function *there = NULL;
  if (*first < callgrind_function_count(graph)) there = &callgrind_functions(graph)[*first];
  if (!there || there->name != function.name)
    return *first = callgrind_append_function(graph, &function, NULL, 0);
  return same_function(there, &function) ? *first : graph_namesake(graph, &function);
}

static bool same_place(const struct callgrind_place *a, const struct callgrind_place *b) {
  return a->file == b->file && a->inlined == b->inlined && a->line == b->line &&
         a->address == b->address;
}

static uint64_t hash_place(uint64_t hash, const struct callgrind_place *place) {
  hash = hash_mix(hash, (uint64_t)place->file << 32 | place->inlined);
  return hash_mix(hash_mix(hash, (uint64_t)place->line), place->address);
}

static uint64_t hash_cost(uint32_t function, const struct callgrind_place *place) {
  return hash_place(hash_mix(0, function), place);
}

/* Returns the index of the cost of a line of a function, or NONE. */
static uint32_t cost_find(const struct callgrind_graph *graph, uint32_t function,
                          const struct callgrind_place *place) {
  const struct callgrind_function *f = &callgrind_functions(graph)[function];
  const struct callgrind_cost *costs = callgrind_costs(graph);
  if (f->cost_count <= FEW) {
    uint32_t index;
    for (index = f->first_cost; index != NONE && !same_place(&costs[index].place, place);)
      index = costs[index].next;
    return index;
  }
  MAP_FIND(found, &graph->by_place, hash_cost(function, place),
           costs[found].function == function && same_place(&costs[found].place, place));
  return found;
}

/* Adds the lines of a function to the hash table, before the function gets more than FEW lines. */
static void cost_enter_few(struct callgrind_graph *graph, const struct callgrind_function *f) {
  for (uint32_t c = f->first_cost; c != NONE; c = callgrind_costs(graph)[c].next) {
    const struct callgrind_cost *cost = &callgrind_costs(graph)[c];
    if (!map_insert(&graph->by_place, hash_cost(cost->function, &cost->place), c))
      graph->costs.failed = true;
  }
}

static uint32_t cost_of(struct callgrind_graph *graph, uint32_t function,
                        const struct callgrind_place *place) {
  struct callgrind_function *f = &callgrind_functions(graph)[function];
  uint32_t index = cost_find(graph, function, place);
  if (index != NONE) return index;
  if (f->cost_count == FEW) cost_enter_few(graph, f);
  struct map *map = f->cost_count >= FEW ? &graph->by_place : NULL;
  uint64_t hash = map ? hash_cost(function, place) : 0;
  struct callgrind_cost cost = {function, NONE, *place};
  index = append(graph, &graph->costs, &cost, sizeof cost, &graph->cost_values,
                 graph->types * sizeof(int64_t), map, hash);
  if (index == NONE) return NONE;
  if (f->first_cost == NONE)
    f->first_cost = index;
  else
    callgrind_costs(graph)[f->last_cost].next = index;
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
      graph->overflowed = true;
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

/* Returns the index of the equal call in the graph, or NONE. */
static uint32_t call_find(const struct callgrind_graph *graph, const struct callgrind_call *call) {
  const struct callgrind_function *f = &callgrind_functions(graph)[call->caller];
  const struct callgrind_call *calls = callgrind_calls(graph);
  if (f->call_count <= FEW) {
    uint32_t index;
    for (index = f->first_call; index != NONE && !call_is_same(graph, &calls[index], call);)
      index = calls[index].next;
    return index;
  }
  MAP_FIND(found, &graph->by_call, hash_call(graph, call),
           call_is_same(graph, &calls[found], call));
  return found;
}

/* Adds the calls of a function to the hash table, before the function gets more than FEW calls. */
static void call_enter_few(struct callgrind_graph *graph, const struct callgrind_function *f) {
  for (uint32_t c = f->first_call; c != NONE; c = callgrind_calls(graph)[c].next)
    if (!map_insert(&graph->by_call, hash_call(graph, &callgrind_calls(graph)[c]), c))
      graph->calls.failed = true;
}

static uint32_t call_of(struct callgrind_graph *graph, uint32_t caller, uint32_t callee,
                        const struct callgrind_place *site) {
  struct callgrind_call call = {caller, callee, NONE, false, *site, -1};
  struct callgrind_function *f = &callgrind_functions(graph)[caller];
  uint32_t index = call_find(graph, &call);
  if (index != NONE) return index;
  if (f->call_count == FEW) call_enter_few(graph, f);
  struct map *map = f->call_count >= FEW ? &graph->by_call : NULL;
  uint64_t hash = map ? hash_call(graph, &call) : 0;
  index = append(graph, &graph->calls, &call, sizeof call, &graph->call_values,
                 graph->types * sizeof(double), map, hash);
  if (index == NONE) return NONE;
  if (f->first_call == NONE)
    f->first_call = index;
  else
    callgrind_calls(graph)[f->last_call].next = index;
  f->last_call = index;
  f->call_count++;
  return index;
}

void callgrind_graph_call(struct callgrind_graph *graph, uint32_t caller, uint32_t callee,
                          const struct callgrind_place *site, const int64_t *values) {
  uint32_t index = call_of(graph, caller, callee, site);
  if (index == NONE) return;
  struct callgrind_call *call = &callgrind_calls(graph)[index];
  double *sums = callgrind_call_values(graph, index);
  for (size_t t = 0; t < graph->types; t++) sums[t] += (double)values[t];
  if (fabs((double)values[0]) > call->heaviest) {
    call->heaviest = fabs((double)values[0]);
    call->site = *site;
  }
}
