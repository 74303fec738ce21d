/* Finds addr2line, nm, objdump and llvm-symbolizer, and runs them. One run handles all addresses of
 * a file. */
#ifndef PPROFC_SYMBOLIZE_TOOLS_H
#define PPROFC_SYMBOLIZE_TOOLS_H

#include "core/base.h"

enum tool { TOOL_ADDR2LINE, TOOL_LLVM_SYMBOLIZER, TOOL_NM, TOOL_OBJDUMP, TOOL_COUNT };

struct tools {
  char path[TOOL_COUNT][1024]; /* path of each tool; a name without a slash is searched in PATH */
  bool found[TOOL_COUNT];
  bool objdump_is_llvm;
};

/* Finds the tools. `setting` is the value of -tools or PPROF_TOOLS: "tool:path" or "path",
 * separated by commas. If `setting` is NULL or "", searches PATH. Returns false when out of
 * memory. */
bool tools_find(struct tools *tools, const char *setting, const pprofc_allocator *mem);

/* Returns a file name that tools do not take for an option or a response file. Returns NULL when
 * out of memory. */
const char *tools_file_argument(const char *file, struct arena *arena);

/* Runs a tool and stores its standard output in the arena. Returns an error if the tool fails and
 * prints nothing. */
pprofc_status tools_run(const char *const *argv, pprofc_str input, struct arena *arena,
                        pprofc_str *printed, pprofc_error *error);

/* A frame of an address. Inlined functions come before the function that contains them. The arena
 * of the caller owns the strings. */
struct source_frame {
  pprofc_str function, file;
  int64_t line, column, start_line;
};

/* Frames of all addresses. The frames of address i are items[from[i]] to items[from[i + 1] - 1]. */
struct source_frames {
  struct source_frame *items;
  size_t count, capacity;
  /* for each address, the index of its first frame; the last element is the number of frames */
  size_t *from;
};

/* Addresses of a file for which a tool must find names. */
struct tool_query {
  const struct tools *tools;
  const char *file;
  const uint64_t *addresses;
  size_t count;
  struct arena *arena; /* arena for the result */
};

/* Finds the frames of addresses. If `fast` is true, runs only nm. Unknown addresses get no
 * frames. */
pprofc_status tools_symbolize(const struct tool_query *query, bool fast,
                              struct source_frames *frames, pprofc_error *error);

/* One symbol of nm's list. */
struct nm_symbol {
  uint64_t address, size;
  pprofc_str name;
  char type;
};

struct nm_symbols {
  struct nm_symbol *items;
  size_t count;
};

/* Returns the symbols of a file by ascending address, as `nm --numeric-sort --print-size
 * --format=posix` prints them. */
pprofc_status nm_read(const struct tool_query *query, struct nm_symbols *symbols,
                      pprofc_error *error);

/* Each of these functions runs one tool, and adds the frames that the tool prints. frames->from has
 * an item for each address, and one more item. */
pprofc_status addr2line_frames(const struct tool_query *query, struct source_frames *frames,
                               pprofc_error *error);
pprofc_status llvm_symbolizer_frames(const struct tool_query *query, struct source_frames *frames,
                                     pprofc_error *error);

#endif
