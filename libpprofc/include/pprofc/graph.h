/* Reports as data: the call graph, the call tree, and annotated source. The call graph has the rows
 * of `pprofc -top` and the calls between them.
 *
 * The objects are immutable and own copies, so the profile and the options may be released before
 * them. Arrays and texts are valid until the object is freed. Any number of threads may make
 * objects from one profile, and read one object, at once. */
#ifndef PPROFC_GRAPH_H
#define PPROFC_GRAPH_H

#include "pprofc/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A call graph: nodes, edges and totals. */
typedef struct pprofc_graph pprofc_graph;

/* How often a node is inlined into its callers. */
typedef enum pprofc_graph_inlined {
  PPROFC_GRAPH_NOT_INLINED,   /* the node is never inlined */
  PPROFC_GRAPH_INLINED,       /* the node is inlined at every call: "(inline)" */
  PPROFC_GRAPH_PARTLY_INLINED /* the node is inlined at some calls: "(partial-inline)" */
} pprofc_graph_inlined;

/* A node: a function, file, line or address, depending on the granularity. Texts are bytes of the
 * profile and may contain control bytes and invalid UTF-8. */
typedef struct pprofc_graph_node {
  pprofc_str name;     /* name as -top prints it, with the file, line and address that the
                          granularity uses */
  pprofc_str function; /* name of the function; "" if unknown */
  pprofc_str file;     /* source file; "" if unknown, or if the granularity ignores files */
  int64_t line;        /* line in the source; 0 if unknown, or if the granularity ignores lines */
  uint64_t address;    /* address of the code; 0 if unknown, or if the granularity ignores
                          addresses */
  int64_t flat; /* self: sum of the samples with the node as leaf, in the unit of the totals */
  int64_t cum;  /* total: sum of the samples with the node anywhere in the stack */
  pprofc_graph_inlined inlined; /* calls that are inlined: no calls, some or all */
} pprofc_graph_node;

/* The calls from one node to another. */
typedef struct pprofc_graph_edge {
  size_t source, target; /* indices of the caller and the callee */
  int64_t weight;        /* sum of the samples in which source calls target, in the unit of the
                            totals */
  bool inlined;          /* true if the target is inlined into the source */
  bool residual;         /* true if trimming removed nodes between caller and callee */
} pprofc_graph_edge;

/* Totals of a graph, in `unit`. */
typedef struct pprofc_graph_totals {
  pprofc_str type;      /* sample type of the values: "cpu", "mean_delay" */
  pprofc_str unit;      /* unit of the values, as in the profile: "nanoseconds" */
  int64_t total;        /* total of the profile, which counts as 100 % */
  int64_t shown;        /* sum of `flat` over all nodes */
  size_t nodes_before;  /* number of nodes that nodefraction keeps, before nodecount limits the
                           number */
  size_t dropped_nodes; /* number of nodes that nodefraction drops */
} pprofc_graph_totals;

/* Computes a call graph with the rows of -top as nodes. Options, filters, granularity, sorting
 * and trimming work as in pprofc_report for "top". `format`, `unit` and compact_labels have no
 * effect. Values keep the unit of the profile, and are divided by divide_by. Edges below
 * edgefraction are dropped, as in "tree". `options` may be NULL. Uses the allocator of the profile.
 * The caller frees *graph with pprofc_graph_free. Errors: as pprofc_report, except PPROFC_E_IO. */
PPROFC_API pprofc_status pprofc_graph_new(const pprofc_profile *profile,
                                          const pprofc_report_options *options,
                                          pprofc_graph **graph, pprofc_error *error);

/* Frees a graph with its arrays and texts. NULL is allowed. */
PPROFC_API void pprofc_graph_free(pprofc_graph *graph);

/* Returns the nodes in the order of -top: by flat or cum, largest absolute value first, then by
 * name. Sets *count to their number. */
PPROFC_API const pprofc_graph_node *pprofc_graph_nodes(const pprofc_graph *graph, size_t *count);

/* Returns the edges between the nodes of the graph, largest absolute weight first, then by the
 * names of source and target. Sets *count to their number. */
PPROFC_API const pprofc_graph_edge *pprofc_graph_edges(const pprofc_graph *graph, size_t *count);

/* Returns the totals. */
PPROFC_API pprofc_graph_totals pprofc_graph_totals_of(const pprofc_graph *graph);

/* ---- the call tree */

/* A call tree. It has a node for each path of calls from the root. */
typedef struct pprofc_tree pprofc_tree;

/* A node: a path of calls from the root. Values are in the unit of the tree. Base values are 0
 * unless the profile is a difference (PPROFC_COMPARE). */
typedef struct pprofc_tree_node {
  pprofc_str name;  /* name of the frame; if its function is unknown, object and address:
                       "[libc.so.6] 0x7f10"; "" for the root */
  pprofc_str file;  /* source file; "" if unknown, or if the granularity ignores files */
  int64_t line;     /* line in the source; if the granularity ignores lines, the first line of the
                       function; 0 if unknown */
  uint64_t address; /* address of the code; 0 if unknown, or if the granularity ignores addresses */
  size_t parent;    /* index of the caller; SIZE_MAX for the root */
  size_t end;       /* index after the last node of the subtree that begins with this node */
  /* self: sum over the samples whose stack ends at this node. total: sum over the samples whose
   * stack passes through this node or ends at it. */
  int64_t self, total;
  int64_t base_self, base_total; /* `self` and `total` of the base profile */
  bool inlined;                  /* true if inlined into the caller */
} pprofc_tree_node;

/* Computes the tree that -flame draws, without a limit on its size. `format`, `unit`, trimming,
 * sorting and `mean` have no effect. If `reverse` is set, the children of the root are the leaf
 * functions. `options` may be NULL. Uses the allocator of the profile. The tree owns copies of its
 * texts. The caller frees *tree with pprofc_tree_free. Errors: as for pprofc_graph_new. */
PPROFC_API pprofc_status pprofc_tree_new(const pprofc_profile *profile,
                                         const pprofc_report_options *options, pprofc_tree **tree,
                                         pprofc_error *error);

/* Frees a tree with its array and texts. NULL is allowed. */
PPROFC_API void pprofc_tree_free(pprofc_tree *tree);

/* Returns the nodes. A caller comes before the nodes that it calls, and siblings are in the order
 * of their names. The first node is the root. Sets *count to the number of nodes. */
PPROFC_API const pprofc_tree_node *pprofc_tree_nodes(const pprofc_tree *tree, size_t *count);

/* Returns the sample type of the values and its unit, as in the profile. */
PPROFC_API pprofc_value_type pprofc_tree_type(const pprofc_tree *tree);

/* ---- annotated source */

/* Functions with their source lines and costs. */
typedef struct pprofc_source pprofc_source;

/* A line of a source file, with the sums of its samples in the unit of the profile. */
typedef struct pprofc_source_line {
  int64_t number; /* line number, from 1 */
  /* self and total of the line; 0 for a line without samples */
  int64_t flat, cum;
  pprofc_str text; /* text of the line, without its line feed */
} pprofc_source_line;

/* A function in a file. */
typedef struct pprofc_source_routine {
  pprofc_str function, file;       /* name of the function, and path of the file; "" if unknown */
  int64_t flat, cum;               /* sums of flat and cum over the lines of the function */
  pprofc_str failure;              /* reason why the file is unreadable; "" if it was read */
  const pprofc_source_line *lines; /* lines of the function in the order of the file */
  size_t line_count;               /* number of lines */
} pprofc_source_routine;

/* Finds the functions that match the regular expression `argument`, and the lines that -list prints
 * for them. Values are divided by divide_by. Uses the allocator of the profile. *source owns copies
 * of its texts. The caller frees *source with pprofc_source_free. Errors: PPROFC_E_NO_MATCH, and as
 * for pprofc_graph_new. */
PPROFC_API pprofc_status pprofc_source_new(const pprofc_profile *profile,
                                           const pprofc_report_options *options,
                                           pprofc_source **source, pprofc_error *error);

/* Frees the lines and their texts. NULL is allowed. */
PPROFC_API void pprofc_source_free(pprofc_source *source);

/* Returns the functions, sorted by name and file. Sets *count to their number. */
PPROFC_API const pprofc_source_routine *pprofc_source_routines(const pprofc_source *source,
                                                               size_t *count);

#ifdef __cplusplus
}
#endif
#endif
