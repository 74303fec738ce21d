/* Parses and stores frames in the text of `perf script`. For a line that was read before, a single
 * lookup finds the location of the frame. */
#ifndef PPROFC_IMPORT_TEXT_PERF_FRAMES_H
#define PPROFC_IMPORT_TEXT_PERF_FRAMES_H

#include "import/reader.h"

/* The mapped files in the text of `perf script`, which lists them in the lines of
 * --show-mmap-events. Lines "# build id: HEX FILE", which pprofc writes before perf's output, give
 * build ids. */

/* A range of a process's memory with the code of a file. */
struct perf_map {
  int64_t pid;
  uint64_t start, limit, offset;
  pprofc_str file;
  size_t order;   /* number of maps that precede this map in the text */
  size_t longest; /* in `by_file`: index of the map with the highest end, among this map and the
                     earlier maps of the same file */
};

/* A process and the process that it was forked from. */
struct perf_fork {
  int64_t child, parent;
};

/* One of the first frames of the text whose object is a path. From these frames, perf_maps_sort
 * decides if addresses are offsets in files. */
struct perf_probe {
  uint64_t address;
  pprofc_str file;
};

#define PERF_PROBES 256u

struct perf_maps {
  const pprofc_allocator *mem;
  struct perf_probe *probes; /* first frames of the text, in an array of PERF_PROBES */
  size_t probe_count;
  bool offsets; /* true if the addresses of frames are offsets in files; false if they are addresses
                   in memory */
  struct perf_fork *forks; /* forks of processes, sorted by child */
  size_t fork_count, fork_capacity;
  struct arena texts;     /* arena for the names of files and the build ids */
  struct perf_map *items; /* maps, sorted by pid, then `start`, then `order` */
  size_t count, capacity;
  struct perf_map *by_file; /* copy of `items`, sorted by file, then `offset`, then `order` */
  struct interner files;    /* names of the files with a build id */
  pprofc_str *build_ids;    /* build id of each item of `files` */
  size_t build_id_capacity;
  bool failed; /* true when out of memory */
};

void perf_maps_init(struct perf_maps *maps, const pprofc_allocator *mem);
void perf_maps_free(struct perf_maps *maps);

/* Reads a line with a mapped file, a fork or a build id. Ignores any other line. */
void perf_maps_read_line(struct perf_maps *maps, pprofc_str line);
/* Keeps a frame for the decision of perf_maps_sort. Ignores frames after the first PERF_PROBES. */
void perf_maps_probe(struct perf_maps *maps, uint64_t address, pprofc_str file);
/* Sorts the maps. Decides from the frames kept by perf_maps_probe if addresses are offsets in
 * files. Call this function after the last line, and before the first search for a map. */
void perf_maps_sort(struct perf_maps *maps);

/* Adds the mapping of `file` at an address of a process. If no map of `file` contains the address,
 * the mapping has no address range. If `file` is empty, uses the file that is mapped at the
 * address, or returns NONE if there is no such file. */
uint32_t perf_maps_mapping(const struct perf_maps *maps, pprofc_builder *builder, pprofc_str file,
                           int64_t pid, uint64_t address);

/* Adds the mapping of the program as the first mapping of the profile. The first map is the
 * program, because the kernel maps it first. Adds nothing and returns false if the first map is not
 * a file, or if the processes do not have a common ancestor. */
bool perf_maps_add_program(const struct perf_maps *maps, pprofc_builder *builder);

/* Command of a sample whose header does not have a command. */
#define PERF_NO_COMMAND "-"

struct perf_script_frame {
  uint64_t address;
  pprofc_str symbol, object;
  bool inlined;
};

/* Cached data of a text in perf_frames.texts. For the line of a frame, the cached data are the
 * builder's indices for this frame. */
struct perf_known {
  uint64_t address;
  int64_t pid;       /* process to which `mapping` and `location` belong */
  uint32_t function; /* function of the frame; NONE if it is unknown, or if the symbol names several
                        functions */
  uint32_t mapping, location; /* mapping and location of the frame; NONE if unknown */
  bool is_frame; /* false for a text that is not a frame, such as the name of an event */
  bool inlined;
};

/* A frame of the current block, which is the text of one sample. */
struct perf_frame {
  uint32_t text; /* index of the line in perf_frames.texts */
  uint32_t file; /* index of the source file in perf_frames.texts, or NONE */
  int64_t line;
};

struct perf_frames {
  pprofc_builder *builder;
  const struct perf_maps *maps;
  const pprofc_allocator *mem;
  struct arena arena;       /* arena for copies of the texts */
  struct interner texts;    /* lines of frames, names of source files, names of events */
  struct perf_known *known; /* data of each text in `texts`, with the same index */
  size_t known_room;
  struct perf_frame *items; /* frames of the current block */
  size_t count, room;
  uint32_t *stack; /* stack of the current block */
  size_t stack_room;
  uint32_t program; /* first mapping that may be a program, or NONE */
  bool failed;      /* true when out of memory */
};

/* True if s is not empty and consists only of characters in `set`. */
bool perf_script_all_of(pprofc_str s, const char *set);

/* Parses a frame: "7f12 symbol+0x12 (object)". Returns false if the line is not a frame. */
bool perf_script_parse_frame(pprofc_str line, struct perf_script_frame *frame);

void perf_frames_init(struct perf_frames *frames, pprofc_builder *builder,
                      const struct perf_maps *maps, const pprofc_allocator *mem);
void perf_frames_free(struct perf_frames *frames);

/* Returns the index of a text. Copies the text if it is new. */
uint32_t perf_frames_text(struct perf_frames *frames, pprofc_str text);

/* Adds the frame in a line to the current block (the text of a sample). The builder fails if the
 * block has too many frames. */
void perf_frames_add(struct perf_frames *frames, pprofc_str line);
/* Adds the frame in a line if the same line was read as a frame before. Otherwise returns false. */
bool perf_frames_add_known(struct perf_frames *frames, pprofc_str line);

/* Reads the source line of the last frame: "file.c:123", or "object[1f0]" if the line is unknown.
 * Returns false for any other line. */
bool perf_frames_add_source(struct perf_frames *frames, pprofc_str line);

/* Writes the stack of the block (the text of a sample) to frames->stack. Returns its depth. The
 * block belongs to process `pid`. */
size_t perf_frames_stack(struct perf_frames *frames, int64_t pid);

/* ---- perf_script.c, perf_loose.c --------------------- */

/* Reads text of `perf script` that another reader has made from its input. Does nothing if the
 * builder has failed. */
void perf_script_converted(const struct buffer *text, pprofc_builder *builder, struct arena *arena);

/* True for a time with a colon after it: "824.484931:". */
bool perf_script_is_time(pprofc_str word);

/* True if the first line that is not blank and not a comment, or the line after it, is a frame. */
bool perf_loose_begins(pprofc_str text);
/* Repairs text of perf: writes it to `out` with complete headers and indented frames. Returns false
 * if the text is not output of perf. */
bool perf_loose_convert(pprofc_str text, struct buffer *out);

#endif
