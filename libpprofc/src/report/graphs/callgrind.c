/* The report callgrind: what KCachegrind reads (21.9). */
#include "report/labels.h"
#include "unit/unit.h"

#include <stdio.h>

/* All nodes with one file and name; readers of the format would take them for one function. */
struct namesake {
  uint32_t file, name; /* text ids */
  uint32_t count;
};

/* The function of one or more nodes, and its number among the functions with the same file and
 * name. */
struct function_node {
  uint32_t parent, object; /* the caller in a call tree */
  int64_t start_line, column;
  uint32_t namesake, index;
};

struct callgrind {
  struct report *report;
  struct graph graph;
  struct output *out;
  struct arena arena;
  struct interner objects, files,
      names; /* texts that are printed already; the number of a text is its id + 1 */
  struct namesake *namesakes;
  struct function_node *functions;
  size_t namesake_count, function_count; /* room is for one per shown node */
  struct map namesake_map, function_map;
  uint32_t *function_of; /* by node: index of its function, NONE for those not shown */
  const struct node_info *previous;
  bool failed; /* out of memory */
};

static const struct node_info *callgrind_info_of(const struct callgrind *c, uint32_t node) {
  return &c->graph.frames.infos[c->graph.nodes[node].info];
}

static pprofc_str text_of(const struct callgrind *c, uint32_t text) {
  return c->graph.frames.texts.items[text];
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
  /* A frame with neither address nor line is its own function, also when it has a column. */
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
                             column, namesake,     c->namesakes[namesake].count++};
  return i;
}

static bool find_functions(struct callgrind *c) {
  const struct graph *g = &c->graph;
  c->namesakes = arena_array(&c->arena, g->shown_count, sizeof *c->namesakes);
  c->functions = arena_array(&c->arena, g->shown_count, sizeof *c->functions);
  c->function_of = arena_array(&c->arena, g->node_count, sizeof *c->function_of);
  if (!c->namesakes || !c->functions || !c->function_of) return false;
  memset(c->function_of, 0xFF, g->node_count * sizeof *c->function_of);
  for (size_t i = 0; i < g->shown_count; i++)
    if ((c->function_of[g->shown[i]] = callgrind_find_function(c, g->shown[i])) == NONE)
      return false;
  return true;
}

/* ---- printing ---------------------------------------- */

/* "fn=(1) name" the first time, "fn=(1)" later, "fn=" for an empty name. */
static void print_name(struct callgrind *c, const char *tag, struct interner *printed,
                       pprofc_str name) {
  output_add_text(c->out, tag);
  if (name.size) {
    size_t before = printed->count;
    uint32_t id = interner_copy(printed, &c->arena, name);
    if (id == MAP_NONE) c->failed = true;
    output_printf(c->out, "(%u)", id + 1);
    if (printed->count > before) {
      output_add_char(c->out, ' ');
      report_text(c->out, c->report->mem, name);
    }
  }
  output_add_char(c->out, '\n');
}

/* The name of a called function, with a number where several functions share file and name. Nodes
 * that are not shown have none. */
static void print_callee(struct callgrind *c, uint32_t node) {
  pprofc_str name = STR("");
  struct buffer buffer;
  buffer_init(&buffer, c->report->mem, SIZE_MAX);
  if (c->function_of[node] != NONE) {
    const struct function_node *f = &c->functions[c->function_of[node]];
    const struct namesake *same = &c->namesakes[f->namesake];
    name = text_of(c, same->name);
    if (same->count > 1) {
      buffer_add_str(&buffer, name);
      buffer_printf(&buffer, " [%u/%u]", f->index + 1, same->count);
      name = buffer_str(&buffer);
      if (buffer.failed) c->failed = true;
    }
  }
  print_name(c, "cfn=", &c->names, name);
  buffer_free(&buffer);
}

/* An address; relative to the address of the previous node where that is shorter. */
static void print_address(const struct callgrind *c, uint64_t address) {
  char absolute[32], relative[32];
  int absolute_size = snprintf(absolute, sizeof absolute, "0x%llx", (unsigned long long)address);
  if (c->previous && c->previous->place->address == address) {
    output_add_char(c->out, '*');
    return;
  }
  if (c->previous) {
    int64_t distance = (int64_t)(address - c->previous->place->address);
    int size = snprintf(relative, sizeof relative, "%+lld", (long long)distance);
    if (size < absolute_size) {
      output_add(c->out, relative, (size_t)size);
      return;
    }
  }
  output_add(c->out, absolute, (size_t)absolute_size);
}

static int64_t callgrind_converted(const struct callgrind *c, int64_t value) {
  const struct report *r = c->report;
  return number_from_double(unit_scale(value, r->result.sample_unit, r->output_unit).value);
}

static void print_call(struct callgrind *c, const struct graph_edge *e) {
  const struct node_info *callee = callgrind_info_of(c, e->target);
  print_name(c, "cfl=", &c->files, text_of(c, callee->file));
  print_callee(c, e->target);
  output_add_text(c->out, "calls=0 ");
  print_address(c, callee->place->address);
  output_printf(c->out, " %lld\n* * %lld\n", (long long)callee->place->line,
                (long long)callgrind_converted(c, e->weight));
}

static void callgrind_print_node(struct callgrind *c, uint32_t node) {
  const struct graph *g = &c->graph;
  const struct node_info *info = callgrind_info_of(c, node), *before = c->previous;
  if (!before || before->object != info->object || before->file != info->file ||
      before->name != info->name) {
    output_add_char(c->out, '\n');
    print_name(c, "ob=", &c->objects, text_of(c, info->object));
    print_name(c, "fl=", &c->files, text_of(c, info->file));
    print_name(c, "fn=", &c->names, text_of(c, info->name));
  }
  print_address(c, info->place->address);
  output_printf(c->out, " %lld %lld\n", (long long)info->place->line,
                (long long)callgrind_converted(c, node_flat(&g->nodes[node])));
  for (uint32_t i = g->out_from[node]; i < g->out_from[node + 1]; i++)
    print_call(c, &g->edges[g->out[i]]);
  c->previous = info;
}

static void callgrind_print_all(struct callgrind *c) {
  output_add_text(c->out, "positions: instr line\nevents: ");
  report_text(c->out, c->report->mem, c->report->result.type);
  output_add_char(c->out, '(');
  output_add_str(c->out, c->report->output_unit);
  output_add_text(c->out, ")\n");
  for (size_t i = 0; i < c->graph.shown_count; i++) callgrind_print_node(c, c->graph.shown[i]);
}

pprofc_status report_callgrind(struct report *report, struct output *out, pprofc_error *error) {
  const unsigned wanted =
      PIPELINE_EDGES | PIPELINE_CALL_TREE | PIPELINE_OBJECTS | PIPELINE_INTEGERS;
  struct callgrind c = {.report = report, .out = out};
  arena_init(&c.arena, report->mem);
  interner_init(&c.objects, report->mem);
  interner_init(&c.files, report->mem);
  interner_init(&c.names, report->mem);
  map_init(&c.namesake_map, report->mem);
  map_init(&c.function_map, report->mem);
  pprofc_status status =
      pipeline_graph(&report->result, wanted, &c.graph, &report->output_unit, error);
  if (!status && !find_functions(&c)) status = error_nomem(error);
  if (!status) {
    callgrind_print_all(&c);
    if (c.failed) status = error_nomem(error);
  }
  graph_free(&c.graph);
  map_free(&c.function_map);
  map_free(&c.namesake_map);
  interner_free(&c.names);
  interner_free(&c.files);
  interner_free(&c.objects);
  arena_free(&c.arena);
  return status;
}
