/* Makes the lines of the report -disasm: the machine code of matching functions, with the samples
 * of each instruction. */
#include "report/source/listing.h"
#include "symbolize/object.h"
#include "symbolize/symbolize.h"

/* Maximum size of a line in bytes. */
#define LINE_MOST ((size_t)64 << 20)

/* A symbol that the report prints. */
struct routine {
  struct object *object;
  uint64_t start, end; /* addresses of the symbol's first and last byte in the object file */
  const pprofc_str *names;
  size_t name_count;
  const struct graph_node **nodes; /* graph nodes in the symbol, sorted by address */
  size_t node_count;
  size_t order; /* index of the symbol in the order in which symbols were found */
};

struct disasm {
  struct report *report;
  const struct disasm_visitor *visitor;
  struct output out; /* writes the current line to `line` */
  struct buffer line;
  struct graph graph;
  struct arena arena;
  struct tools tools;
  /* true if the argument of -disasm (a regular expression or an address) is a valid address */
  bool by_address;
  uint64_t address;
  struct object *objects;
  size_t object_count;
  struct routine *routines;
  size_t count, capacity;
  size_t symbols_found; /* number of matching symbols, including symbols without samples */
  bool reported;        /* true after a message about a binary that could not be opened */
};

/* Ends the current line. `cum` is the total of an instruction, and NULL for other lines. */
static void disasm_end_line(struct disasm *d, const int64_t *cum) {
  bool written = output_flush(&d->out, NULL) == PPROFC_OK;
  if (written) d->visitor->line(d->visitor->context, buffer_str(&d->line), cum);
  buffer_clear(&d->line);
}

static const struct node_info *disasm_info_of(const struct disasm *d,
                                              const struct graph_node *node) {
  return &d->graph.frames.infos[node->info];
}

/* ---- symbols that match ------------------------------ */

/* Finds the first form of a name that matches the argument of -disasm. The forms are the name
 * itself and its demangled names. Sets *match to NULL if no form matches. `text` is scratch memory.
 * Returns false when out of memory. */
static bool match_name(struct disasm *d, const pprofc_str *name, struct buffer *text,
                       const pprofc_str **match) {
  static const enum demangle_mode modes[] = {DEMANGLE_FULL, DEMANGLE_TEMPLATES, DEMANGLE_DEFAULT};
  struct regex *regex = d->report->result.argument;
  *match = NULL;
  if (regex_match(regex, *name)) {
    *match = name;
    return true;
  }
  for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
    if (!demangle(*name, modes[k], text) || !regex_match(regex, buffer_str(text))) continue;
    pprofc_str *form = arena_alloc(&d->arena, sizeof *form);
    if (form) *form = buffer_keep(text, &d->arena);
    *match = form;
    return form && form->data;
  }
  return true;
}

/* True if the argument of -disasm is an address inside the symbol. */
static bool has_wanted_address(const struct disasm *d, const struct object_symbol *symbol) {
  return d->by_address && d->address && d->address >= symbol->start && d->address <= symbol->end;
}

/* Finds the names to show for a symbol. If the argument of -disasm is an address in the symbol,
 * sets *names to all names of the symbol. If the argument is a regular expression, sets *names to
 * the first (mangled or demangled) name that matches, or to NULL if no name matches. Returns false
 * when out of memory. */
static bool match_symbol(struct disasm *d, const struct object_symbol *symbol,
                         const pprofc_str **names, size_t *count) {
  if (has_wanted_address(d, symbol)) {
    *names = symbol->names;
    *count = symbol->name_count;
    return true;
  }
  struct buffer text = buffer_make(d->report->mem, (size_t)4 << 20);
  bool good = true;
  *names = NULL;
  *count = 1;
  for (size_t i = 0; i < symbol->name_count && good && !*names; i++)
    good = match_name(d, &symbol->names[i], &text, names);
  buffer_free(&text);
  return good;
}

/* A node of the graph, and its address in the object file. */
struct spot {
  const struct graph_node *node;
  uint64_t address; /* address of the node in the object file */
  size_t order;
};

static int compare_spots(const void *a, const void *b) {
  const struct spot *x = a, *y = b;
  if (x->address != y->address) return x->address < y->address ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

/* Returns the nodes in the mapping of an object file, sorted by their address in this file. Returns
 * NULL when out of memory. */
static struct spot *find_spots(struct disasm *d, struct object *object, size_t *count) {
  struct spot *spots = arena_array(&d->arena, d->graph.shown_count, sizeof *spots);
  *count = 0;
  for (size_t i = 0; spots && i < d->graph.shown_count; i++) {
    const struct graph_node *node = &d->graph.nodes[d->graph.shown[i]];
    uint64_t address = disasm_info_of(d, node)->place->address, in_file;
    if (!object_covers(object, address) || !object_address(object, address, &in_file)) continue;
    spots[*count] = (struct spot){node, in_file, *count};
    ++*count;
  }
  if (object->base_status == PPROFC_E_NOMEM) return NULL;
  if (spots) qsort(spots, *count, sizeof *spots, compare_spots);
  return spots;
}

/* Returns the index of the first spot whose address is at least `address`, or `count`. */
static size_t first_spot(const struct spot *spots, size_t count, uint64_t address) {
  BISECT(at, count, spots[at].address < address);
  return at;
}

static bool add_routine(struct disasm *d, struct routine routine, const struct spot *spots) {
  if (!ARRAY_RESERVE(d->report->mem, d->routines, d->capacity, d->count + 1)) return false;
  routine.nodes = arena_array(&d->arena, routine.node_count, sizeof *routine.nodes);
  if (!routine.nodes) return false;
  for (size_t i = 0; i < routine.node_count; i++) routine.nodes[i] = spots[i].node;
  routine.order = d->count;
  d->routines[d->count++] = routine;
  return true;
}

/* Adds each symbol of an object file that matches and has samples. */
static bool add_symbols(struct disasm *d, struct object *object,
                        const struct object_symbol *symbols, size_t count) {
  size_t spot_count;
  struct spot *spots = find_spots(d, object, &spot_count);
  if (!spots) return false;
  for (size_t i = 0; i < count; i++) {
    struct routine routine = {.object = object, .start = symbols[i].start, .end = symbols[i].end};
    if (!match_symbol(d, &symbols[i], &routine.names, &routine.name_count)) return false;
    if (!routine.names) continue;
    d->symbols_found++;
    size_t from = first_spot(spots, spot_count, symbols[i].start);
    size_t to = spot_count;
    if (routine.end < UINT64_MAX) to = first_spot(spots, spot_count, routine.end + 1);
    routine.node_count = to - from;
    if (to > from && !add_routine(d, routine, spots + from)) return false;
  }
  return true;
}

struct symbol_search {
  struct disasm *d;
  struct object *object;
  const struct object_symbol *symbols;
  size_t count;
  bool good;
};

static void search_symbols(void *context) {
  struct symbol_search *s = context;
  s->good = add_symbols(s->d, s->object, s->symbols, s->count);
}

/* ---- binaries ---------------------------------------- */

/* Finds the object files of matching functions. Sets has_samples[t] to 1 if text t of the graph is
 * the name of such a file. */
static void find_files(struct disasm *d, uint8_t *has_samples) {
  for (size_t i = 0; i < d->graph.shown_count; i++) {
    const struct node_info *info = disasm_info_of(d, &d->graph.nodes[d->graph.shown[i]]);
    if (!info->object || has_samples[info->object]) continue;
    if (regex_match(d->report->result.argument, d->graph.frames.texts.items[info->name]))
      has_samples[info->object] = 1;
  }
}

/* Opens the binary of a mapping and lists its symbols. If the binary cannot be opened, prints a
 * message and continues without its symbols, like pprof. */
static pprofc_status disasm_read_mapping(struct disasm *d, const struct mapping *mapping,
                                         pprofc_error *error) {
  struct object *object = &d->objects[d->object_count];
  struct object_symbol *symbols;
  size_t count;
  pprofc_error why;
  pprofc_status status = object_open(object, d->report->result.profile, mapping, &d->arena, &why);
  if (status == PPROFC_E_NOMEM) return error_nomem(error);
  if (status != PPROFC_OK) {
    report_text(&d->out, d->report->mem, str_of(why.message));
    disasm_end_line(d, NULL);
    d->reported = true;
    return PPROFC_OK;
  }
  d->object_count++;
  status = object_symbols(object, &d->tools, &d->arena, &symbols, &count, &why);
  struct symbol_search search = {.d = d, .object = object, .symbols = symbols, .count = count};
  if (status == PPROFC_OK && (!demangle_run(search_symbols, &search) || !search.good))
    status = PPROFC_E_NOMEM;
  return status == PPROFC_E_NOMEM ? error_nomem(error) : PPROFC_OK;
}

/* True if the mapping may have matching code. This holds if its file has matching functions, or if
 * the argument of -disasm is an address in the mapping. */
static bool is_wanted_mapping(const struct disasm *d, const struct mapping *m,
                              const uint8_t *has_samples) {
  pprofc_str file = profile_string(d->report->result.profile, m->file);
  uint32_t text = interner_find(&d->graph.frames.texts, file);
  if (text != MAP_NONE && has_samples[text]) return true;
  return d->by_address && m->start <= d->address && d->address <= m->limit;
}

static pprofc_status read_mappings(struct disasm *d, pprofc_error *error) {
  const pprofc_profile *p = d->report->result.profile;
  size_t texts = d->graph.frames.texts.count;
  uint8_t *has_samples = arena_zero_array(&d->arena, texts + 1, sizeof *has_samples);
  d->objects = arena_zero_array(&d->arena, p->mappings.count, sizeof *d->objects);
  if (!has_samples || !d->objects) return error_nomem(error);
  find_files(d, has_samples);
  pprofc_status status = PPROFC_OK;
  bool have_tools = false;
  for (size_t i = 0; status == PPROFC_OK && i < p->mappings.count; i++) {
    const struct mapping *m = &p->mappings.items[i];
    if (!is_wanted_mapping(d, m, has_samples)) continue;
    if (!have_tools && !tools_find(&d->tools, d->report->options->tools, d->report->mem))
      return error_nomem(error);
    have_tools = true;
    status = disasm_read_mapping(d, m, error);
  }
  return status;
}

/* ---- printing ---------------------------------------- */

static int compare_routines(const void *a, const void *b) {
  const struct routine *x = a, *y = b;
  int order = str_compare(x->names[0], y->names[0]);
  if (order) return order;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

/* An instruction, and the values of its samples. */
struct annotated {
  pprofc_str function, file;
  int64_t line;
  int64_t flat, flat_div, cum, cum_div;
};

/* Adds the values of nodes to an instruction. Begins at index *node, and stops at `next`, the
 * address of the next instruction. Takes function, file and line from these nodes if the
 * disassembler did not give them. */
static void annotate(const struct disasm *d, const struct routine *routine, size_t *node,
                     uint64_t next, struct annotated *a) {
  const struct frames *frames = &d->graph.frames;
  for (; *node < routine->node_count; ++*node) {
    const struct graph_node *n = routine->nodes[*node];
    const struct node_info *info = disasm_info_of(d, n);
    uint64_t address;
    if (!object_address(routine->object, info->place->address, &address) || address >= next) return;
    a->flat = sum_add(a->flat, n->flat);
    a->flat_div = sum_add(a->flat_div, n->flat_div);
    a->cum = sum_add(a->cum, n->cum);
    a->cum_div = sum_add(a->cum_div, n->cum_div);
    if (!a->file.size && info->file) a->file = str_path_base(frames->texts.items[info->file]);
    if (!a->line) a->line = info->place->line;
    if (!a->function.size) a->function = frames->texts.items[info->name];
  }
}

static void print_place(struct disasm *d, const struct annotated *a) {
  const pprofc_allocator *mem = d->report->mem;
  output_add_char(&d->out, ';');
  if (a->function.size) {
    listing_text(d->report, &d->out, a->function);
    output_add_char(&d->out, ' ');
  }
  report_text(&d->out, mem, a->file);
  if (a->file.size && a->line) output_printf(&d->out, ":%lld", (long long)a->line);
}

/* If the text of an instruction has at least TEXT_COLUMN characters, its source position is on a
 * separate line. */
#define TEXT_COLUMN  40
#define PLACE_COLUMN 74

static void disasm_print_instruction(struct disasm *d, const struct instruction *instruction,
                                     const struct annotated *a, bool with_place) {
  struct output *out = &d->out;
  int64_t cum = number_mean(a->cum, a->cum_div);
  bool own_line = with_place && instruction->text.size >= TEXT_COLUMN;
  if (own_line) {
    output_add_fill(out, ' ', PLACE_COLUMN);
    print_place(d, a);
    disasm_end_line(d, NULL);
  }
  listing_value(d->report, out, number_mean(a->flat, a->flat_div));
  output_add_char(out, ' ');
  listing_value(d->report, out, cum);
  output_printf(out, " %10llx: ", (unsigned long long)instruction->address);
  listing_text(d->report, out, instruction->text);
  if (with_place && !own_line) {
    size_t length = utf8_length(instruction->text);
    if (length < TEXT_COLUMN) output_add_fill(out, ' ', TEXT_COLUMN - length);
    print_place(d, a);
  }
  disasm_end_line(d, &cum);
}

static void disasm_print_instructions(struct disasm *d, const struct routine *routine,
                                      const struct instruction *instructions, size_t count) {
  struct annotated before = {STR(""), STR(""), 0, 0, 0, 0, 0};
  size_t node = 0;
  for (size_t i = 0; i < count; i++) {
    const struct instruction *in = &instructions[i];
    struct annotated a = {in->function, in->file, in->line, 0, 0, 0, 0};
    if (a.file.size) a.file = str_path_base(a.file);
    annotate(d, routine, &node, i + 1 < count ? instructions[i + 1].address : UINT64_MAX, &a);
    bool changed = !str_equal(a.function, before.function) || !str_equal(a.file, before.file) ||
                   a.line != before.line;
    disasm_print_instruction(d, in, &a, changed && (a.function.size || a.file.size));
    before = a;
  }
}

static pprofc_status disasm_print_routine(struct disasm *d, const struct routine *routine,
                                          pprofc_error *error) {
  struct instruction *instructions;
  size_t count;
  struct arena arena = arena_make(d->report->mem);
  pprofc_status status =
      object_disassemble(routine->object, &d->tools, routine->start,
                         routine->end < UINT64_MAX ? routine->end + 1 : routine->end,
                         d->report->options->intel_syntax, &arena, &instructions, &count, error);
  if (status == PPROFC_OK) {
    int64_t flat = 0, cum = 0;
    for (size_t i = 0; i < routine->node_count; i++) {
      flat = sum_add(flat, routine->nodes[i]->flat);
      cum = sum_add(cum, routine->nodes[i]->cum);
    }
    d->visitor->routine(d->visitor->context, routine->names[0], flat);
    for (size_t i = 0; i < routine->name_count; i++) {
      output_add_text(&d->out, i ? "    AKA ======================== "
                                 : "ROUTINE ======================== ");
      report_text(&d->out, d->report->mem, routine->names[i]);
      disasm_end_line(d, NULL);
    }
    listing_sums(d->report, &d->out, flat, cum);
    disasm_end_line(d, NULL);
    disasm_print_instructions(d, routine, instructions, count);
  }
  arena_free(&arena);
  return status;
}

static pprofc_status no_match(const struct disasm *d, pprofc_error *error) {
  unsigned long long address = d->address;
  const char *present = "the function is in the profile, but the profile names no binary for it";
  if (d->object_count)
    present = "the function is in the profile, but its binary has no such symbol";
  if (d->reported)
    present = "the function is in the profile, but its binary cannot be opened here; pass the "
              "binary before the profile, or set PPROF_BINARY_PATH";
  if (!d->by_address) return report_no_match(d->report, "regexp", present, error);
  if (!d->symbols_found)
    return error_set(error, PPROFC_E_NO_MATCH, "no matches found for address 0x%llx", address);
  return error_set(error, PPROFC_E_NO_MATCH,
                   "address 0x%llx found in binary, but the corresponding symbols do not have "
                   "samples in the profile",
                   address);
}

static pprofc_status disasm_print_all(struct disasm *d, pprofc_error *error) {
  if (!d->count) return no_match(d, error);
  qsort(d->routines, d->count, sizeof *d->routines, compare_routines);
  listing_total(d->report, &d->out);
  disasm_end_line(d, NULL);
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; status == PPROFC_OK && i < d->count; i++)
    status = disasm_print_routine(d, &d->routines[i], error);
  return status;
}

pprofc_status disasm_walk(struct report *report, const struct disasm_visitor *visitor,
                          pprofc_error *error) {
  struct disasm d = {.report = report, .visitor = visitor};
  d.by_address = str_parse_uint(str_of(report->options->argument), 0, &d.address);
  d.line = buffer_make(report->mem, LINE_MOST);
  output_init(&d.out, buffer_write, &d.line);
  arena_init(&d.arena, report->mem);
  pprofc_status status = listing_graph(report, false, &d.graph, error);
  if (status == PPROFC_OK) status = read_mappings(&d, error);
  if (status == PPROFC_OK) status = disasm_print_all(&d, error);
  if (status == PPROFC_OK && d.out.failed) status = error_nomem(error);
  for (size_t i = 0; i < d.object_count; i++) object_close(&d.objects[i]);
  mem_free(report->mem, d.routines, d.capacity, sizeof *d.routines);
  graph_free(&d.graph);
  arena_free(&d.arena);
  buffer_free(&d.line);
  return status;
}

/* ---- the report -------------------------------------- */

static void report_routine(void *context, pprofc_str name, int64_t flat) {
  (void)context, (void)name, (void)flat;
}

static void report_line(void *context, pprofc_str line, const int64_t *cum) {
  (void)cum;
  output_add_str(context, line);
  output_add_char(context, '\n');
}

pprofc_status report_disasm(struct report *report, struct output *out, pprofc_error *error) {
  const struct disasm_visitor visitor = {out, report_routine, report_line};
  pprofc_status status = disasm_walk(report, &visitor, error);
  /* Messages about binaries that could not be opened come before the error. */
  if (status == PPROFC_E_NO_MATCH) output_flush(out, NULL);
  return status;
}
