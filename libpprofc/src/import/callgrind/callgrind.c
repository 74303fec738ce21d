/* Reads callgrind.out and cachegrind.out files. A file has one or more parts. A part has a header,
 * and a body with the costs of lines and of calls.
 *
 * The grammar is in the chapter "Callgrind Format Specification" of valgrind's manual. The reader
 * also accepts extensions of valgrind 3.19 and other writers: relative numbers, missing counters,
 * "cfl" for "cfi", "jcnd=followed/executed", "cfni" for inlined functions. Each part becomes a call
 * graph. If the names of functions contain their callers, exact.c makes exact stacks; else
 * samples.c estimates stacks. Ids of names are valid in all parts. */
#include "import/callgrind/reader.h"

#define SURE_DIGITS 18u /* number of decimal digits that always fit 64 bits */

/* Parses a decimal number, or a hexadecimal number after "0x". Returns false if the text is not a
 * number. */
static bool callgrind_number(pprofc_str s, uint64_t *out) {
  uint64_t number = 0;
  size_t n = 0;
  while (n < s.size && n < SURE_DIGITS && s.data[n] >= '0' && s.data[n] <= '9')
    number = number * 10 + (uint64_t)(s.data[n++] - '0');
  if (n && n == s.size) {
    *out = number;
    return true;
  }
  if (str_take(&s, STR("0x"))) return str_parse_uint(s, 16, out);
  return s.size && s.data[0] >= '0' && s.data[0] <= '9' && str_parse_uint(s, 10, out);
}

/* Parses an absolute number ("12"), or a number relative to `last` ("+3", "-3"). `last` is the
 * previous number of the column; "*" repeats `last`. Returns false if the text is not a number. */
static bool callgrind_relative(pprofc_str s, uint64_t last, uint64_t *out) {
  uint64_t number;
  if (str_equal(s, STR("*"))) {
    *out = last;
    return true;
  }
  bool more = str_take(&s, STR("+")), less = !more && str_take(&s, STR("-"));
  if (!callgrind_number(s, &number)) return false;
  if (less) number = 0 - number;
  *out = more || less ? last + number : number;
  return true;
}

/* ---- numbers ----------------------------------------- */

/* Reads the positions, such as the line number, at the start of a line of numbers. Returns false if
 * a position is invalid. */
static bool take_positions(struct callgrind_reader *r, pprofc_str *rest) {
  uint64_t position[COLUMN_KINDS];
  pprofc_str word;
  memcpy(position, r->position, sizeof position);
  for (size_t i = 0; i < r->column_count; i++) {
    enum callgrind_column column = r->columns[i];
    if (!import_next_word(rest, &word) ||
        !callgrind_relative(word, r->position[column], &position[column]))
      return false;
  }
  memcpy(r->position, position, sizeof position);
  return true;
}

/* Reads a counter that is at most `most`. `last` is the previous counter of the column. Callgrind
 * writes only absolute counters. Some tools write relative counters, others negative counters. In a
 * file with relative counters, "-3" means 3 less than `last`; in other files, -3. */
static bool take_counter(struct callgrind_reader *r, pprofc_str word, int64_t last, int64_t most,
                         int64_t *counter) {
  uint64_t number;
  bool below = word.data[0] == '-';
  if (below && !r->knows_minus)
    r->minus_is_relative = callgrind_has_relative_counters(r->text, r->column_count);
  r->knows_minus |= below;
  bool negative = below && !r->minus_is_relative;
  if (negative) word = str_from(word, 1);
  bool good = negative ? callgrind_number(word, &number)
                       : callgrind_relative(word, (uint64_t)last, &number);
  if (!good || number > (uint64_t)most) return false;
  *counter = negative ? -(int64_t)number : (int64_t)number;
  return true;
}

/* Reads the counters of a line; missing counters are 0. `raw` receives the counters by column.
 * `values` receives them by sample type, converted to the unit of the type. */
static bool take_counters(struct callgrind_reader *r, pprofc_str rest, int64_t *raw,
                          int64_t *values) {
  pprofc_str word;
  memset(raw, 0, r->event_count * sizeof *raw);
  memset(values, 0, r->events.count * sizeof *values);
  for (size_t i = 0; import_next_word(&rest, &word); i++) {
    if (i == r->event_count) return false;
    uint32_t type = r->event_columns[i];
    int64_t factor = r->events.items[type].factor;
    if (!take_counter(r, word, r->last[i], INT64_MAX / factor, &raw[i])) return false;
    values[type] = raw[i] * factor;
  }
  memcpy(r->last, raw, r->event_count * sizeof *raw);
  return true;
}

static struct callgrind_place place_of(const struct callgrind_reader *r) {
  uint64_t line = r->position[LINE];
  return (struct callgrind_place){r->file, r->inlined, line <= INT32_MAX ? (int64_t)line : 0,
                                  r->position[INSTRUCTION]};
}

/* ---- lines of numbers -------------------------------- */

static bool add_cost(struct callgrind_reader *r, pprofc_str counters) {
  int64_t raw[CALLGRIND_MAX_EVENTS], values[CALLGRIND_MAX_EVENTS];
  if (r->function == NONE || !take_counters(r, counters, raw, values)) return false;
  struct callgrind_place place = place_of(r);
  callgrind_graph_cost(&r->graph, r->function, &place, values);
  for (size_t i = 0; i < r->event_count; i++) r->sums[i] += (uint64_t)raw[i];
  return true;
}

static uint32_t callgrind_add_function(struct callgrind_reader *r, uint32_t object,
                                       const struct callgrind_name *name, uint32_t file) {
  struct callgrind_function function = {.object = object,
                                        .name = name->text,
                                        .context = callgrind_context_of(&r->contexts, name->text),
                                        .file = file};
  return callgrind_graph_function(&r->graph, &function);
}

static bool add_call(struct callgrind_reader *r, pprofc_str counters) {
  int64_t raw[CALLGRIND_MAX_EVENTS], values[CALLGRIND_MAX_EVENTS];
  uint32_t object = r->called_object != NONE ? r->called_object : r->object;
  uint32_t file = r->called_file != NONE ? r->called_file : r->file;
  bool known = r->has_called && r->function != NONE;
  r->called_object = r->called_file = NONE;
  r->has_called = false;
  if (!known || !take_counters(r, counters, raw, values)) return false;
  uint32_t callee = callgrind_add_function(r, object, &r->called, file);
  struct callgrind_place place = place_of(r);
  if (callee != NONE) callgrind_graph_call(&r->graph, r->function, callee, &place, values);
  return true;
}

static bool read_numbers(struct callgrind_reader *r, pprofc_str line) {
  enum expect expect = r->expect;
  r->expect = COST;
  r->in_body = true;
  if (!take_positions(r, &line)) return false;
  if (expect == JUMP) return true;
  return expect == CALL ? add_call(r, line) : add_cost(r, line);
}

/* ---- specifications ---------------------------------- */

static bool read_text_of(struct callgrind_names *names, pprofc_str value, uint32_t *text) {
  struct callgrind_name name;
  if (!callgrind_name_read(names, value, &name)) return false;
  *text = name.text;
  return true;
}

static bool callgrind_read_file(struct callgrind_reader *r, pprofc_str value) {
  return read_text_of(&r->files, value, &r->file);
}

static bool read_called_object(struct callgrind_reader *r, pprofc_str value) {
  return read_text_of(&r->objects, value, &r->called_object);
}

static bool read_called_file(struct callgrind_reader *r, pprofc_str value) {
  return read_text_of(&r->files, value, &r->called_file);
}

/* Reads the file of a jump. The reader ignores jumps, but their lines may define names. */
static bool read_jump_file(struct callgrind_reader *r, pprofc_str value) {
  uint32_t file;
  return read_text_of(&r->files, value, &file);
}

static bool read_jump_function(struct callgrind_reader *r, pprofc_str value) {
  uint32_t function;
  return read_text_of(&r->functions, value, &function);
}

static bool read_object(struct callgrind_reader *r, pprofc_str value) {
  struct callgrind_name name;
  if (!callgrind_name_read(&r->objects, value, &name)) return false;
  r->object = name.text;
  pprofc_str rest = r->command, program;
  if (!r->program && import_next_word(&rest, &program) &&
      str_equal(str_path_base(program), str_path_base(name.raw)))
    r->program = name.text;
  return true;
}

static bool callgrind_read_function(struct callgrind_reader *r, pprofc_str value) {
  struct callgrind_name name;
  r->inlined = 0;
  r->function = NONE;
  if (!callgrind_name_read(&r->functions, value, &name)) return false;
  r->function = callgrind_add_function(r, r->object, &name, r->file);
  return true;
}

/* Reads "cfni=name", the inlined function to which the next lines belong. "cfni=???" ends the
 * inlined function. */
static bool read_inlined(struct callgrind_reader *r, pprofc_str value) {
  struct callgrind_name name;
  struct callgrind_symbol symbol = {0};
  if (!callgrind_name_read(&r->functions, value, &name)) return false;
  if (!str_equal(name.raw, STR("???")) && !callgrind_name_symbol(&r->contexts, name.text, &symbol))
    return false;
  r->inlined = symbol.text;
  return true;
}

static bool read_called(struct callgrind_reader *r, pprofc_str value) {
  r->has_called = callgrind_name_read(&r->functions, value, &r->called);
  return r->has_called;
}

static bool expect_call(struct callgrind_reader *r, pprofc_str value) {
  (void)value;
  r->expect = CALL;
  r->has_calls = true;
  return true;
}

static bool expect_jump(struct callgrind_reader *r, pprofc_str value) {
  (void)value;
  r->expect = JUMP;
  return true;
}

static const struct specification {
  pprofc_str name;
  bool (*read)(struct callgrind_reader *, pprofc_str value);
} specifications[] = {
    {{"fn", 2}, callgrind_read_function},
    {{"cfn", 3}, read_called},
    {{"calls", 5}, expect_call},
    {{"fl", 2}, callgrind_read_file},
    {{"fi", 2}, callgrind_read_file},
    {{"fe", 2}, callgrind_read_file},
    {{"ob", 2}, read_object},
    {{"cfi", 3}, read_called_file},
    {{"cfl", 3}, read_called_file},
    {{"cob", 3}, read_called_object},
    {{"jump", 4}, expect_jump},
    {{"jcnd", 4}, expect_jump},
    {{"cfni", 4}, read_inlined},
    {{"jfi", 3}, read_jump_file},
    {{"jfn", 3}, read_jump_function},
};

static bool read_specification(struct callgrind_reader *r, pprofc_str name, pprofc_str value) {
  r->in_body = true;
  for (size_t i = 0; i < sizeof specifications / sizeof *specifications; i++)
    if (str_equal(name, specifications[i].name)) return specifications[i].read(r, value);
  r->unknown_lines++;
  return true;
}

/* ---- headers ----------------------------------------- */

static bool read_columns(struct callgrind_reader *r, pprofc_str value) {
  static const char *const names[] = {[INSTRUCTION] = "instr", [BLOCK] = "bb", [LINE] = "line"};
  pprofc_str word;
  r->column_count = 0;
  while (import_next_word(&value, &word))
    for (size_t i = 0; i < COLUMN_KINDS; i++)
      if (str_equal(word, str_of(names[i])) && r->column_count < COLUMN_KINDS)
        r->columns[r->column_count++] = (enum callgrind_column)i;
  r->graph.has_addresses |= r->column_count > 0 && r->columns[0] == INSTRUCTION;
  return true;
}

static bool read_events(struct callgrind_reader *r, pprofc_str value) {
  r->event_count = callgrind_event_columns(&r->events, value, r->event_columns);
  return true;
}

/* Stores the first total in the file that differs from the sum of the lines' costs. A comment in
 * the profile shows this total. */
static void note_wrong_total(struct callgrind_reader *r, size_t column, uint64_t said) {
  pprofc_str name = r->events.items[r->event_columns[column]].name;
  if (r->wrong.event[0]) return;
  r->wrong = (struct callgrind_total){.said = said, .read = r->sums[column]};
  snprintf(r->wrong.event, sizeof r->wrong.event, "%.*s", STR_ARG(str_slice(name, 0, 60)));
}

/* Compares the totals that the file states for a part with the sums of the costs in the part. */
static bool check_totals(struct callgrind_reader *r, pprofc_str value) {
  pprofc_str word;
  bool equal = true;
  r->has_totals = true;
  for (size_t i = 0; import_next_word(&value, &word) && i < r->event_count; i++) {
    uint64_t total = 0;
    if (callgrind_relative(word, 0, &total) && total == r->sums[i]) continue;
    note_wrong_total(r, i, total);
    equal = false;
  }
  r->wrong_totals += !equal;
  return true;
}

/* Compares the totals in the line "summary:" with the sums of the lines' costs, but only in files
 * of cachegrind, which have no version. In callgrind's files the summary precedes the lines and
 * covers the whole run. In Xdebug's files the summary has the wall time and the peak of memory. */
static bool check_summary(struct callgrind_reader *r, pprofc_str value) {
  return r->version || !r->in_body || r->has_totals || check_totals(r, value);
}

/* Reads the header "version:", the version of the file format. A version that is not an integer, as
 * in Xdebug 2, becomes -1. */
static bool read_version(struct callgrind_reader *r, pprofc_str value) {
  if (!str_parse_int(str_trim(value), 10, &r->version)) r->version = -1;
  return true;
}

static bool callgrind_read_thread(struct callgrind_reader *r, pprofc_str value) {
  r->thread = str_trim(value);
  return true;
}

static bool read_part(struct callgrind_reader *r, pprofc_str value) {
  r->part = str_trim(value);
  return true;
}

static bool read_command(struct callgrind_reader *r, pprofc_str value) {
  if (!r->command.size) r->command = str_trim(value);
  return true;
}

/* Loads the file perf-PID.map, which names the code that the process made at run time. */
static bool read_process(struct callgrind_reader *r, pprofc_str value) {
  if (!r->options->map_folder || r->has_process) return true;
  r->has_process = true;
  import_need(r->builder,
              jit_names_load(&r->contexts.jit, str_of(r->options->map_folder), str_trim(value)));
  return true;
}

static bool read_creator(struct callgrind_reader *r, pprofc_str value) {
  r->writes_totals = str_starts(str_trim(value), STR("callgrind-"));
  return true;
}

/* Reads the name of a benchmark from the description of a part. A measured program can end a part
 * after each benchmark, by a client request to valgrind that contains the benchmark's name. A
 * request "Metadata: ..." names the benchmark library instead. */
static bool read_description(struct callgrind_reader *r, pprofc_str value) {
  static const pprofc_str trigger = {" Trigger: Client Request: ", 26};
  if (!str_take(&value, trigger)) return true;
  value = str_trim(value);
  if (!str_starts(value, STR("Metadata: "))) r->benchmark = value;
  return true;
}

static const struct header {
  const char *name;
  bool (*read)(struct callgrind_reader *, pprofc_str value);
  bool begins; /* true if this header begins a new part when it follows a body */
} headers[] = {
    {"events", read_events, true},
    {"positions", read_columns, true},
    {"thread", callgrind_read_thread, true},
    {"part", read_part, true},
    {"cmd", read_command, true},
    {"version", read_version, true},
    {"creator", read_creator, true},
    {"pid", read_process, true},
    {"desc", read_description, true},
    {"totals", check_totals, false},
    {"summary", check_summary, false},
};

/* Reads a header line. Ignores headers that the reader does not know, because they do not affect
 * costs. */
static void callgrind_read_header(struct callgrind_reader *r, pprofc_str name, pprofc_str value) {
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    if (!str_equal(name, str_of(headers[i].name))) continue;
    if (headers[i].begins && r->in_body) callgrind_finish_part(r);
    headers[i].read(r, value);
    return;
  }
}

/* ---- the file ---------------------------------------- */

static bool is_number_line(pprofc_str line) {
  char c = line.data[0];
  return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*';
}

static void callgrind_read_line(struct callgrind_reader *r, pprofc_str line) {
  if (!line.size || line.data[0] == '#') return;
  r->lines++;
  if (is_number_line(line)) {
    r->bad_lines += !read_numbers(r, line);
    return;
  }
  if (line.data[0] <= ' ' && !str_trim(line).size) return;
  size_t mark = 0;
  while (mark < line.size && line.data[mark] != '=' && line.data[mark] != ':') mark++;
  pprofc_str name = str_slice(line, 0, mark), value = str_from(line, mark + 1);
  if (mark < line.size && line.data[mark] == '=')
    r->bad_lines += !read_specification(r, name, value);
  else if (mark < line.size)
    callgrind_read_header(r, name, value);
  else
    r->bad_lines++;
}

/* Adds the sample types. The first event, usually instructions, is the default type. */
static void callgrind_add_types(struct callgrind_reader *r) {
  char first[64];
  pprofc_str type = r->events.items[0].type;
  for (size_t i = 0; i < r->events.count; i++)
    builder_add_type(r->builder, r->events.items[i].type, r->events.items[i].unit);
  if (type.size >= sizeof first) return;
  snprintf(first, sizeof first, "%.*s", STR_ARG(type));
  pprofc_builder_default_type(r->builder, first);
}

static void callgrind_read_text(struct callgrind_reader *r, pprofc_str text) {
  pprofc_str line;
  callgrind_add_types(r);
  r->text = text;
  r->many_parts = r->events.lists > 1;
  callgrind_start_part(r);
  while (builder_ok(r->builder) && str_next_line(&text, &line)) callgrind_read_line(r, line);
  if (builder_ok(r->builder)) callgrind_finish_part(r);
  callgrind_add_notes(r);
}

/* True if the text begins with header lines, including `events:`, and then a body follows. */
static bool starts_with_header(pprofc_str text) {
  pprofc_str line;
  bool events = false;
  for (size_t i = 0; i < 1000 && str_next_line(&text, &line); i++) {
    if (!str_trim(line).size || line.data[0] == '#') continue;
    size_t colon = str_find_char(line, ':'), equals = str_find_char(line, '=');
    if (equals < colon) return events && equals >= 2 && equals <= 3;
    if (colon == line.size) return false;
    for (size_t k = 0; k < colon; k++)
      if (!(line.data[k] >= 'a' && line.data[k] <= 'z')) return false;
    events |= str_starts(line, STR("events:"));
  }
  return false;
}

bool import_is_callgrind(pprofc_str data) {
  return str_starts(data, STR("# callgrind format")) || starts_with_header(data);
}

static void read_graphs(struct callgrind_reader *r, pprofc_str text) {
  callgrind_graph_init(&r->graph, r->builder, r->mem, r->events.count,
                       r->options->limits->memory_bytes);
  r->graph.by_site = r->options->call_stacks == PPROFC_STACKS_EDGES;
  callgrind_read_text(r, text);
  callgrind_graph_free(&r->graph);
}

IMPORT_READER(import_callgrind) {
  const pprofc_allocator *mem = arena->mem;
  struct callgrind_reader *r = arena_zero_array(arena, 1, sizeof *r);
  if (!import_need(builder, r != NULL)) return;
  r->options = options;
  r->builder = builder;
  r->mem = mem;
  interner_init(&r->benchmarks, mem);
  callgrind_contexts_init(&r->contexts, mem, builder);
  callgrind_exact_init(&r->exact, &r->contexts, builder, options->call_stacks, data.size);
  callgrind_names_init(&r->objects, builder, mem, NULL);
  callgrind_names_init(&r->files, builder, mem, NULL);
  callgrind_names_init(&r->functions, builder, mem, &r->contexts);
  if (callgrind_find_events(&r->events, data, builder)) read_graphs(r, data);
  callgrind_names_free(&r->objects);
  callgrind_names_free(&r->files);
  callgrind_names_free(&r->functions);
  interner_free(&r->benchmarks);
  callgrind_exact_free(&r->exact);
  callgrind_contexts_free(&r->contexts);
}
