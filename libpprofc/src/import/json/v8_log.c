/* Reads V8's log (node --prof) in the form that `node --prof-process --preprocess` writes: code,
 * and ticks with stacks.
 *
 * A tree of the whole document would take many times its size. So this reader first splits the
 * document at brackets and commas, and then parses one item at a time. */
#include "import/json/json.h"

struct v8_tick {
  int64_t at; /* time of the tick in microseconds */
  uint32_t order;
  uint32_t path; /* call path of the tick, or MAP_NONE if the tick has no stack */
};

/* Sums of the ticks of a call path. */
struct v8_sum {
  int64_t ticks, time; /* number of ticks, and their time in microseconds */
};

/* An entry of V8's code table. */
struct v8_code {
  pprofc_str json;
  uint32_t location; /* location of the code, or PPROFC_NONE until a tick refers to it */
};

/* Value of a tick's `vm` while V8 collects garbage. */
#define V8_STATE_GC 1

struct v8_log {
  const pprofc_allocator *mem;
  pprofc_builder *builder;
  struct v8_code *code;
  size_t code_count, code_room;
  struct v8_tick *ticks;
  size_t tick_count, tick_room;
  struct json_stack stack;
  struct call_paths paths;
  bool broken; /* true if a part of the document is not valid JSON */
};

/* ---- text -------------------------------------------- */

/* Removes the text before the next comma or closing bracket from *rest, and returns the text
 * without blanks at its ends. Skips strings and nested values. */
static pprofc_str v8_take_value(pprofc_str *rest) {
  size_t depth = 0, at = 0;
  bool quoted = false;
  for (; at < rest->size; at++) {
    char c = rest->data[at];
    if (c == '"') quoted = !quoted;
    if (quoted) {
      at += c == '\\';
      continue;
    }
    bool closes = c == ']' || c == '}';
    if (!depth && (closes || c == ',')) break;
    depth += c == '[' || c == '{';
    depth -= closes;
  }
  pprofc_str value = str_trim(str_slice(*rest, 0, at));
  *rest = str_from(*rest, at);
  return value;
}

/* Removes the next item of an array or object from *rest, which begins with the opening bracket or
 * a comma. Returns false at the closing bracket, and if there is no item. */
static bool v8_next_item(pprofc_str *rest, pprofc_str *item) {
  if (!rest->size || rest->data[0] == '}' || rest->data[0] == ']') return false;
  *rest = str_from(*rest, 1);
  *item = v8_take_value(rest);
  return item->size > 0;
}

/* The members of the document that the reader needs, as text. */
struct v8_members {
  pprofc_str code, functions, ticks;
};

/* Returns the field of `members` for the member name at the start of `text`, or NULL. */
static pprofc_str *v8_member(struct v8_members *members, pprofc_str text) {
  if (str_starts(text, STR("\"code\""))) return &members->code;
  if (str_starts(text, STR("\"functions\""))) return &members->functions;
  return str_starts(text, STR("\"ticks\"")) ? &members->ticks : NULL;
}

/* Finds the members of a V8 log. Returns false for any other document. Quickly rejects a document
 * that begins with another member. */
static bool v8_log_split(pprofc_str text, struct v8_members *members) {
  pprofc_str member, *value;
  *members = (struct v8_members){STR(""), STR(""), STR("")};
  if (!v8_member(members, str_trim(str_from(text, 1)))) return false;
  while (v8_next_item(&text, &member))
    if ((value = v8_member(members, member)) && !value->size)
      *value = str_trim(str_from(member, str_find_char(member, ':') + 1));
  return str_starts(text, STR("}")) && members->functions.size &&
         str_starts(members->code, STR("[")) && str_starts(members->ticks, STR("["));
}

/* ---- code -------------------------------------------- */

static uint32_t v8_named(struct v8_log *log, const char *prefix, pprofc_str name) {
  char text[1024];
  int size =
      snprintf(text, sizeof text, "%s%.*s", prefix, STR_ARG(str_slice(name, 0, sizeof text - 64)));
  return json_plain_frame(log->builder, (pprofc_str){text, (size_t)size}, STR(""), 0);
}

/* Adds the location of a symbol in a library: "T node::Start(int, char**)". Shows the name without
 * arguments. */
static uint32_t v8_cpp_frame(struct v8_log *log, pprofc_str name) {
  size_t at = 0;
  while (at + 1 < name.size && !((name.data[at] | 32) == 't' && name.data[at + 1] == ' ')) at++;
  if (at + 1 >= name.size) return v8_named(log, "", name);
  pprofc_str symbol = str_from(name, at + 2);
  size_t end = 0;
  while (end < symbol.size && symbol.data[end] != '(' && symbol.data[end] != '<') end++;
  return v8_named(log, "(c++) ", str_slice(symbol, 0, end));
}

/* Adds the location of "fib /app/fib.js:1:13": function, file, line and column. */
static uint32_t v8_js_frame(struct v8_log *log, pprofc_str name) {
  pprofc_str place = name;
  int64_t line, column;
  size_t blank = str_find_char(name, ' ');
  if (blank >= name.size || !import_take_number(&place, &column) ||
      !import_take_number(&place, &line) || place.size <= blank)
    return v8_named(log, "", name);
  pprofc_str file = str_from(place, blank + 1);
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

/* Parses an item of the document. Returns NULL on failure. */
static const struct node *v8_parse(struct v8_log *log, struct arena *arena, pprofc_str json) {
  struct node *node = NULL;
  pprofc_error error;
  arena_init(arena, log->mem);
  pprofc_status status = json_tree_parse(arena, NULL, json, &node, &error);
  import_need(log->builder, status != PPROFC_E_NOMEM);
  log->broken |= status == PPROFC_E_FORMAT;
  return node;
}

/* Parses an entry of the code table and adds its location. */
static uint32_t v8_read_code(struct v8_log *log, pprofc_str json) {
  struct arena arena;
  const struct node *code = v8_parse(log, &arena, json);
  uint32_t location = v8_code_frame(log, code);
  arena_free(&arena);
  return location;
}

/* Splits the code table into its entries. */
static void v8_add_code(struct v8_log *log, pprofc_str code) {
  pprofc_str json;
  while (builder_ok(log->builder) && v8_next_item(&code, &json))
    import_need(log->builder, ARRAY_PUSH(log->mem, log->code, log->code_count, log->code_room,
                                         (struct v8_code){json, PPROFC_NONE}));
  log->broken |= !str_equal(code, STR("]"));
}

/* ---- ticks ------------------------------------------- */

/* Returns the location for an index in the code table. An index beyond the table is an address. */
static uint32_t v8_location(struct v8_log *log, int64_t index) {
  char address[32];
  if ((uint64_t)index > log->code_count) {
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)index);
    return v8_named(log, address, STR(""));
  }
  if ((size_t)index == log->code_count) return v8_named(log, "(unknown type)", STR(""));
  struct v8_code *code = &log->code[index];
  if (code->location == PPROFC_NONE) code->location = v8_read_code(log, code->json);
  return code->location;
}

/* Reads the stack of a tick: pairs of a code index and an offset, innermost first. The index is -1
 * for missing frames. Returns the depth. */
static size_t v8_tick_stack(struct v8_log *log, const struct node *stack) {
  size_t depth = 0, size = node_size(stack);
  if (!json_stack_reserve(&log->stack, log->builder, size / 2 + 1)) return 0;
  for (size_t i = size % 2; i + 1 < size && builder_ok(log->builder); i += 2) {
    int64_t index;
    if (node_to_integer(node_at(stack, i), &index) && index >= 0)
      log->stack.frames[depth++] = v8_location(log, index);
  }
  return depth;
}

/* Returns the call path of a tick, or MAP_NONE if the tick has no stack. If the stack has no
 * frames, the path is "(garbage collector)" while V8 collects garbage, else "(program)". */
static uint32_t v8_tick_path(struct v8_log *log, const struct node *tick) {
  const struct node *stack = node_get(tick, "s");
  uint32_t path = MAP_NONE;
  if (!node_is(stack, NODE_ARRAY)) return path;
  size_t depth = v8_tick_stack(log, stack);
  if (!depth && log->stack.frames) {
    int64_t state = json_cost(log->builder, node_get(tick, "vm"));
    log->stack.frames[depth++] =
        v8_named(log, state == V8_STATE_GC ? "(garbage collector)" : "(program)", STR(""));
  }
  while (depth && builder_ok(log->builder))
    path = call_paths_enter(&log->paths, path, log->stack.frames[--depth]);
  return path;
}

/* Parses a tick and appends it to log->ticks. */
static void v8_add_tick(struct v8_log *log, pprofc_str json) {
  struct arena arena;
  const struct node *tick = v8_parse(log, &arena, json);
  int64_t at = json_cost(log->builder, node_get(tick, "tm"));
  uint32_t path = v8_tick_path(log, tick);
  arena_free(&arena);
  struct v8_tick item = {at < 0 ? 0 : at, (uint32_t)log->tick_count, path};
  import_need(log->builder,
              log->tick_count < UINT32_MAX &&
                  ARRAY_PUSH(log->mem, log->ticks, log->tick_count, log->tick_room, item));
}

static int v8_tick_by_time(const void *a, const void *b) {
  const struct v8_tick *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

/* Sorts the ticks by time, and adds them up by call path. A tick counts for the time since the
 * previous tick. */
static void v8_sum_ticks(struct v8_log *log, struct v8_sum *sums) {
  int64_t before = 0;
  uint64_t missing = 0;
  if (log->tick_count) qsort(log->ticks, log->tick_count, sizeof *log->ticks, v8_tick_by_time);
  for (size_t i = 0; i < log->tick_count; i++) {
    const struct v8_tick *tick = &log->ticks[i];
    missing += tick->path == MAP_NONE;
    if (tick->path != MAP_NONE) {
      sums[tick->path].ticks++;
      sums[tick->path].time += tick->at - before;
    }
    before = tick->at;
  }
  import_account_one(log->builder, log->tick_count - missing, "ticks", missing, "tick has no stack",
                     "ticks have no stack");
}

/* Adds a sample for each call path that has ticks. Orders the paths by their first ticks. */
static void v8_add_log_samples(struct v8_log *log) {
  json_wall_types(log->builder, 0);
  struct v8_sum *sums = mem_zero_array(log->mem, log->paths.count, sizeof *sums);
  if (!import_need(log->builder, sums != NULL)) return;
  v8_sum_ticks(log, sums);
  for (size_t i = 0; i < log->tick_count && builder_ok(log->builder); i++) {
    uint32_t path = log->ticks[i].path;
    if (path == MAP_NONE || !sums[path].ticks) continue;
    int64_t time = sums[path].time;
    int64_t values[2] = {sums[path].ticks, time < INT64_MAX / 1000 ? time * 1000 : 0};
    call_paths_sample(&log->paths, path, values);
    sums[path].ticks = 0;
  }
  mem_free(log->mem, sums, log->paths.count, sizeof *sums);
}

bool json_v8_log(pprofc_str text, pprofc_builder *builder, struct arena *arena) {
  struct v8_members members;
  pprofc_str tick;
  if (!v8_log_split(text, &members)) return false;
  struct v8_log log = {.mem = arena->mem, .builder = builder, .stack = {.arena = arena}};
  call_paths_init(&log.paths, log.mem, builder);
  v8_add_code(&log, members.code);
  while (!log.broken && builder_ok(builder) && v8_next_item(&members.ticks, &tick))
    v8_add_tick(&log, tick);
  log.broken |= !str_equal(members.ticks, STR("]"));
  if (!log.broken) v8_add_log_samples(&log);
  call_paths_free(&log.paths);
  ARRAY_FREE(log.mem, log.code, log.code_room);
  ARRAY_FREE(log.mem, log.ticks, log.tick_room);
  return !log.broken || !builder_ok(builder);
}
