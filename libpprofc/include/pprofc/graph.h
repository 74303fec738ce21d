/* The call graph of a profile as data: the rows of `pprofc -top`, and the calls between them.
 *
 * A graph is computed once and does not change. It holds copies: the profile and the options may be
 * released before it. Its arrays and texts are valid until it is freed. Any number of threads may
 * make graphs of one profile, and read one graph, at once. */
#ifndef PPROFC_GRAPH_H
#define PPROFC_GRAPH_H

#include "pprofc/report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pprofc_graph pprofc_graph;

/* Whether a node's function was inlined into its callers. */
typedef enum pprofc_graph_inlined {
  PPROFC_GRAPH_NOT_INLINED,
  PPROFC_GRAPH_INLINED,       /* everywhere: "(inline)" */
  PPROFC_GRAPH_PARTLY_INLINED /* in a part of its calls: "(partial-inline)" */
} pprofc_graph_inlined;

/* One node: a function, file, line or address, as the granularity says. Texts are bytes of the
 * profile; they may hold control bytes and invalid UTF-8. */
typedef struct pprofc_graph_node {
  pprofc_str name;     /* as -top prints it; with file, line and address where nodes differ by it */
  pprofc_str function; /* name of the function alone; "" where it is not known */
  pprofc_str file;     /* "": nodes do not differ by it, or it is not known */
  int64_t line;        /* 0: nodes do not differ by it, or it is not known */
  uint64_t address;    /* 0: the same */
  int64_t flat;        /* of samples whose leaf is the node, in the unit of the totals */
  int64_t cum;         /* of samples with the node anywhere in the stack */
  pprofc_graph_inlined inlined;
} pprofc_graph_node;

/* Calls from one node to another. */
typedef struct pprofc_graph_edge {
  size_t source, target; /* caller and callee: indices of nodes */
  int64_t weight;        /* of samples in which source calls target, in the unit of the totals */
  bool inlined;          /* the target was inlined into the source */
  bool residual;         /* nodes in between were trimmed */
} pprofc_graph_edge;

typedef struct pprofc_graph_totals {
  pprofc_str type;      /* of the values: "cpu", "mean_delay" */
  pprofc_str unit;      /* of the values, as the profile has it: "nanoseconds" */
  int64_t total;        /* what 100 % is */
  int64_t shown;        /* sum of `flat` of the nodes */
  size_t nodes_before;  /* nodes that nodefraction left, before nodecount */
  size_t dropped_nodes; /* nodes that nodefraction dropped */
} pprofc_graph_totals;

/* Makes the graph that -top shows: options, filters, granularity, sorting and trimming are those of
 * pprofc_report with the format "top", except that `format` is not read and that `unit` and
 * compact_labels change nothing: values stay in the unit of the profile, divided by divide_by.
 * Edges below edgefraction are dropped, as in the format "tree". `options` may be NULL. On success
 * *graph is to be freed with pprofc_graph_free. It allocates through the allocator of the profile.
 * Errors are those of pprofc_report before it writes. */
PPROFC_API pprofc_status pprofc_graph_new(const pprofc_profile *profile,
                                          const pprofc_report_options *options,
                                          pprofc_graph **graph, pprofc_error *error);

/* Frees a graph with its arrays and texts; NULL is allowed. */
PPROFC_API void pprofc_graph_free(pprofc_graph *graph);

/* The nodes in the order of -top: by flat or by cum, largest magnitude first, then by name. *count
 * becomes their number. */
PPROFC_API const pprofc_graph_node *pprofc_graph_nodes(const pprofc_graph *graph, size_t *count);

/* The edges between these nodes, largest magnitude first, then by name of source and target. */
PPROFC_API const pprofc_graph_edge *pprofc_graph_edges(const pprofc_graph *graph, size_t *count);

PPROFC_API pprofc_graph_totals pprofc_graph_totals_of(const pprofc_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
