/* What the passes over samples share that find marks of inlined functions (graph/marks.c). */
#ifndef PPROFC_GRAPH_MARKS_H
#define PPROFC_GRAPH_MARKS_H

#include "graph/delta.h"
#include "graph/graph.h"

/* Samples that make a further thread worth while. */
#define MARKS_GRAIN 8192

#define MARKS_WORKERS 16

/* What a location is to its neighbours, of its kept frames. */
struct mark_place {
  uint32_t caller; /* the innermost one, or NONE */
  uint32_t target; /* the outermost one when it may get a mark, or NONE */
  uint32_t inner;  /* where the list of calls inside begins, or NONE */
  bool is_inline;  /* the target is inlined into a frame that is not kept */
};

/* With the index of a place: calls of it, or inside it, may give a mark. */
#define PLACE_WANTED 0x80000000u

/* A call of one node by another inside a location. */
struct known_call {
  uint32_t source, target;
};

/* The edge of a known call, as in edges.c. */
struct known_edge {
  int64_t weight;
  uint32_t seen; /* stamp of the last sample that has it, or ON_PATH */
  bool has_inline, has_plain;
};

struct marks_worker;

struct marks {
  struct graph *graph;
  const pprofc_allocator *mem;
  const uint8_t *kept; /* NULL: all */
  uint8_t *candidates; /* nodes that are an inlined frame somewhere: only they can get a mark */
  uint32_t *place_of;  /* of locations, with PLACE_WANTED; 0: nothing is kept of it */
  struct mark_place *places;
  size_t place_count, place_capacity;

  uint32_t *lists; /* how many calls, then their indices, outermost first */
  size_t list_size, list_capacity;
  struct known_call *calls;
  size_t call_count, call_capacity;
  struct map map; /* of calls */

  struct edge_filter filter; /* while counting: counters with known calls; then those to look at */
  unsigned shift;            /* counters have values without sign in units of 2^shift */
  uint32_t limit; /* no worker's counter above it: all edges in it are below the cutoff */
  unsigned workers;
  struct marks_worker *items;
};

/* The place of a location. */
static inline const struct mark_place *marks_place(const struct marks *m, uint32_t location) {
  return &m->places[m->place_of[location] & ~PLACE_WANTED];
}

/* The index of a known call, or NONE. */
uint32_t marks_find_call(const struct marks *m, uint32_t source, uint32_t target);

/* Finds the candidates, and how many there are; then what locations are (graph/marks_places.c).
 * False when out of memory. */
bool marks_find_candidates(struct marks *m, size_t *count);
bool marks_read_places(struct marks *m);
void marks_free_places(struct marks *m);

/* Sets the marks by all calls of candidates; *few is false, and nothing is set, when they are more
 * than a thread may have (graph/marks_calls.c). */
pprofc_status marks_by_calls(struct marks *m, size_t most, bool *few, pprofc_error *error);

#endif
