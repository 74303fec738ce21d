/* Makes samples with exact stacks, for files in which the names of functions contain their callers.
 * The names give the callers, and the calls give the lines. */
#include "import/callgrind/callgrind.h"

/* Maximum number of names that make up one stack. A name is a function and its callers, such as
 * "f'g'main". Callers that ran before callgrind began to count are not in the name. A call in the
 * file can show them: if the name is "f'g", and "h'main" calls g, the stack is f, g, h, main. */
#define MAX_JOINS 64u

/* Maximum number of frames of all stacks together: FRAMES_ALWAYS plus FRAMES_FOR_BYTE for each byte
 * of the file. Near the maximum, stacks are cut at MAX_LATE frames. */
#define FRAMES_ALWAYS   ((uint64_t)1 << 24)
#define FRAMES_FOR_BYTE 8u
#define MAX_LATE        64u

void callgrind_exact_init(struct callgrind_exact *exact, struct callgrind_contexts *contexts,
                          pprofc_builder *builder, pprofc_call_stacks stacks, size_t bytes) {
  static const size_t depths[] = {
      [PPROFC_STACKS_PROPORTIONAL] = SIZE_MAX, [PPROFC_STACKS_EDGES] = 2, [PPROFC_STACKS_FLAT] = 1};
  *exact =
      (struct callgrind_exact){.contexts = contexts,
                               .builder = builder,
                               .deepest = depths[stacks],
                               .frames_left = FRAMES_ALWAYS + FRAMES_FOR_BYTE * (uint64_t)bytes};
}

void callgrind_exact_free(struct callgrind_exact *exact) {
  if (!exact->contexts) return;
  ARRAY_FREE(exact->contexts->mem, exact->places, exact->place_room);
  ARRAY_FREE(exact->contexts->mem, exact->stack, exact->stack_room);
}

static uint32_t context_of_function(const struct callgrind_graph *graph, uint32_t function) {
  return graph->functions[function].context;
}

bool callgrind_exact_may(struct callgrind_exact *exact, const struct callgrind_graph *graph) {
  for (uint32_t c = 0; c < graph->call_count; c++) {
    const struct callgrind_call *call = &graph->calls[c];
    enum callgrind_relation relation =
        callgrind_context_relation(exact->contexts, context_of_function(graph, call->caller),
                                   context_of_function(graph, call->callee));
    exact->agree += relation == RELATION_CALLER || relation == RELATION_TRUNCATED;
    exact->differ += relation == RELATION_OTHER;
  }
  return exact->agree > exact->differ;
}

/* ---- calls ------------------------------------------- */

/* Stores a call in the entry of its callee's context, unless the entry already has a more expensive
 * call. */
static void exact_take_call(struct callgrind_exact *exact, const struct callgrind_graph *graph,
                            uint32_t index) {
  const struct callgrind_call *call = &graph->calls[index];
  uint32_t caller = context_of_function(graph, call->caller);
  uint32_t callee = context_of_function(graph, call->callee);
  struct callgrind_entry *entry = &exact->places[callee];
  enum callgrind_relation relation = callgrind_context_relation(exact->contexts, caller, callee);
  if (relation == RELATION_SAME || relation == RELATION_OTHER) return;
  entry->is_truncated |= relation == RELATION_TRUNCATED;
  if (entry->call == NONE) {
    entry->call = index;
    return;
  }
  const struct callgrind_call *other = &graph->calls[entry->call];
  if (relation == RELATION_ROOT && context_of_function(graph, other->caller) != caller)
    entry->is_truncated = true;
  if (fabs(callgrind_call_values(graph, index)[0]) >
      fabs(callgrind_call_values(graph, entry->call)[0]))
    entry->call = index;
}

static void exact_enter(struct callgrind_exact *exact, const struct callgrind_graph *graph) {
  size_t old = exact->place_room;
  if (!import_need(exact->builder, ARRAY_RESERVE(exact->contexts->mem, exact->places,
                                                 exact->place_room, exact->contexts->count)))
    return;
  for (size_t i = old; i < exact->place_room; i++)
    exact->places[i] = (struct callgrind_entry){NONE, NONE, NONE, false};
  for (uint32_t f = 0; f < graph->function_count; f++) {
    struct callgrind_entry *entry = &exact->places[context_of_function(graph, f)];
    if (entry->function == NONE) entry->function = f;
  }
  for (uint32_t c = 0; c < graph->call_count; c++) exact_take_call(exact, graph, c);
}

/* Clears the entries that the current part of the file used. A file can have many parts that use
 * few contexts each, so clearing all entries after each part would be slow. */
static void exact_leave(struct callgrind_exact *exact, const struct callgrind_graph *graph) {
  for (uint32_t f = 0; f < graph->function_count; f++)
    exact->places[context_of_function(graph, f)] =
        (struct callgrind_entry){NONE, NONE, NONE, false};
}

/* ---- stacks ------------------------------------------ */

static void exact_push(struct callgrind_exact *exact, size_t *depth, uint32_t location) {
  if (*depth < exact->deepest)
    import_need(exact->builder, ARRAY_PUSH(exact->contexts->mem, exact->stack, *depth,
                                           exact->stack_room, location));
}

/* Pushes the frame "[truncated]" in place of unknown callers. */
static void push_truncated(struct callgrind_exact *exact, size_t *depth) {
  exact->is_truncated = true;
  exact_push(exact, depth, import_marker(exact->builder, STR("[truncated]")));
}

/* Pushes the caller of *context, with the line of its call. Sets *context to the caller's
 * context. */
static void push_caller(struct callgrind_exact *exact, const struct callgrind_graph *graph,
                        size_t *depth, uint32_t *context) {
  struct callgrind_entry *entry = &exact->places[*context];
  const struct callgrind_call *call = &graph->calls[entry->call];
  if (entry->site == NONE)
    entry->site = callgrind_location(graph, exact->builder, call->caller, &call->site);
  *context = context_of_function(graph, call->caller);
  exact_push(exact, depth, entry->site);
}

/* Pushes the caller of *context, and sets *context to the caller's context. Takes the caller from
 * the name of *context, because the file lacks calls whose caller has not returned yet. */
static void push_from_name(struct callgrind_exact *exact, const struct callgrind_graph *graph,
                           size_t *depth, uint32_t *context) {
  *context = exact->contexts->items[*context].caller;
  uint32_t function = exact->places[*context].function;
  if (function == NONE) {
    const struct callgrind_symbol symbol = callgrind_context_symbol(exact->contexts, *context);
    uint32_t added =
        builder_add_function(exact->builder, symbol.text, symbol.system, symbol.file, symbol.line);
    exact_push(exact, depth, import_location(exact->builder, NONE, added, 0));
    return;
  }
  struct callgrind_place place = {graph->functions[function].file, 0, 0, 0};
  exact_push(exact, depth, callgrind_location(graph, exact->builder, function, &place));
}

/* Pushes the callers that the name of the context `from` contains. Sets *context to the context of
 * the outermost caller. */
static void push_names(struct callgrind_exact *exact, const struct callgrind_graph *graph,
                       size_t *depth, uint32_t from, uint32_t *context) {
  *context = from;
  for (uint32_t left = exact->contexts->items[from].depth; left > 1; left--) {
    if (*depth >= exact->deepest || !builder_ok(exact->builder)) return;
    if (exact->places[*context].call != NONE)
      push_caller(exact, graph, depth, context);
    else
      push_from_name(exact, graph, depth, context);
  }
}

/* Pushes all callers of the context `from`. stack[0] is the leaf and does not change. */
static void push_callers(struct callgrind_exact *exact, const struct callgrind_graph *graph,
                         uint32_t from, size_t *depth) {
  uint32_t context;
  for (size_t joins = 0; *depth < exact->deepest; joins++) {
    push_names(exact, graph, depth, from, &context);
    if (*depth >= exact->deepest || !builder_ok(exact->builder)) return;
    bool truncated = exact->places[from].is_truncated || exact->places[context].is_truncated ||
                     exact->contexts->items[context].depth > 1 || joins == MAX_JOINS;
    if (truncated) push_truncated(exact, depth);
    if (truncated || exact->places[context].call == NONE) return;
    push_caller(exact, graph, depth, &context);
    from = context;
  }
}

/* Pushes the callers of a function. If the total number of frames is near its maximum, pushes only
 * the innermost callers. */
static void push_some(struct callgrind_exact *exact, const struct callgrind_graph *graph,
                      const struct callgrind_function *f, size_t *depth) {
  size_t deepest = exact->deepest, named = exact->contexts->items[f->context].depth;
  bool many = named > MAX_LATE && deepest > MAX_LATE && named > exact->frames_left / f->cost_count;
  if (many) exact->deepest = MAX_LATE;
  push_callers(exact, graph, f->context, depth);
  exact->deepest = deepest;
  if (many) push_truncated(exact, depth);
  uint64_t frames = (uint64_t)*depth * f->cost_count;
  exact->frames_left -= frames < exact->frames_left ? frames : exact->frames_left;
}

static void exact_function(struct callgrind_exact *exact, const struct callgrind_graph *graph,
                           uint32_t function, const struct label *labels, size_t label_count) {
  const struct callgrind_function *f = &graph->functions[function];
  size_t depth = 0;
  if (f->first_cost == NONE) return;
  exact_push(exact, &depth, NONE);
  if (builder_ok(exact->builder)) push_some(exact, graph, f, &depth);
  for (uint32_t c = f->first_cost; c != NONE && builder_ok(exact->builder);
       c = graph->costs[c].next) {
    const int64_t *values = callgrind_cost_values(graph, c);
    if (values_are_zero(values, graph->types)) continue;
    exact->stack[0] = callgrind_location(graph, exact->builder, function, &graph->costs[c].place);
    pprofc_builder_sample(exact->builder, exact->stack, depth, values);
    for (size_t i = 0; i < label_count; i++) builder_add_label(exact->builder, &labels[i]);
  }
}

void callgrind_exact_samples(struct callgrind_exact *exact, const struct callgrind_graph *graph,
                             const struct label *labels, size_t label_count) {
  exact_enter(exact, graph);
  for (uint32_t f = 0; f < graph->function_count && builder_ok(exact->builder); f++)
    exact_function(exact, graph, f, labels, label_count);
  if (builder_ok(exact->builder)) exact_leave(exact, graph);
}
