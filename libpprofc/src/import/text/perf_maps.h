/* Reads the mapped files in the text of `perf script`, which lists them in the lines of
 * --show-mmap-events. Lines "# build id: HEX FILE", which pprofc writes before perf's output, give
 * build ids. */
#ifndef PPROFC_IMPORT_TEXT_PERF_MAPS_H
#define PPROFC_IMPORT_TEXT_PERF_MAPS_H

#include "profile/builder.h"

/* A range of a process's memory with the code of a file. */
struct perf_map {
  int64_t pid;
  uint64_t start, limit, offset;
  pprofc_str file;
  size_t order;   /* position of the map in the text */
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
/* Sorts the maps, and decides from the kept frames if addresses are offsets in files. Call it once
 * after the last line and before the first search. */
void perf_maps_sort(struct perf_maps *maps);

/* Adds the mapping of `file` at an address of a process. If no line maps the file, the mapping has
 * no address range. If `file` is empty, uses the file that is mapped at the address, or returns
 * NONE if there is no such file. */
uint32_t perf_maps_mapping(const struct perf_maps *maps, pprofc_builder *builder, pprofc_str file,
                           int64_t pid, uint64_t address);

/* Adds the mapping of the program if the text maps files of only one process and of processes
 * forked from it. The first map is the program, because the kernel maps it first. So the program's
 * mapping becomes the first mapping of the profile. Returns false if there is no such program. */
bool perf_maps_add_program(const struct perf_maps *maps, pprofc_builder *builder);

#endif
