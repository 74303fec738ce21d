/* Finds the external tools, and chooses the tool that names addresses. */
#include "symbolize/tools.h"

#include "core/array.h"
#include "core/child.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FRAMES ((size_t)1 << 26)

static const struct {
  enum tool tool;
  const char *setting;  /* name of the tool in -tools */
  const char *names[3]; /* names of the program, in the order of the search */
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
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* Sets the path of the tool to path/name if this program exists; with an empty path, to `name` if
 * PATH has this program. Returns false if there is no such program. */
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

/* Searches `name` in the paths of the setting for this tool, then in the paths for all tools.
 * Returns false if no path has the program. */
static bool try_setting(struct tools *t, size_t row, const char *name, pprofc_str setting) {
  for (int general = 0; general < 2; general++) {
    pprofc_str rest = setting, entry;
    while (str_next(&rest, ',', &entry)) {
      size_t colon = str_find_char(entry, ':');
      bool names_tool = colon < entry.size;
      if (names_tool == (general == 1)) continue;
      pprofc_str tool = str_slice(entry, 0, colon);
      if (names_tool && !str_equal(tool, str_of(tool_names[row].setting))) continue;
      pprofc_str path = names_tool ? str_slice(entry, colon + 1, entry.size) : entry;
      if (try_path(t, tool_names[row].tool, path, name)) return true;
    }
  }
  return false;
}

/* Checks the version of objdump. objdump must be GNU's, or LLVM's from version 8 on. Returns false
 * when out of memory. */
static bool check_objdump(struct tools *t, const pprofc_allocator *mem) {
  const char *argv[] = {t->path[TOOL_OBJDUMP], "--version", NULL};
  struct child child = {.argv = argv};
  struct child_end end;
  struct buffer printed;
  buffer_init(&printed, mem, 1 << 20);
  pprofc_status status = child_run(&child, &printed, &end, NULL);
  pprofc_str text = status == PPROFC_OK ? buffer_str(&printed) : STR("");
  size_t llvm = str_find(text, STR("LLVM version "));
  t->objdump_is_llvm = llvm < text.size;
  int64_t major = 0;
  pprofc_str version = str_slice(text, llvm + 13, llvm + 16), digits;
  bool good = str_find(text, STR("GNU objdump")) < text.size;
  if (t->objdump_is_llvm)
    good = str_find(text, STR("trunk")) < text.size ||
           (str_next(&version, '.', &digits) && str_parse_int(digits, 10, &major) && major >= 8);
  buffer_free(&printed);
  t->found[TOOL_OBJDUMP] = good;
  return status != PPROFC_E_NOMEM;
}

/* Sets the path of a tool that was not found to its name, so that the system searches PATH for it.
 * Like pprof, tools_symbolize uses `found` only to choose between nm and the other tools. */
static void use_path(struct tools *t, enum tool tool) {
  if (!t->found[tool])
    snprintf(t->path[tool], sizeof t->path[tool], "%s", tool_names[tool].setting);
}

bool tools_find(struct tools *t, const char *setting, const pprofc_allocator *mem) {
  bool good = true;
  memset(t, 0, sizeof *t);
  for (size_t i = 0; i < sizeof tool_names / sizeof *tool_names; i++) {
    enum tool tool = tool_names[i].tool;
    for (size_t k = 0; k < 3 && tool_names[i].names[k] && !t->found[tool]; k++) {
      t->found[tool] = try_setting(t, i, tool_names[i].names[k], str_of(setting ? setting : ""));
      if (tool == TOOL_OBJDUMP && t->found[tool]) good = check_objdump(t, mem) && good;
    }
    if (tool != TOOL_OBJDUMP) use_path(t, tool);
  }
  return good;
}

bool frames_add(struct source_frames *frames, struct arena *arena, struct source_frame frame) {
  if (frames->count == MAX_FRAMES) return false;
  if (!ARRAY_RESERVE_IN(arena, frames->items, frames->capacity, frames->count + 1)) return false;
  frames->items[frames->count++] = frame;
  return true;
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

/* Replaces the name of an outermost frame by nm's name for the address if nm's name is longer.
 * addr2line takes names from static symbols only. */
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
    /* An old version without JSON support prints nothing, so try addr2line. */
    bool other = child_exists(tools->path[TOOL_ADDR2LINE]);
    if (status == PPROFC_OK || status == PPROFC_E_NOMEM || !other) return status;
  }
  pprofc_status status = addr2line_frames(q, frames, error);
  if (status == PPROFC_OK) improve_names(q, frames);
  return status;
}
