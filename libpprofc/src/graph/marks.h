/* The calls of each location that marks of inlined calls need (graph/marks.c). */
#ifndef PPROFC_GRAPH_MARKS_H
#define PPROFC_GRAPH_MARKS_H

#include "core/threshold.h"
#include "graph/delta.h"
#include "graph/graph.h"

/* Minimum number of samples per thread. */
#define MARKS_GRAIN THRESHOLD(8192)

#define MARKS_WORKERS 16

/* The kept frames at both ends of a location, which calls to and from other locations connect. */
struct mark_place {
  uint32_t caller; /* innermost kept node, or NONE */
  uint32_t target; /* outermost kept node if it may get a mark, or NONE */
  uint32_t inner;  /* offset of the list of calls inside the location, or NONE */
  bool is_inline;  /* true: the target is inlined into a frame that is not kept */
};

/* Flag of a place index: calls of the place, or inside it, may give a mark. */
#define PLACE_WANTED 0x80000000u

/* A call of one node by another inside a location. */
struct known_call {
  uint32_t source, target;
};

struct marks {
  struct graph *graph;
  const pprofc_allocator *mem;
  const uint8_t *kept; /* [nodes] nodes to keep; NULL: all */
  uint8_t *candidates; /* [nodes] 1 if the node is an inlined frame somewhere; other nodes
                          cannot get a mark */
  uint32_t *place_of;  /* [locations] index of the place, with PLACE_WANTED; 0: no frame is kept */
  struct mark_place *places;
  size_t place_count, place_capacity;

  uint32_t *lists; /* each list: number of calls, then their indices, outermost first */
  size_t list_size, list_capacity;
  struct known_call *calls;
  size_t call_count, call_capacity;
  struct map map; /* index of `calls` */
};

/* Returns the index of a known call, or NONE. */
uint32_t marks_find_call(const struct marks *m, uint32_t source, uint32_t target);

/* Find the nodes that can get a mark and count them, and then read the places of locations
 * (graph/marks_places.c). False when out of memory. */
bool marks_find_candidates(struct marks *m, size_t *count);
bool marks_read_places(struct marks *m);
void marks_free_places(struct marks *m);

#endif
