/* Reads V8's log (node --prof) in the form that `node --prof-process --preprocess` writes: code,
 * and ticks with stacks. */
#include "import/json/call_tree.h"
#include "import/json/json.h"

#include <stdio.h>
#include <stdlib.h>

struct v8_tick {
  int64_t at; /* time of the tick in microseconds */
  size_t order;
  const struct node *json;
};

/* Value of a tick's `vm` while V8 collects garbage. */
#define V8_STATE_GC 1

struct v8_log {
  pprofc_builder *builder;
  const struct node *code;
  uint32_t *locations; /* location of each entry of the code table */
  struct json_stack stack;
};

/* ---- code -------------------------------------------- */

static uint32_t v8_named(struct v8_log *log, const char *prefix, pprofc_str name) {
  char text[1024];
  int size =
      snprintf(text, sizeof text, "%s%.*s", prefix, STR_ARG(str_slice(name, 0, sizeof text - 64)));
  return json_plain_frame(log->builder, (pprofc_str){text, (size_t)size}, STR(""), 0, 0);
}

/* Adds the location of a symbol in a library: "T node::Start(int, char**)". Shows the name without
 * arguments. */
static uint32_t v8_cpp_frame(struct v8_log *log, pprofc_str name) {
  size_t at = 0;
  while (at + 1 < name.size && !((name.data[at] | 32) == 't' && name.data[at + 1] == ' ')) at++;
  if (at + 1 >= name.size) return v8_named(log, "", name);
  pprofc_str symbol = str_slice(name, at + 2, name.size);
  size_t end = 0;
  while (end < symbol.size && symbol.data[end] != '(' && symbol.data[end] != '<') end++;
  return v8_named(log, "(c++) ", str_slice(symbol, 0, end));
}

/* Removes ":NUMBER" from the end of the text. Returns false if the text does not end with a
 * number. */
static bool v8_take_number(pprofc_str *text, int64_t *number) {
  size_t colon = str_find_last_char(*text, ':');
  if (colon >= text->size) return false;
  if (!str_parse_int(str_slice(*text, colon + 1, text->size), 10, number)) return false;
  *text = str_slice(*text, 0, colon);
  return true;
}

/* Adds the location of "fib /app/fib.js:1:13": function, file, line and column. */
static uint32_t v8_js_frame(struct v8_log *log, pprofc_str name) {
  pprofc_str place = name;
  int64_t line, column;
  size_t blank = str_find_char(name, ' ');
  if (blank >= name.size || !v8_take_number(&place, &column) || !v8_take_number(&place, &line) ||
      place.size <= blank)
    return v8_named(log, "", name);
  pprofc_str file = str_slice(place, blank + 1, place.size);
  return json_script_frame(log->builder, str_slice(name, 0, blank), file, line, column);
}

static const struct {
  const char *kind, *prefix;
} code_kinds[] = {
    {"LoadIC", "(IC) "},      {"StoreIC", "(IC) "},      {"KeyedStoreIC", "(IC) "},
    {"KeyedLoadIC", "(IC) "}, {"LoadGlobalIC", "(IC) "}, {"Handler", "(IC) "},
    {"Stub", "(stub) "},      {"Builtin", "(builtin) "}, {"BytecodeHandler", "(bytecode) ~"},
    {"RegExp", "(regexp) "},
};

static uint32_t v8_code_frame(struct v8_log *log, const struct node *code) {
  pprofc_str type = node_text(code, "type"), name = node_text(code, "name");
  /* A name has quotes if Node before version 10 wrote the log and a later version converted it. */
  if (name.size > 1 && str_starts(name, STR("\"")) && str_ends(name, STR("\"")))
    name = str_slice(name, 1, name.size - 1);
  pprofc_str kind = node_text(code, "kind");
  if (!type.size) return v8_named(log, "(unknown type)", STR(""));
  if (str_equal(type, STR("CPP"))) return v8_cpp_frame(log, name);
  if (str_equal(type, STR("SHARED_LIB"))) return v8_named(log, "(LIB) ", name);
  if (str_equal(type, STR("JS"))) return v8_js_frame(log, name);
  if (!str_equal(type, STR("CODE"))) {
    char prefix[64];
    snprintf(prefix, sizeof prefix, "(%.*s) ", STR_ARG(str_slice(type, 0, 40)));
    return v8_named(log, prefix, name);
  }
  const char *prefix = "";
  for (size_t i = 0; i < sizeof code_kinds / sizeof *code_kinds; i++)
    if (str_equal(kind, str_of(code_kinds[i].kind))) prefix = code_kinds[i].prefix;
  return v8_named(log, prefix, name);
}

/* ---- ticks ------------------------------------------- */

/* Returns the location for an index in the code table. An index beyond the table is an address. */
static uint32_t v8_location(struct v8_log *log, int64_t index) {
  size_t count = node_size(log->code);
  char address[32];
  if ((uint64_t)index > count) {
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)index);
    return v8_named(log, address, STR(""));
  }
  if ((size_t)index == count) return v8_named(log, "(unknown type)", STR(""));
  uint32_t *location = &log->locations[index];
  if (*location == PPROFC_NONE) *location = v8_code_frame(log, node_at(log->code, (size_t)index));
  return *location;
}

/* Reads the stack of a tick: pairs of a code index and an offset, innermost first. The index is -1
 * for missing frames. Returns the depth. */
static size_t v8_tick_stack(struct v8_log *log, const struct node *stack) {
  size_t depth = 0, size = node_size(stack);
  if (!json_stack_reserve(&log->stack, log->builder, size / 2)) return 0;
  for (size_t i = size % 2; i + 1 < size; i += 2) {
    int64_t index;
    if (node_to_integer(node_at(stack, i), &index) && index >= 0)
      log->stack.frames[depth++] = v8_location(log, index);
  }
  return depth;
}

static int v8_tick_by_time(const void *a, const void *b) {
  const struct v8_tick *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

/* Makes the stack of a tick without frames: "(garbage collector)" or "(program)", as in a
 * .cpuprofile. Returns the depth. */
static size_t v8_tick_outside(struct v8_log *log, const struct node *tick) {
  int64_t state = json_cost(log->builder, node_get(tick, "vm"));
  if (!json_stack_reserve(&log->stack, log->builder, 1)) return 0;
  log->stack.frames[0] =
      v8_named(log, state == V8_STATE_GC ? "(garbage collector)" : "(program)", STR(""));
  return 1;
}

/* Adds the ticks as samples. A tick counts for the time since the previous tick. */
static void v8_add_log_ticks(struct v8_log *log, struct v8_tick *ticks, size_t count) {
  int64_t before = 0;
  size_t missing = 0;
  for (size_t i = 0; i < count && builder_ok(log->builder); i++) {
    int64_t passed = ticks[i].at > before ? ticks[i].at - before : 0;
    int64_t values[2] = {1, passed < INT64_MAX / 1000 ? passed * 1000 : 0};
    before = ticks[i].at;
    const struct node *stack = node_get(ticks[i].json, "s");
    if (!node_is(stack, NODE_ARRAY)) {
      missing++;
      continue;
    }
    size_t depth = v8_tick_stack(log, stack);
    if (!depth) depth = v8_tick_outside(log, ticks[i].json);
    if (depth) pprofc_builder_sample(log->builder, log->stack.frames, depth, values);
  }
  const struct import_loss losses[] = {{missing, "tick has no stack", "ticks have no stack"}, {0}};
  import_account(log->builder, count - missing, "ticks", losses);
}

JSON_SHAPE(json_v8_log) {
  const struct node *ticks = node_get(root, "ticks");
  struct v8_log log = {.builder = builder, .code = node_get(root, "code")};
  if (!node_is(ticks, NODE_ARRAY) || !node_is(log.code, NODE_ARRAY) || !node_get(root, "functions"))
    return PPROFC_E_NO_MATCH;
  size_t count = node_size(ticks);
  struct v8_tick *sorted = arena_array(arena, count, sizeof *sorted);
  log.locations = arena_array(arena, node_size(log.code), sizeof *log.locations);
  log.stack.arena = arena;
  if (!sorted || !log.locations) return error_nomem(error);
  memset(log.locations, 0xFF, node_size(log.code) * sizeof *log.locations);
  for (size_t i = 0; i < count; i++) {
    const struct node *tick = node_at(ticks, i);
    int64_t at = json_cost(builder, node_get(tick, "tm"));
    sorted[i] = (struct v8_tick){at < 0 ? 0 : at, i, tick};
  }
  if (count) qsort(sorted, count, sizeof *sorted, v8_tick_by_time);
  pprofc_builder_type(builder, "samples", "count");
  pprofc_builder_type(builder, "wall", "nanoseconds");
  pprofc_builder_period(builder, "wall", "nanoseconds", 0);
  v8_add_log_ticks(&log, sorted, count);
  return PPROFC_OK;
}
