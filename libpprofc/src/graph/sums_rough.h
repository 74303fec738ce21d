/* Flat of every node, and cum of those that may be shown (graph/sums_rough.c). */
#ifndef PPROFC_GRAPH_SUMS_ROUGH_H
#define PPROFC_GRAPH_SUMS_ROUGH_H

#include "graph/graph.h"

/* Makes the nodes and sums them up where stacks have little in common and values are not below 0;
 * *served is false, and nothing done, where they are not like that. A cum below the cutoff is any
 * number below it, 0 only where it is. False when out of memory. */
bool graph_sum_roughly(struct graph *graph, bool *served);

#endif
