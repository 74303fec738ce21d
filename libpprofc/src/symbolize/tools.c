/* Finds the external tools, and chooses the tool that names addresses. */
#include "symbolize/tools.h"
#include "core/child.h"
#include "core/file.h"
#include "core/json_tree.h"

/* ---- output of tools -------------------------------- */

pprofc_status tools_run(const char *const *argv, pprofc_str input, struct arena *arena,
                        pprofc_str *printed, pprofc_error *error) {
  struct child child = {.argv = argv, .input = input};
  struct child_end end;
  struct buffer output = buffer_make(arena->mem, CHILD_OUTPUT_BYTES);
  pprofc_status status = child_run(&child, &output, &end, error);
  if (status == PPROFC_OK && end.status != 0 && !output.size)
    status = error_set(error, PPROFC_E_IO, "%s: %s", argv[0], end.said);
  if (status == PPROFC_OK) {
    *printed = arena_str(arena, buffer_str(&output));
    if (!printed->data) status = error_nomem(error);
  }
  buffer_free(&output);
  return status;
}

/* ---- nm ---------------------------------------------- */

/* Parses a line "name type value size". Returns false for a line with more or fewer fields, like
 * pprof. */
static bool nm_line(pprofc_str line, struct nm_symbol *symbol) {
  pprofc_str rest = str_trim(line), field[4], more;
  for (int i = 0; i < 4; i++)
    if (!str_next(&rest, ' ', &field[i])) return false;
  if (str_next(&rest, ' ', &more)) return false;
  *symbol = (struct nm_symbol){.name = field[0], .type = field[1].size ? field[1].data[0] : '?'};
  return str_parse_uint(field[2], 16, &symbol->address) &&
         str_parse_uint(field[3], 16, &symbol->size);
}

pprofc_status nm_read(const struct tool_query *q, struct nm_symbols *symbols, pprofc_error *error) {
  const char *file = tools_file_argument(q->file, q->arena);
  if (!file) return error_nomem(error);
  const char *argv[] = {
      q->tools->path[TOOL_NM], "--numeric-sort", "--print-size", "--format=posix", file, NULL};
  pprofc_str printed, line;
  pprofc_status status = tools_run(argv, STR(""), q->arena, &printed, error);
  if (status != PPROFC_OK) return status;
  size_t lines = 0;
  for (pprofc_str rest = printed; str_next_line(&rest, &line);) lines++;
  *symbols = (struct nm_symbols){arena_array(q->arena, lines, sizeof *symbols->items), 0};
  if (!symbols->items) return error_nomem(error);
  while (str_next_line(&printed, &line))
    if (nm_line(line, &symbols->items[symbols->count])) symbols->count++;
  return PPROFC_OK;
}

/* Returns the symbol at an address, or NULL. */
static const struct nm_symbol *nm_find(const struct nm_symbols *symbols, uint64_t address) {
  const struct nm_symbol *items = symbols->items;
  size_t from = 0,
         to = symbols->count; /* bounds: items[from].address <= address < items[to].address */
  if (!to || address < items[0].address) return NULL;
  if (address >= items[to - 1].address + items[to - 1].size) return NULL;
  while (to - from > 1) {
    size_t middle = from + (to - from) / 2;
    if (items[middle].address <= address)
      from = middle;
    else
      to = middle;
    /* Like pprof, stop at the first symbol that the search finds at this address. */
    if (items[middle].address == address) break;
  }
  const struct nm_symbol *found = &items[from];
  bool is_data = memchr("bBdDrRvVW", found->type, 9) != NULL;
  return is_data && address >= found->address + found->size ? NULL : found;
}

/* ---- addr2line --------------------------------------- */

/* Runs a tool, and passes it the addresses with `prefix` before each. */
static pprofc_status ask_tool(const struct tool_query *q, const char *const *argv,
                              const char *prefix, pprofc_str *printed, pprofc_error *error) {
  struct buffer input = buffer_make(q->arena->mem, SIZE_MAX / 2);
  for (size_t i = 0; i < q->count; i++)
    buffer_printf(&input, "%s0x%llx\n", prefix, (unsigned long long)q->addresses[i]);
  pprofc_status status = input.failed
                             ? error_nomem(error)
                             : tools_run(argv, buffer_str(&input), q->arena, printed, error);
  buffer_free(&input);
  return status;
}

/* Parses "file:line" or "file:line (discriminator 3)". The file "??" and the lines "?" and 0 mean
 * that the file or line is unknown. A text that does not end in a line number is a file name. */
static void file_and_line(pprofc_str text, struct source_frame *frame) {
  text = str_slice(text, 0, str_find(text, STR(" (discriminator")));
  size_t colon = str_find_last_char(text, ':');
  pprofc_str file = str_slice(text, 0, colon), line = str_from(text, colon + 1);
  bool numbered = str_equal(line, STR("?")) || str_parse_int(line, 10, &frame->line);
  if (!numbered)
    frame->file = text;
  else if (!str_equal(file, STR("??")))
    frame->file = file;
}

/* True if the line is the address in hex, and not a function name that begins with "0x". */
static bool is_address(pprofc_str line, uint64_t address) {
  uint64_t value;
  return str_take(&line, STR("0x")) && str_parse_uint(line, 16, &value) && value == address;
}

#define MAX_FRAMES ((size_t)1 << 26)

/* Appends a frame. Returns false when out of memory or if there are too many frames. */
static bool frames_add(struct source_frames *frames, struct arena *arena,
                       struct source_frame frame) {
  return frames->count < MAX_FRAMES &&
         ARRAY_PUSH_IN(arena, frames->items, frames->count, frames->capacity, frame);
}

/* Reads the output of addr2line. For each address, the output has a line "0x<address>", then two
 * lines for each frame: function and position. */
static pprofc_status read_addr2line(const struct tool_query *q, pprofc_str printed,
                                    struct source_frames *frames, pprofc_error *error) {
  pprofc_str line, place;
  size_t answer = 0;
  while (str_next_line(&printed, &line)) {
    if (answer < q->count && is_address(line, q->addresses[answer])) {
      frames->from[answer++] = frames->count;
      continue;
    }
    if (!answer || !str_next_line(&printed, &place)) break;
    struct source_frame frame = {.function = str_equal(line, STR("??")) ? STR("") : line};
    file_and_line(place, &frame);
    if (!frame.function.size && !frame.file.size) continue;
    if (!frames_add(frames, q->arena, frame)) return error_nomem(error);
  }
  for (; answer <= q->count; answer++) frames->from[answer] = frames->count;
  return PPROFC_OK;
}

pprofc_status addr2line_frames(const struct tool_query *q, struct source_frames *frames,
                               pprofc_error *error) {
  const char *file = tools_file_argument(q->file, q->arena);
  if (!file) return error_nomem(error);
  const char *argv[] = {q->tools->path[TOOL_ADDR2LINE], "-aif", "-e", file, NULL};
  pprofc_str printed;
  pprofc_status status = ask_tool(q, argv, "", &printed, error);
  return status == PPROFC_OK ? read_addr2line(q, printed, frames, error) : status;
}

/* ---- llvm-symbolizer --------------------------------- */

/* Reads the frames of one address: {"Symbol":[{"FunctionName":...}, ...]}. Copies the texts,
 * because the caller frees `answer`. */
static bool add_answer(const struct node *answer, struct arena *arena,
                       struct source_frames *frames) {
  const struct node *symbols = node_get(answer, "Symbol");
  for (size_t i = 0; i < node_size(symbols); i++) {
    const struct node *symbol = node_at(symbols, i);
    struct source_frame frame = {
        .function = arena_str(arena, node_text(symbol, "FunctionName")),
        .file = arena_str(arena, node_text(symbol, "FileName")),
        .line = node_integer(node_get(symbol, "Line")),
        .column = node_integer(node_get(symbol, "Column")),
        .start_line = node_integer(node_get(symbol, "StartLine")),
    };
    if (!frame.function.data || !frame.file.data || !frames_add(frames, arena, frame)) return false;
  }
  return true;
}

/* Reads a line of llvm-symbolizer's output. Skips a line that is not JSON. Returns false when out
 * of memory. */
static bool tool_output_read_line(pprofc_str line, struct arena *arena,
                                  struct source_frames *frames) {
  struct node *answer = NULL;
  struct arena scratch = arena_make(arena->mem);
  pprofc_status status = json_tree_parse(&scratch, NULL, line, &answer, NULL);
  bool read = status != PPROFC_E_NOMEM && add_answer(answer, arena, frames);
  arena_free(&scratch);
  return read;
}

static pprofc_status read_llvm(const struct tool_query *q, pprofc_str printed,
                               struct source_frames *frames, pprofc_error *error) {
  pprofc_str line;
  size_t answer = 0;
  while (answer < q->count && str_next_line(&printed, &line)) {
    if (!line.size) continue;
    frames->from[answer++] = frames->count;
    if (!tool_output_read_line(line, q->arena, frames)) return error_nomem(error);
  }
  for (; answer <= q->count; answer++) frames->from[answer] = frames->count;
  return PPROFC_OK;
}

pprofc_status llvm_symbolizer_frames(const struct tool_query *q, struct source_frames *frames,
                                     pprofc_error *error) {
  const char *file = tools_file_argument(q->file, q->arena);
  if (!file) return error_nomem(error);
  const char *argv[] = {q->tools->path[TOOL_LLVM_SYMBOLIZER],
                        "--inlining",
                        "-demangle=false",
                        "--output-style=JSON",
                        "--obj",
                        file,
                        NULL};
  pprofc_str printed;
  pprofc_status status = ask_tool(q, argv, "CODE ", &printed, error);
  return status == PPROFC_OK ? read_llvm(q, printed, frames, error) : status;
}

static const struct {
  enum tool tool;
  const char *setting;  /* name of the tool in -tools */
  const char *names[3]; /* names of the program, in the order in which they are tried */
} tool_names[] = {
    {TOOL_ADDR2LINE, "addr2line", {"addr2line"}},
    {TOOL_LLVM_SYMBOLIZER, "llvm-symbolizer", {"llvm-symbolizer"}},
    {TOOL_NM, "nm", {"llvm-nm", "nm"}},
    {TOOL_OBJDUMP, "objdump", {"llvm-objdump", "objdump"}},
};

const char *tools_file_argument(const char *file, struct arena *arena) {
  if (*file == '/' || strncmp(file, "./", 2) == 0) return file;
  size_t size = strlen(file);
  char *argument = arena_alloc(arena, size + 3);
  if (!argument) return NULL;
  memcpy(argument, "./", 2);
  memcpy(argument + 2, file, size + 1);
  return argument;
}

static bool is_program(const char *path) {
  return file_is_regular(path) && access(path, X_OK) == 0;
}

/* Sets the path of the tool to path/name. If `path` is empty, sets it to `name`, for which the
 * system searches PATH. Returns false if there is no such program. */
static bool try_path(struct tools *t, enum tool tool, pprofc_str path, const char *name) {
  char *out = t->path[tool];
  if (!path.size) {
    if (!child_exists(name)) return false;
    snprintf(out, sizeof t->path[tool], "%s", name);
    return true;
  }
  int length = snprintf(out, sizeof t->path[tool], "%.*s/%s", STR_ARG(path), name);
  if (length > 0 && (size_t)length < sizeof t->path[tool] && is_program(out)) return true;
  *out = '\0';
  return false;
}

/* Searches for the program `name`: first in the paths that `setting` gives for this tool, then in
 * the paths that it gives for all tools. Returns false if no path has the program. */
static bool try_setting(struct tools *t, size_t row, const char *name, pprofc_str setting) {
  for (int general = 0; general < 2; general++) {
    pprofc_str rest = setting, entry;
    while (str_next(&rest, ',', &entry)) {
      size_t colon = str_find_char(entry, ':');
      bool names_tool = colon < entry.size;
      if (names_tool == (general == 1)) continue;
      pprofc_str tool = str_slice(entry, 0, colon);
      if (names_tool && !str_equal(tool, str_of(tool_names[row].setting))) continue;
      pprofc_str path = names_tool ? str_from(entry, colon + 1) : entry;
      if (try_path(t, tool_names[row].tool, path, name)) return true;
    }
  }
  return false;
}

/* Checks the version of objdump, which must be GNU's, or LLVM's version 8 or newer. Returns false
 * when out of memory. */
static bool check_objdump(struct tools *t, const pprofc_allocator *mem) {
  const char *argv[] = {t->path[TOOL_OBJDUMP], "--version", NULL};
  struct child child = {.argv = argv};
  struct child_end end;
  struct buffer printed = buffer_make(mem, 1 << 20);
  pprofc_status status = child_run(&child, &printed, &end, NULL);
  pprofc_str text = status == PPROFC_OK ? buffer_str(&printed) : STR("");
  size_t llvm = str_find(text, STR("LLVM version "));
  t->objdump_is_llvm = llvm < text.size;
  int64_t major = 0;
  pprofc_str version = str_slice(text, llvm + 13, llvm + 16), digits;
  bool good = str_contains(text, STR("GNU objdump"));
  if (t->objdump_is_llvm)
    good = str_contains(text, STR("trunk")) ||
           (str_next(&version, '.', &digits) && str_parse_int(digits, 10, &major) && major >= 8);
  buffer_free(&printed);
  t->found[TOOL_OBJDUMP] = good;
  return status != PPROFC_E_NOMEM;
}

/* If a tool was not found, sets its path to its name, so that the system searches PATH for it. Does
 * not change `found`: like pprof, tools_symbolize uses nm if neither llvm-symbolizer nor addr2line
 * was found. */
static void use_path(struct tools *t, enum tool tool) {
  if (!t->found[tool])
    snprintf(t->path[tool], sizeof t->path[tool], "%s", tool_names[tool].setting);
}

bool tools_find(struct tools *t, const char *setting, const pprofc_allocator *mem) {
  bool good = true;
  memset(t, 0, sizeof *t);
  for (size_t i = 0; i < COUNT(tool_names); i++) {
    enum tool tool = tool_names[i].tool;
    for (size_t k = 0; k < 3 && tool_names[i].names[k] && !t->found[tool]; k++) {
      t->found[tool] = try_setting(t, i, tool_names[i].names[k], str_of(setting ? setting : ""));
      if (tool == TOOL_OBJDUMP && t->found[tool]) good = check_objdump(t, mem) && good;
    }
    if (tool != TOOL_OBJDUMP) use_path(t, tool);
  }
  return good;
}

/* Queries nm, which prints only names of functions. */
static pprofc_status nm_frames(const struct tool_query *q, struct source_frames *frames,
                               pprofc_error *error) {
  struct nm_symbols symbols;
  pprofc_status status = nm_read(q, &symbols, error);
  if (status != PPROFC_OK) return status;
  for (size_t i = 0; i < q->count; i++) {
    frames->from[i] = frames->count;
    const struct nm_symbol *symbol = nm_find(&symbols, q->addresses[i]);
    if (symbol && !frames_add(frames, q->arena, (struct source_frame){.function = symbol->name}))
      return error_nomem(error);
  }
  frames->from[q->count] = frames->count;
  return PPROFC_OK;
}

/* Replaces the name of each address's outermost frame if nm has a longer name. addr2line takes
 * names from static symbols only. */
static void improve_names(const struct tool_query *q, struct source_frames *frames) {
  struct nm_symbols symbols;
  if (nm_read(q, &symbols, NULL) != PPROFC_OK) return;
  for (size_t i = 0; i < q->count; i++) {
    if (frames->from[i] == frames->from[i + 1]) continue;
    struct source_frame *outermost = &frames->items[frames->from[i + 1] - 1];
    const struct nm_symbol *symbol = nm_find(&symbols, q->addresses[i]);
    if (symbol && symbol->name.size > outermost->function.size + 1)
      outermost->function = symbol->name;
  }
}

pprofc_status tools_symbolize(const struct tool_query *q, bool fast, struct source_frames *frames,
                              pprofc_error *error) {
  const struct tools *tools = q->tools;
  *frames = (struct source_frames){
      .from = arena_zero_array(q->arena, q->count + 1, sizeof *frames->from)};
  if (!frames->from) return error_nomem(error);
  bool found = tools->found[TOOL_LLVM_SYMBOLIZER] || tools->found[TOOL_ADDR2LINE];
  bool llvm = child_exists(tools->path[TOOL_LLVM_SYMBOLIZER]);
  if (fast || !found) return nm_frames(q, frames, error);
  if (llvm) {
    pprofc_status status = llvm_symbolizer_frames(q, frames, error);
    /* An old llvm-symbolizer without JSON support prints nothing, so try addr2line. */
    bool other = child_exists(tools->path[TOOL_ADDR2LINE]);
    if (status == PPROFC_OK || status == PPROFC_E_NOMEM || !other) return status;
  }
  pprofc_status status = addr2line_frames(q, frames, error);
  if (status == PPROFC_OK) improve_names(q, frames);
  return status;
}
