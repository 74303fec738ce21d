/* What a text of `perf script` tells of the files that were mapped: the lines of
 * --show-mmap-events, and lines "# build id: HEX FILE", which pprofc puts in front of what it has
 * from perf. */
#ifndef PPROFC_IMPORT_TEXT_PERF_MAPS_H
#define PPROFC_IMPORT_TEXT_PERF_MAPS_H

#include "core/map.h"
#include "core/str.h"
#include "profile/builder.h"

/* Code of a file in the memory of a process. */
struct perf_map {
  int64_t pid;
  uint64_t start, limit, offset;
  pprofc_str file;
  size_t order; /* in the text */
};

struct perf_maps {
  const pprofc_allocator *mem;
  struct perf_map *items; /* by pid, start and order, once sorted */
  size_t count, capacity;
  struct interner files; /* those with a build id */
  pprofc_str *build_ids; /* [files] */
  size_t build_id_capacity;
  bool failed; /* out of memory */
};

void perf_maps_init(struct perf_maps *maps, const pprofc_allocator *mem);
void perf_maps_free(struct perf_maps *maps);

/* Takes a line of either kind; others are left alone. */
void perf_maps_read_line(struct perf_maps *maps, pprofc_str line);
/* To be called once between the last line and the first search. */
void perf_maps_sort(struct perf_maps *maps);

/* The mapping of code of a file, at an address of a process. perf gives addresses in the file or
 * in memory: the former are in no map and get a mapping without a range. A file with a build id can
 * be asked for lines and inlined functions, so its mapping does not claim to have names. */
uint32_t perf_maps_mapping(const struct perf_maps *maps, pprofc_builder *builder, pprofc_str file,
                           int64_t pid, uint64_t address);

/* Adds the mapping of the program, where the text says what was mapped into one process and no
 * other: the kernel maps the program first. The first mapping of a profile gives it its name. */
void perf_maps_add_program(const struct perf_maps *maps, pprofc_builder *builder);

#endif
