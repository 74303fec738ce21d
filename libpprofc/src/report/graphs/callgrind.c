/* Prints the report callgrind, which KCachegrind reads (docs/spec/pprof.md, 21.9). */
#include "report/report.h"

/* Names of one kind: functions, files or object files. In the output, a name has a number: its
 * interner id plus 1. */
struct callgrind_texts {
  struct interner printed;
  struct arena *arena;
  uint32_t *number; /* for each text of the graph, its number in the output; 0 if it was not printed
                       yet */
  bool failed;      /* true if memory ran out */
};

enum { CALLGRIND_OBJECTS, CALLGRIND_FILES, CALLGRIND_NAMES, CALLGRIND_TEXTS };

/* Addresses of the current and the previous line of the output. */
struct callgrind_spot {
  uint64_t address, before;
  bool has_before;
};

/* ---- names ------------------------------------------- */

/* Appends the tag, such as "fn=", and the number of a name that was printed before: "fn=(1)". The
 * number 0 means an empty name, and gives only the tag. */
static void callgrind_put_number(struct output *out, const char *tag, uint32_t number) {
  output_add_text(out, tag);
  if (number) {
    output_add_char(out, '(');
    output_add_uint(out, number);
    output_add_char(out, ')');
  }
  output_add_char(out, '\n');
}

/* Writes a name. Its first use is "fn=(1) name", and later uses are "fn=(1)". An empty name is
 * "fn=". Returns the number of the name, which is 0 for an empty name. */
static uint32_t callgrind_put_name(struct callgrind_texts *names, struct output *out,
                                   const char *tag, pprofc_str name) {
  if (!name.size) {
    callgrind_put_number(out, tag, 0);
    return 0;
  }
  size_t before = names->printed.count;
  uint32_t id = interner_copy(&names->printed, names->arena, name);
  if (id == MAP_NONE) {
    names->failed = true;
    return 0;
  }
  if (names->printed.count == before) {
    callgrind_put_number(out, tag, id + 1);
    return id + 1;
  }
  output_printf(out, "%s(%u) ", tag, id + 1);
  report_text(out, names->arena->mem, name);
  output_add_char(out, '\n');
  return id + 1;
}

/* Does the same as callgrind_put_name for the text `text` (an id) of the graph. Stores the number
 * of the name for the next call with this id. */
static uint32_t callgrind_put_text(struct callgrind_texts *names, struct output *out,
                                   const char *tag, uint32_t text, pprofc_str name) {
  if (names->number[text])
    callgrind_put_number(out, tag, names->number[text]);
  else
    names->number[text] = callgrind_put_name(names, out, tag, name);
  return names->number[text];
}

/* ---- positions --------------------------------------- */

/* Returns an address as text: "*" for the previous address, else the shorter of the address and its
 * distance from the previous address. */
static pprofc_str callgrind_address(const struct callgrind_spot *at, char text[32]) {
  char relative[32];
  int64_t distance = (int64_t)(at->address - at->before);
  if (at->has_before && !distance) return STR("*");
  int size = snprintf(text, 32, "0x%" PRIx64, at->address);
  int shorter = at->has_before ? snprintf(relative, sizeof relative, "%+" PRId64, distance) : size;
  if (shorter >= size) return (pprofc_str){text, (size_t)size};
  memcpy(text, relative, (size_t)shorter);
  return (pprofc_str){text, (size_t)shorter};
}

/* Appends an address, a line and a value: "0x4010 12 700". */
static void callgrind_put_cost(struct output *out, const struct callgrind_spot *at, int64_t line,
                               int64_t value) {
  char text[32];
  output_add_str(out, callgrind_address(at, text));
  output_add_char(out, ' ');
  output_add_int(out, line);
  output_add_char(out, ' ');
  output_add_int(out, value);
  output_add_char(out, '\n');
}

/* Appends two lines about a call. The first has the number of calls and the position of the callee:
 * "calls=1 0x4010 12". The second has the cost: "* * 700". */
static void callgrind_put_call(struct output *out, const struct callgrind_spot *at, int64_t line,
                               int64_t value, int calls) {
  char text[32];
  output_add_text(out, "calls=");
  output_add_int(out, calls);
  output_add_char(out, ' ');
  output_add_str(out, callgrind_address(at, text));
  output_add_char(out, ' ');
  output_add_int(out, line);
  output_add_text(out, "\n* * ");
  output_add_int(out, value);
  output_add_char(out, '\n');
}

/* ---- the report -------------------------------------- */

/* A file and a name that several functions may have. The report adds numbers to the names of such
 * functions, because readers of the format would otherwise join the functions. */
struct namesake {
  uint32_t file, name; /* text id of the file, and of the name */
  uint32_t count;
};

/* A function, which has one or more nodes of the graph. If several functions have the same file and
 * name, `index` distinguishes them. */
struct function_node {
  uint32_t parent, object; /* node of the caller (in a call tree), and text id of the object file */
  int64_t start_line, column;
  uint32_t namesake, index;
  uint32_t number; /* number of the name in the output; 0 if it was not printed yet */
};

/* The fields of a node that the lines about calls of this node need. They are adjacent, because
 * large graphs have many calls. */
struct callee {
  uint64_t address;
  int64_t line;
  uint32_t file;     /* text id of the file */
  uint32_t function; /* index of the function, or NONE if the node is not shown */
};

struct callgrind {
  struct report *report;
  struct graph graph;
  struct output *out;
  struct arena arena;
  struct callgrind_texts texts[CALLGRIND_TEXTS];
  int calls; /* number of calls to write for each edge; pprof always writes 0 */
  struct namesake *namesakes;
  struct function_node *functions;
  /* number of used elements in `namesakes`, and in `functions`; both arrays have space for one
   * element per shown node */
  size_t namesake_count, function_count;
  struct map namesake_map, function_map;
  struct callee *callees; /* array of node_count callees */
  const struct node_info *previous;
  bool failed; /* true if memory ran out */
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
  MAP_FIND(i, &c->namesake_map, hash,
           c->namesakes[i].file == info->file && c->namesakes[i].name == info->name);
  if (i != MAP_NONE) return i;
  i = (uint32_t)c->namesake_count;
  if (!map_insert(&c->namesake_map, hash, i)) return NONE;
  c->namesakes[c->namesake_count++] = (struct namesake){info->file, info->name, 0};
  return i;
}

static uint32_t callgrind_find_function(struct callgrind *c, uint32_t node) {
  const struct node_info *info = callgrind_info_of(c, node);
  uint32_t namesake = find_namesake(c, info), parent = c->graph.nodes[node].parent;
  if (namesake == NONE) return NONE;
  /* Frames without address and line are different functions if their columns differ. */
  int64_t column = info->place->address == 0 && info->place->line == 0 ? info->place->column : 0;
  uint64_t hash = hash_mix(hash_mix(hash_mix(namesake, parent), info->object), (uint64_t)column);
  hash = hash_mix(hash, (uint64_t)info->place->start_line);
  const struct function_node *f = c->functions;
  MAP_FIND(i, &c->function_map, hash,
           f[i].namesake == namesake && f[i].parent == parent && f[i].object == info->object &&
               f[i].start_line == info->place->start_line && f[i].column == column);
  if (i != MAP_NONE) return i;
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
  c->callees = arena_array(&c->arena, g->node_count, sizeof *c->callees);
  if (!c->namesakes || !c->functions || !c->callees) return false;
  for (uint32_t i = 0; i < g->node_count; i++) {
    const struct node_info *info = callgrind_info_of(c, i);
    c->callees[i] = (struct callee){info->place->address, info->place->line, info->file, NONE};
  }
  for (size_t i = 0; i < g->shown_count; i++) {
    if (budget_poll(c->arena.mem, i)) return false;
    uint32_t found = c->callees[g->shown[i]].function = callgrind_find_function(c, g->shown[i]);
    if (found == NONE) return false;
  }
  return true;
}

/* ---- values ------------------------------------------ */

static struct callgrind_spot callgrind_spot_of(const struct callgrind *c, uint64_t address) {
  struct callgrind_spot at = {.address = address, .has_before = c->previous != NULL};
  if (c->previous) at.before = c->previous->place->address;
  return at;
}

/* ---- calls ------------------------------------------- */

/* Prints the name of a called function. Adds a number to the name if several functions have the
 * same file and name. Prints an empty name for NONE. */
static void print_callee(struct callgrind *c, uint32_t function) {
  struct function_node *f = function == NONE ? NULL : &c->functions[function];
  if (!f || f->number) {
    callgrind_put_number(c->out, "cfn=", f ? f->number : 0);
    return;
  }
  const struct namesake *same = &c->namesakes[f->namesake];
  struct buffer name = buffer_make(c->report->mem, SIZE_MAX);
  buffer_add_str(&name, text_of(c, same->name));
  if (same->count > 1) buffer_printf(&name, " [%u/%u]", f->index + 1, same->count);
  f->number = callgrind_put_name(&c->texts[CALLGRIND_NAMES], c->out, "cfn=", buffer_str(&name));
  if (name.failed) c->failed = true;
  buffer_free(&name);
}

static void print_call(struct callgrind *c, const struct callee *callee, int64_t weight) {
  struct callgrind_spot at = callgrind_spot_of(c, callee->address);
  callgrind_put_text(&c->texts[CALLGRIND_FILES], c->out, "cfl=", callee->file,
                     text_of(c, callee->file));
  print_callee(c, callee->function);
  callgrind_put_call(c->out, &at, callee->line, report_converted(c->report, weight), c->calls);
}

/* Number of calls between the current call and the call whose edge is prefetched. */
#define CALLS_AHEAD 16

static void callgrind_print_calls(struct callgrind *c, uint32_t node) {
  const struct graph *g = &c->graph;
  for (uint32_t i = g->out_from[node]; i < g->out_from[node + 1]; i++) {
    if (i + CALLS_AHEAD < g->out_from[g->node_count])
      __builtin_prefetch(&g->edges[g->out[i + CALLS_AHEAD]]);
    print_call(c, &c->callees[g->edges[g->out[i]].target], g->edges[g->out[i]].weight);
  }
}

/* ---- printing ---------------------------------------- */

static void callgrind_print_node(struct callgrind *c, uint32_t node) {
  const struct node_info *info = callgrind_info_of(c, node), *before = c->previous;
  if (!before || before->object != info->object || before->file != info->file ||
      before->name != info->name) {
    output_add_char(c->out, '\n');
    callgrind_put_text(&c->texts[CALLGRIND_OBJECTS], c->out, "ob=", info->object,
                       text_of(c, info->object));
    callgrind_put_text(&c->texts[CALLGRIND_FILES], c->out, "fl=", info->file,
                       text_of(c, info->file));
    callgrind_put_text(&c->texts[CALLGRIND_NAMES], c->out, "fn=", info->name,
                       text_of(c, info->name));
  }
  struct callgrind_spot at = callgrind_spot_of(c, info->place->address);
  callgrind_put_cost(c->out, &at, info->place->line,
                     report_converted(c->report, node_flat(&c->graph.nodes[node])));
  callgrind_print_calls(c, node);
  c->previous = info;
}

static void callgrind_print_all(struct callgrind *c) {
  output_add_text(c->out, "positions: instr line\nevents: ");
  report_text(c->out, c->report->mem, c->report->result.type);
  output_add_char(c->out, '(');
  output_add_str(c->out, c->report->output_unit);
  output_add_text(c->out, ")\n");
  for (size_t i = 0; i < c->graph.shown_count && !c->out->failed; i++)
    callgrind_print_node(c, c->graph.shown[i]);
  for (int i = 0; i < CALLGRIND_TEXTS; i++) c->failed |= c->texts[i].failed;
}

static bool callgrind_prepare(struct callgrind *c) {
  for (int i = 0; i < CALLGRIND_TEXTS; i++) {
    struct callgrind_texts *t = &c->texts[i];
    t->number = arena_zero_array(&c->arena, c->graph.frames.texts.count, sizeof *t->number);
    if (!t->number) return false;
  }
  return find_functions(c);
}

pprofc_status report_callgrind(struct report *report, struct output *out, pprofc_error *error) {
  const unsigned wanted =
      PIPELINE_EDGES | PIPELINE_CALL_TREE | PIPELINE_OBJECTS | PIPELINE_INTEGERS;
  struct callgrind c = {.report = report, .out = out, .calls = report->options->calls};
  arena_init(&c.arena, report->mem);
  map_init(&c.namesake_map, report->mem);
  map_init(&c.function_map, report->mem);
  for (int i = 0; i < CALLGRIND_TEXTS; i++) {
    c.texts[i].arena = &c.arena;
    interner_init(&c.texts[i].printed, report->mem);
  }
  pprofc_status status =
      pipeline_graph(&report->result, wanted, &c.graph, &report->output_unit, error);
  if (!status && !callgrind_prepare(&c)) status = error_nomem(error);
  if (!status) {
    callgrind_print_all(&c);
    if (c.failed) status = error_nomem(error);
  }
  graph_free(&c.graph);
  map_free(&c.function_map);
  map_free(&c.namesake_map);
  for (int i = 0; i < CALLGRIND_TEXTS; i++) interner_free(&c.texts[i].printed);
  arena_free(&c.arena);
  return status;
}
