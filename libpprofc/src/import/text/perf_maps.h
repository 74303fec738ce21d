/* Mapped files in the text of `perf script`: the lines of --show-mmap-events,
 * and lines "# build id: HEX FILE" that pprofc writes before perf's output. */
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
  size_t order; /* position in the text */
};

struct perf_maps {
  const pprofc_allocator *mem;
  struct perf_map *items; /* sorted by pid, start and order */
  size_t count, capacity;
  struct interner files; /* files with a build id */
  pprofc_str *build_ids; /* [files] build id of each file */
  size_t build_id_capacity;
  bool failed; /* true when out of memory */
};

void perf_maps_init(struct perf_maps *maps, const pprofc_allocator *mem);
void perf_maps_free(struct perf_maps *maps);

/* Reads a line of either kind; ignores other lines. */
void perf_maps_read_line(struct perf_maps *maps, pprofc_str line);
/* Sorts the maps. Call it once after the last line and before the first search. */
void perf_maps_sort(struct perf_maps *maps);

/* Adds the mapping of a file's code at an address of a process. perf prints addresses in
 * memory or in the file; the latter are not in a map and get a mapping without a range. A
 * mapping with a build id is not marked as having function names, so that it can be
 * symbolized. */
uint32_t perf_maps_mapping(const struct perf_maps *maps, pprofc_builder *builder, pprofc_str file,
                           int64_t pid, uint64_t address);

/* Adds the mapping of the program if the text has the maps of a single process: the kernel
 * maps the program first. The first mapping of a profile is its main program. */
void perf_maps_add_program(const struct perf_maps *maps, pprofc_builder *builder);

#endif
