/* Reads the mapped files in the text of `perf script`: the lines of --show-mmap-events, and lines
 * "# build id: HEX FILE" that pprofc writes before perf's output. */
#ifndef PPROFC_IMPORT_TEXT_PERF_MAPS_H
#define PPROFC_IMPORT_TEXT_PERF_MAPS_H

#include "core/map.h"
#include "core/str.h"
#include "profile/builder.h"

/* A range of a process's memory with code of a file. */
struct perf_map {
  int64_t pid;
  uint64_t start, limit, offset;
  pprofc_str file;
  size_t order; /* position of the map in the text */
};

/* A process and the process that it was forked from. */
struct perf_fork {
  int64_t child, parent;
};

struct perf_maps {
  const pprofc_allocator *mem;
  struct perf_fork *forks; /* sorted by child */
  size_t fork_count, fork_capacity;
  struct arena texts;     /* arena for the names of files and the build ids */
  struct perf_map *items; /* maps, sorted by pid, start and order */
  size_t count, capacity;
  struct perf_map *by_file; /* the same maps, sorted by file, offset and order */
  struct interner files;    /* names of the files with a build id */
  pprofc_str *build_ids;    /* build id of each of these files */
  size_t build_id_capacity;
  bool failed; /* true when out of memory */
};

void perf_maps_init(struct perf_maps *maps, const pprofc_allocator *mem);
void perf_maps_free(struct perf_maps *maps);

/* Reads a line of either kind; ignores other lines. */
void perf_maps_read_line(struct perf_maps *maps, pprofc_str line);
/* Sorts the maps. Call it once after the last line and before the first search. */
void perf_maps_sort(struct perf_maps *maps);

/* Adds the mapping of a file's code at an address of a process. perf prints addresses in memory
 * or offsets in the file. An offset gets a mapping whose memory begins at its offset, so that
 * both are equal; without a map of the file, a mapping without a range. A
 * mapping with a build id is not marked as having function names, so that it can be
 * symbolized. If `file` is empty, returns the mapping of the file that is mapped at the address,
 * or NONE. */
uint32_t perf_maps_mapping(const struct perf_maps *maps, pprofc_builder *builder, pprofc_str file,
                           int64_t pid, uint64_t address);

/* Adds the mapping of the program if the text has the maps of a single process: the kernel
 * maps the program first. The first mapping of a profile is its main program. */
void perf_maps_add_program(const struct perf_maps *maps, pprofc_builder *builder);

#endif
