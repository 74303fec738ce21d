/* The callgrind report, for KCachegrind (21.9). */
#include "core/budget.h"
#include "report/graphs/callgrind_text.h"
#include "report/labels.h"
#include "unit/unit.h"

/* Nodes with one file and name. Readers of the format would take them for one function. */
struct namesake {
  uint32_t file, name; /* text ids */
  uint32_t count;
};

/* The function of one or more nodes. Functions with the same file and name are numbered. */
struct function_node {
  uint32_t parent, object; /* index of the caller in a call tree */
  int64_t start_line, column;
  uint32_t namesake, index;
  uint32_t number; /* number of its name with the index; 0 before it is printed */
};

struct callgrind {
  struct report *report;
  struct graph graph;
  struct output *out;
  struct arena arena;
  struct callgrind_texts objects, files, names;
  struct callgrind_callee *callees; /* by node */
  struct unit_factors factors;
  bool has_factors; /* false if the unit depends on the value */
  uint64_t touched; /* means nothing */
  struct namesake *namesakes;
  struct function_node *functions;
  size_t namesake_count, function_count; /* room is for one per shown node */
  struct map namesake_map, function_map;
  uint32_t
      *function_of; /* [nodes] index of the node's function, NONE for nodes that are not shown */
  const struct node_info *previous;
  bool failed; /* out of memory */
};

static const struct node_info *callgrind_info_of(const struct callgrind *c, uint32_t node) {
  return &c->graph.frames.infos[c->graph.nodes[node].info];
}

static pprofc_str text_of(const struct callgrind *c, uint32_t text) {
  return c->graph.frames.texts.items[text];
}

/* Nodes are printed by weight, not in memory order, so each access misses the cache. The code
 * reads a node's data some nodes in advance, one level of pointers after the other, so that the
 * misses overlap. Prefetch instructions do not help, because a TLB miss drops them. */
#define FAR  16
#define NEAR 8

static void callgrind_touch_info(struct callgrind *c, size_t i) {
  const struct graph *g = &c->graph;
  if (i + FAR >= g->shown_count) return;
  const struct node_place *place = callgrind_info_of(c, g->shown[i + NEAR / 2])->place;
  c->touched = g->nodes[g->shown[i + FAR]].info + callgrind_info_of(c, g->shown[i + NEAR])->name +
               place->address;
}

/* ---- functions with the same name -------------------- */

static uint32_t find_namesake(struct callgrind *c, const struct node_info *info) {
  uint64_t hash = hash_mix(info->file, info->name);
  struct map_probe probe = map_start(&c->namesake_map, hash);
  uint32_t i;
  while ((i = map_next(&c->namesake_map, &probe)) != MAP_NONE)
    if (c->namesakes[i].file == info->file && c->namesakes[i].name == info->name) return i;
  i = (uint32_t)c->namesake_count;
  if (!map_insert(&c->namesake_map, hash, i)) return NONE;
  c->namesakes[c->namesake_count++] = (struct namesake){info->file, info->name, 0};
  return i;
}

static uint32_t callgrind_find_function(struct callgrind *c, uint32_t node) {
  const struct node_info *info = callgrind_info_of(c, node);
  uint32_t namesake = find_namesake(c, info), parent = c->graph.nodes[node].parent, i;
  if (namesake == NONE) return NONE;
  /* A frame with neither address nor line is a function of its own, even if it has a column. */
  int64_t column = info->place->address == 0 && info->place->line == 0 ? info->place->column : 0;
  uint64_t hash = hash_mix(hash_mix(hash_mix(namesake, parent), info->object), (uint64_t)column);
  hash = hash_mix(hash, (uint64_t)info->place->start_line);
  struct map_probe probe = map_start(&c->function_map, hash);
  while ((i = map_next(&c->function_map, &probe)) != MAP_NONE) {
    const struct function_node *f = &c->functions[i];
    if (f->namesake == namesake && f->parent == parent && f->object == info->object &&
        f->start_line == info->place->start_line && f->column == column)
      return i;
  }
  i = (uint32_t)c->function_count;
  if (!map_insert(&c->function_map, hash, i)) return NONE;
  c->functions[c->function_count++] =
      (struct function_node){parent, info->object, info->place->start_line,
                             column, namesake,     c->namesakes[namesake].count++,
                             0};
  return i;
}

static bool find_functions(struct callgrind *c) {
  const struct graph *g = &c->graph;
  c->namesakes = arena_array(&c->arena, g->shown_count, sizeof *c->namesakes);
  c->functions = arena_array(&c->arena, g->shown_count, sizeof *c->functions);
  c->function_of = arena_array(&c->arena, g->node_count, sizeof *c->function_of);
  if (!c->namesakes || !c->functions || !c->function_of) return false;
  memset(c->function_of, 0xFF, g->node_count * sizeof *c->function_of);
  for (size_t i = 0; i < g->shown_count; i++) {
    callgrind_touch_info(c, i);
    if (budget_poll(c->arena.mem, i)) return false;
    uint32_t found = c->function_of[g->shown[i]] = callgrind_find_function(c, g->shown[i]);
    if (found == NONE) return false;
  }
  return true;
}

/* ---- values ------------------------------------------ */

static int64_t callgrind_converted(const struct callgrind *c, int64_t value) {
  const struct report *r = c->report;
  if (c->has_factors) return number_from_double((double)value * c->factors.from / c->factors.to);
  return number_from_double(unit_scale(value, r->result.sample_unit, r->output_unit).value);
}

static struct callgrind_spot callgrind_spot_of(const struct callgrind *c, uint64_t address) {
  struct callgrind_spot at = {.address = address, .has_before = c->previous != NULL};
  if (c->previous) at.before = c->previous->place->address;
  return at;
}

/* ---- calls ------------------------------------------- */

/* Prints the name of a called function, with a number if several functions share file and name.
 * Nodes that are not shown have no name. Returns the number of the name. */
static uint32_t print_callee(struct callgrind *c, uint32_t node) {
  if (c->function_of[node] == NONE) return callgrind_put_name(&c->names, c->out, "cfn=", STR(""));
  struct function_node *f = &c->functions[c->function_of[node]];
  const struct namesake *same = &c->namesakes[f->namesake];
  pprofc_str name = text_of(c, same->name);
  if (same->count == 1) return callgrind_put_text(&c->names, c->out, "cfn=", same->name, name);
  if (f->number) {
    callgrind_put_number(c->out, "cfn=", f->number);
    return f->number;
  }
  struct buffer buffer;
  buffer_init(&buffer, c->report->mem, SIZE_MAX);
  buffer_add_str(&buffer, name);
  buffer_printf(&buffer, " [%u/%u]", f->index + 1, same->count);
  f->number = callgrind_put_name(&c->names, c->out, "cfn=", buffer_str(&buffer));
  if (buffer.failed) c->failed = true;
  buffer_free(&buffer);
  return f->number;
}

/* Prints calls that need the slow path: functions that share a name, large line numbers, hidden
 * nodes. */
static void print_other_call(struct callgrind *c, uint32_t target, int64_t value) {
  const struct node_info *info = callgrind_info_of(c, target);
  struct callgrind_spot at = callgrind_spot_of(c, info->place->address);
  uint32_t file = callgrind_put_text(&c->files, c->out, "cfl=", info->file, text_of(c, info->file));
  uint32_t name = print_callee(c, target);
  int64_t line = info->place->line;
  callgrind_put_call_cost(c->out, &at, line, value);
  if (line != (int32_t)line) return;
  c->callees[target] =
      (struct callgrind_callee){at.address, file, name, (int32_t)line, CALLEE_NUMBERS};
}

static void print_call(struct callgrind *c, uint32_t target, int64_t weight) {
  struct callgrind_callee *callee = &c->callees[target];
  int64_t value = callgrind_converted(c, weight);
  if (callee->state == CALLEE_OTHER) {
    print_other_call(c, target, value);
    return;
  }
  struct callgrind_spot at = callgrind_spot_of(c, callee->address);
  if (callee->state == CALLEE_NUMBERS) {
    callgrind_put_call(c->out, callee, &at, value);
    return;
  }
  uint32_t file = callee->file, name = callee->name;
  callee->file = callgrind_put_text(&c->files, c->out, "cfl=", file, text_of(c, file));
  callee->name = callgrind_put_text(&c->names, c->out, "cfn=", name, text_of(c, name));
  callgrind_put_call_cost(c->out, &at, callee->line, value);
  callee->state = CALLEE_NUMBERS;
}

/* Collects the texts of the callees in memory order, because reading them in the order of calls
 * waits for each pointer. */
static void callgrind_note_callees(struct callgrind *c) {
  for (size_t i = 0; i < c->graph.node_count; i++) {
    uint32_t function = c->function_of[i];
    if (function == NONE || c->namesakes[c->functions[function].namesake].count > 1) continue;
    const struct node_info *info = callgrind_info_of(c, (uint32_t)i);
    int64_t line = info->place->line;
    if (line != (int32_t)line) continue;
    c->callees[i] = (struct callgrind_callee){info->place->address, info->file, info->name,
                                              (int32_t)line, CALLEE_TEXTS};
  }
}

#define AHEAD 16 /* number of calls by which callees are read in advance */

/* Reads the calls of nodes that follow soon, and the callees of the next node, in advance. */
static void callgrind_touch_calls(struct callgrind *c, size_t i) {
  const struct graph *g = &c->graph;
  if (!g->calls || i + FAR >= g->shown_count) return;
  struct graph_call_list soon = g->call_lists[g->shown[i + NEAR]],
                         next = g->call_lists[g->shown[i + 1]];
  uint64_t touched = g->call_lists[g->shown[i + FAR]].count;
  for (uint32_t k = 0; k < soon.count && k < 2 * AHEAD; k += 4)
    touched += g->calls[soon.from + k].target;
  for (uint32_t k = 0; k < next.count && k < AHEAD; k++)
    __builtin_prefetch(&c->callees[g->calls[next.from + k].target]);
  c->touched = touched;
}

static void callgrind_print_calls(struct callgrind *c, uint32_t node) {
  const struct graph *g = &c->graph;
  if (!g->calls) {
    for (uint32_t i = g->out_from[node]; i < g->out_from[node + 1]; i++)
      print_call(c, g->edges[g->out[i]].target, g->edges[g->out[i]].weight);
    return;
  }
  const struct graph_call *calls = g->calls + g->call_lists[node].from;
  uint32_t count = g->call_lists[node].count;
  for (uint32_t i = 0; i < count; i++) {
    if (i + AHEAD < count) __builtin_prefetch(&c->callees[calls[i + AHEAD].target]);
    print_call(c, calls[i].target, calls[i].weight);
  }
}

/* ---- printing ---------------------------------------- */

static void callgrind_print_node(struct callgrind *c, uint32_t node) {
  const struct node_info *info = callgrind_info_of(c, node), *before = c->previous;
  if (!before || before->object != info->object || before->file != info->file ||
      before->name != info->name) {
    output_add_char(c->out, '\n');
    callgrind_put_text(&c->objects, c->out, "ob=", info->object, text_of(c, info->object));
    callgrind_put_text(&c->files, c->out, "fl=", info->file, text_of(c, info->file));
    callgrind_put_text(&c->names, c->out, "fn=", info->name, text_of(c, info->name));
  }
  struct callgrind_spot at = callgrind_spot_of(c, info->place->address);
  callgrind_put_cost(c->out, &at, info->place->line,
                     callgrind_converted(c, node_flat(&c->graph.nodes[node])));
  callgrind_print_calls(c, node);
  c->previous = info;
}

static void callgrind_print_all(struct callgrind *c) {
  output_add_text(c->out, "positions: instr line\nevents: ");
  report_text(c->out, c->report->mem, c->report->result.type);
  output_add_char(c->out, '(');
  output_add_str(c->out, c->report->output_unit);
  output_add_text(c->out, ")\n");
  for (size_t i = 0; i < c->graph.shown_count && !c->out->failed; i++) {
    callgrind_touch_info(c, i);
    callgrind_touch_calls(c, i);
    callgrind_print_node(c, c->graph.shown[i]);
  }
}

/* Prepares the tables for printing; false when out of memory. */
static bool callgrind_prepare(struct callgrind *c) {
  size_t texts = c->graph.frames.texts.count;
  c->has_factors =
      unit_factors_of(c->report->result.sample_unit, c->report->output_unit, &c->factors);
  c->callees = arena_zero_array(&c->arena, c->graph.node_count, sizeof *c->callees);
  return c->callees && callgrind_texts_init(&c->objects, texts, &c->arena) &&
         callgrind_texts_init(&c->files, texts, &c->arena) &&
         callgrind_texts_init(&c->names, texts, &c->arena) && find_functions(c);
}

pprofc_status report_callgrind(struct report *report, struct output *out, pprofc_error *error) {
  const unsigned wanted =
      PIPELINE_EDGES | PIPELINE_CALLS | PIPELINE_CALL_TREE | PIPELINE_OBJECTS | PIPELINE_INTEGERS;
  struct callgrind c = {.report = report, .out = out};
  arena_init(&c.arena, report->mem);
  map_init(&c.namesake_map, report->mem);
  map_init(&c.function_map, report->mem);
  pprofc_status status =
      pipeline_graph(&report->result, wanted, &c.graph, &report->output_unit, error);
  if (!status && !callgrind_prepare(&c)) status = error_nomem(error);
  if (!status) {
    callgrind_note_callees(&c);
    callgrind_print_all(&c);
    if (c.failed || c.objects.failed || c.files.failed || c.names.failed)
      status = error_nomem(error);
  }
  graph_free(&c.graph);
  map_free(&c.function_map);
  map_free(&c.namesake_map);
  callgrind_texts_free(&c.names);
  callgrind_texts_free(&c.files);
  callgrind_texts_free(&c.objects);
  arena_free(&c.arena);
  return status;
}
