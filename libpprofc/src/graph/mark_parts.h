/* Marks of the nodes that counters leave open: their edges are made, a part of them at a time. */
#ifndef PPROFC_GRAPH_MARK_PARTS_H
#define PPROFC_GRAPH_MARK_PARTS_H

#include "graph/graph.h"

/* What is known of the edges that lead to a node and count. */
enum { MARK_HAS_INLINE = 1, MARK_HAS_PLAIN = 2 };

struct mark_parts {
  struct graph *graph;
  const uint8_t *kept;              /* by node; NULL: all */
  uint8_t *open;                    /* by node: more is to be found out; cleared when it is */
  uint8_t *has;                     /* by node: MARK_HAS_* */
  const struct edge_filter *filter; /* which calls can have an edge that counts */
};

/* Sets the marks of the open nodes. */
pprofc_status mark_parts_find(struct mark_parts *parts, pprofc_error *error);

#endif
