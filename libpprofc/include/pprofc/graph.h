/* The call graph of a profile as data: the rows of `pprofc -top` and the calls between them.
 *
 * A graph is immutable and owns copies, so the profile and the options may be released before it.
 * Its arrays and texts are valid until it is freed. Any number of threads may make graphs of one
 * profile, and read one graph, at once. */
#ifndef PPROFC_GRAPH_H
#define PPROFC_GRAPH_H

#include "pprofc/report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pprofc_graph pprofc_graph;

/* Inlining of a node into its callers. */
typedef enum pprofc_graph_inlined {
  PPROFC_GRAPH_NOT_INLINED,
  PPROFC_GRAPH_INLINED,       /* inlined at every call: "(inline)" */
  PPROFC_GRAPH_PARTLY_INLINED /* inlined at some calls: "(partial-inline)" */
} pprofc_graph_inlined;

/* One node: a function, file, line or address, by granularity. Texts are bytes of the profile
 * and may hold control bytes and invalid UTF-8. */
typedef struct pprofc_graph_node {
  pprofc_str name;     /* name in -top, with file, line and address if nodes differ by them */
  pprofc_str function; /* name of the function; "" if not known */
  pprofc_str file;     /* "" if not known, or if nodes do not differ by it */
  int64_t line;        /* 0 if not known, or if nodes do not differ by it */
  uint64_t address;    /* 0 if not known, or if nodes do not differ by it */
  int64_t flat;        /* sum over samples with the node as leaf, in the unit of the totals */
  int64_t cum;         /* sum over samples with the node anywhere in the stack */
  pprofc_graph_inlined inlined;
} pprofc_graph_node;

/* The calls from one node to another. */
typedef struct pprofc_graph_edge {
  size_t source, target; /* indices of the caller and the callee */
  int64_t weight;        /* sum over samples in which source calls target, in the unit of the
                            totals */
  bool inlined;          /* true if the target was inlined into the source */
  bool residual;         /* true if trimmed nodes lie between them */
} pprofc_graph_edge;

/* Totals of a graph, in `unit`. */
typedef struct pprofc_graph_totals {
  pprofc_str type;      /* sample type of the values: "cpu", "mean_delay" */
  pprofc_str unit;      /* unit of the values, as in the profile: "nanoseconds" */
  int64_t total;        /* value of 100 % */
  int64_t shown;        /* sum of the nodes' `flat` */
  size_t nodes_before;  /* nodes after nodefraction and before nodecount */
  size_t dropped_nodes; /* nodes dropped by nodefraction */
} pprofc_graph_totals;

/* Computes the graph of -top. Options, filters, granularity, sorting and trimming equal
 * pprofc_report with the format "top"; `format`, `unit` and compact_labels have no effect.
 * Values keep the unit of the profile, divided by divide_by. Edges below edgefraction are
 * dropped, as in "tree". `options` may be NULL. Uses the allocator of the profile. The caller
 * frees *graph with pprofc_graph_free. Errors: those that pprofc_report returns before it
 * writes. */
PPROFC_API pprofc_status pprofc_graph_new(const pprofc_profile *profile,
                                          const pprofc_report_options *options,
                                          pprofc_graph **graph, pprofc_error *error);

/* Frees a graph with its arrays and texts. NULL is allowed. */
PPROFC_API void pprofc_graph_free(pprofc_graph *graph);

/* Returns the nodes in the order of -top: by flat or cum, largest magnitude first, then by
 * name. Sets *count to their number. */
PPROFC_API const pprofc_graph_node *pprofc_graph_nodes(const pprofc_graph *graph, size_t *count);

/* Returns the edges between these nodes, largest magnitude first, then by names of source and
 * target. Sets *count to their number. */
PPROFC_API const pprofc_graph_edge *pprofc_graph_edges(const pprofc_graph *graph, size_t *count);

/* Returns the totals. */
PPROFC_API pprofc_graph_totals pprofc_graph_totals_of(const pprofc_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
