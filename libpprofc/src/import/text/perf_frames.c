/* Parses and stores frames in the text of `perf script`. */
#include "import/text/perf_frames.h"

#define MAX_LINES 256u /* maximum number of lines of a location */

/* ---- words ------------------------------------------- */

bool perf_script_all_of(pprofc_str s, const char *set) {
  for (size_t i = 0; i < s.size; i++)
    if (!strchr(set, s.data[i]) || !s.data[i]) return false;
  return s.size > 0;
}

/* ---- frames ------------------------------------------ */

static bool perf_script_is_hex(pprofc_str word) {
  return perf_script_all_of(word, "0123456789abcdef") && word.size <= 16;
}

/* Returns the offset of the last opening parenthesis that is not inside other parentheses, or
 * s.size. Parentheses may nest, as in "(/a (deleted))". */
static size_t last_brackets(pprofc_str s) {
  int depth = 0;
  if (!str_ends(s, STR(")"))) return s.size;
  for (size_t i = s.size; i-- > 0;) {
    if (s.data[i] == ')') depth++;
    if (s.data[i] == '(' && --depth == 0) return i;
  }
  return s.size;
}

/* Returns the symbol of "symbol+0x12", without the offset; "" for "[unknown]". */
static pprofc_str symbol_name(pprofc_str symbol) {
  if (str_equal(symbol, STR("[unknown]"))) return STR("");
  size_t plus = str_find_last_char(symbol, '+');
  bool has_offset = str_starts(str_from(symbol, plus), STR("+0x"));
  return has_offset ? str_slice(symbol, 0, plus) : symbol;
}

bool perf_script_parse_frame(pprofc_str line, struct perf_script_frame *frame) {
  *frame = (struct perf_script_frame){0};
  pprofc_str rest = line, word;
  if (!import_next_word(&rest, &word) || !perf_script_is_hex(word) ||
      !str_parse_uint(word, 16, &frame->address))
    return false;
  rest = str_trim(rest);
  size_t open = last_brackets(rest); /* offset of the parenthesis before the name of the object */
  frame->symbol = symbol_name(str_trim(str_slice(rest, 0, open)));
  pprofc_str object = str_slice(rest, open + 1, rest.size ? rest.size - 1 : 0);
  frame->inlined = str_equal(object, STR("inlined"));
  size_t deleted = str_find(object, STR(" (deleted)"));
  object = str_slice(object, 0, deleted);
  if (!frame->inlined && !str_equal(object, STR("[unknown]"))) frame->object = object;
  return true;
}

/* ---- known lines ------------------------------------- */

void perf_frames_init(struct perf_frames *f, pprofc_builder *builder, const struct perf_maps *maps,
                      const pprofc_allocator *mem) {
  *f = (struct perf_frames){.builder = builder, .maps = maps, .mem = mem, .program = NONE};
  arena_init(&f->arena, mem);
  interner_init(&f->texts, mem);
}

void perf_frames_free(struct perf_frames *f) {
  ARRAY_FREE(f->mem, f->stack, f->stack_room);
  ARRAY_FREE(f->mem, f->items, f->room);
  ARRAY_FREE(f->mem, f->known, f->known_room);
  interner_free(&f->texts);
  arena_free(&f->arena);
}

uint32_t perf_frames_text(struct perf_frames *f, pprofc_str text) {
  size_t count = f->texts.count;
  uint32_t id = f->failed ? MAP_NONE : interner_copy(&f->texts, &f->arena, text);
  f->failed = id == MAP_NONE || !ARRAY_RESERVE(f->mem, f->known, f->known_room, (size_t)id + 1);
  if (f->failed) return NONE;
  if (id == count)
    f->known[id] = (struct perf_known){.function = NONE, .mapping = NONE, .location = NONE};
  return id;
}

static void perf_frames_push(struct perf_frames *f, uint32_t text) {
  if (!builder_allows_depth(f->builder, f->count + 1)) return;
  f->failed = !ARRAY_RESERVE(f->mem, f->stack, f->stack_room, f->count + 1) ||
              !ARRAY_PUSH(f->mem, f->items, f->count, f->room, (struct perf_frame){text, NONE, 0});
}

void perf_frames_add(struct perf_frames *f, pprofc_str line) {
  struct perf_script_frame frame;
  uint32_t id = perf_frames_text(f, line);
  if (id == NONE || !perf_script_parse_frame(line, &frame)) return;
  f->known[id].is_frame = true;
  f->known[id].inlined = frame.inlined;
  f->known[id].address = frame.address;
  perf_frames_push(f, id);
}

bool perf_frames_add_known(struct perf_frames *f, pprofc_str line) {
  uint32_t id = f->failed ? MAP_NONE : interner_find(&f->texts, line);
  if (id == MAP_NONE || !f->known[id].is_frame) return false;
  perf_frames_push(f, id);
  return true;
}

bool perf_frames_add_source(struct perf_frames *f, pprofc_str line) {
  line = str_trim(line);
  size_t colon = str_find_last_char(line, ':');
  int64_t number;
  if (str_ends(line, STR("]"))) return true;
  if (!f->count || colon == 0 || colon == line.size ||
      !str_parse_int(str_from(line, colon + 1), 10, &number))
    return false;
  f->items[f->count - 1].file = perf_frames_text(f, str_slice(line, 0, colon));
  f->items[f->count - 1].line = number;
  return true;
}

/* ---- stacks ------------------------------------------ */

static bool is_kernel(pprofc_str object) {
  return (str_starts(object, STR("[")) && !str_starts(object, STR("[vdso")) &&
          !str_starts(object, STR("[stack"))) ||
         str_contains(object, STR("vmlinux")) || str_ends(object, STR(".ko"));
}

static uint32_t perf_script_mapping_of(struct perf_frames *f, pprofc_str object, int64_t pid,
                                       uint64_t address) {
  if (!object.size && !f->maps->count) return NONE;
  pprofc_str name =
      is_kernel(object) && str_starts(object, STR("[kernel")) ? STR("[kernel.kallsyms]") : object;
  return perf_maps_mapping(f->maps, f->builder, name, pid, address);
}

/* True if an object may be a program: not the kernel, a library, or code that a JIT compiled. */
static bool perf_frames_is_program(pprofc_str object) {
  return str_starts(object, STR("/")) && !str_starts(object, STR("//")) && !is_kernel(object) &&
         !import_is_library(object) && !str_ends(object, STR(".map")) &&
         !str_ends(object, STR(".jsa"));
}

static uint32_t perf_script_function_of(struct perf_frames *f, pprofc_str name, pprofc_str file) {
  return import_function(f->builder, name, builder_string(f->builder, file));
}

/* Removes the inlined functions of Java from the end of a symbol, so "a->b" becomes "a". Adds a
 * line for each removed function. Returns the new number of lines. */
static size_t take_inlined_java(struct perf_frames *f, pprofc_str *symbol, pprofc_line *lines,
                                size_t count) {
  pprofc_str name;
  while (count < MAX_LINES - 1 && jit_take_inlined(symbol, &name))
    lines[count++] = (pprofc_line){perf_script_function_of(f, name, STR("")), 0, 0};
  return count;
}

/* Adds the lines of a frame: first Java's inlined functions, then the function itself. Returns the
 * new number of lines. */
static size_t perf_frames_lines(struct perf_frames *f, const struct perf_frame *item,
                                pprofc_line *lines, size_t count) {
  struct perf_known *known = &f->known[item->text];
  struct perf_script_frame frame;
  char room[IMPORT_SCRIPT_NAME];
  bool plain = item->file == NONE;
  size_t before = count;
  if (count < MAX_LINES && plain && known->function != NONE) {
    lines[count] = (pprofc_line){known->function, 0, 0};
    return count + 1;
  }
  perf_script_parse_frame(f->texts.items[item->text], &frame);
  count = take_inlined_java(f, &frame.symbol, lines, count);
  if (!frame.symbol.size || count == MAX_LINES) return count;
  struct jit_function symbol = jit_function_of(frame.symbol);
  pprofc_str file = plain ? symbol.file : f->texts.items[item->file];
  pprofc_str name = import_script_name(symbol.name, symbol.file, symbol.line, room);
  uint32_t function = perf_script_function_of(f, name, file);
  if (plain && count == before) known->function = function;
  lines[count] = (pprofc_line){function, item->line, 0};
  return count + 1;
}

static uint32_t perf_frames_mapping(struct perf_frames *f, uint32_t text, int64_t pid) {
  struct perf_known *known = &f->known[text];
  struct perf_script_frame frame;
  if (known->mapping != NONE) return known->mapping;
  perf_script_parse_frame(f->texts.items[text], &frame);
  known->mapping = perf_script_mapping_of(f, frame.object, pid, frame.address);
  if (f->program == NONE && perf_frames_is_program(frame.object)) f->program = known->mapping;
  return known->mapping;
}

/* Returns the cached location of a frame in process `pid`, or NONE. `alone` is false if the
 * location also depends on other lines of the sample; the result is then NONE. Clears the cached
 * mapping and location if they belong to another process. */
static uint32_t perf_frames_known(struct perf_known *known, int64_t pid, bool alone) {
  if (known->pid != pid) known->mapping = known->location = NONE;
  known->pid = pid;
  return alone ? known->location : NONE;
}

/* Writes the stack of the block (the text of a sample). An inlined frame precedes its caller and
 * shares the caller's location. The symbol of a Java frame also names inlined functions: "a->b". */
size_t perf_frames_stack(struct perf_frames *f, int64_t pid) {
  pprofc_line lines[MAX_LINES];
  size_t depth = 0, count = 0;
  /* Without lines of mapped files, a frame has the same mapping in all processes. */
  if (!f->maps->count) pid = 0;
  for (size_t i = 0; i < f->count; i++) {
    const struct perf_frame *item = &f->items[i];
    struct perf_known *known = &f->known[item->text];
    bool alone = !count && item->file == NONE && !known->inlined;
    uint32_t location = perf_frames_known(known, pid, alone);
    if (location == NONE) {
      count = perf_frames_lines(f, item, lines, count);
      if (known->inlined && i + 1 < f->count && count < MAX_LINES - 6) continue;
      uint32_t mapping = perf_frames_mapping(f, item->text, pid);
      if (!count && !known->address) continue;
      location = pprofc_builder_location(f->builder, mapping, known->address, lines, count);
      if (alone) known->location = location;
    }
    f->stack[depth++] = location;
    count = 0;
  }
  return depth;
}
