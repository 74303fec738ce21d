/* The call graph of one part of a callgrind file. A part is a header and the costs that follow it.
 * The graph has the functions, the cost of each line, and the inclusive cost of calls. callgrind.c
 * builds the graph; samples.c and exact.c make stacks from the graph.
 *
 * The fields `object` and `file` are string indices of the profile's builder. */
#ifndef PPROFC_IMPORT_CALLGRIND_CALLGRIND_H
#define PPROFC_IMPORT_CALLGRIND_CALLGRIND_H

#include "import/callgrind/contexts.h"

#define CALLGRIND_MAX_EVENTS 32u

/* A line of a function. If the line is inlined code, `file` is the file of that code. */
struct callgrind_place {
  uint32_t file;
  uint32_t inlined; /* string index of the inlined function's name, or 0 */
  int64_t line;
  uint64_t address; /* address of the instruction; 0 if unknown */
};

struct callgrind_function {
  uint32_t object, file;
  uint32_t name;    /* index of the function's complete name (contexts.h) */
  uint32_t context; /* index of the function's context: the function and the callers that its name
                       contains (contexts.h) */
  struct callgrind_symbol symbol; /* symbol with the names that reports show */
  uint32_t first_cost, last_cost; /* index of the first and of the last cost of the function, or
                                     NONE */
  /* Index of the first and of the last call that the function makes, or NONE. */
  uint32_t first_call, last_call;
  uint32_t cost_count, call_count;
};

struct callgrind_cost {
  uint32_t function;
  uint32_t next; /* index of the next cost of the same function, or NONE */
  struct callgrind_place place;
};

struct callgrind_call {
  uint32_t caller, callee;
  uint32_t next;     /* index of the next call of the same caller, or NONE */
  bool closes_cycle; /* true if the call closes a cycle, so the tree of stacks (tree.c) skips the
                        call */
  struct callgrind_place site; /* call site with the highest cost */
  double heaviest;             /* magnitude of the cost at `site`, for the file's first event */
};

/* The call graph. After an error the graph is incomplete. The builder stores the error. */
struct callgrind_graph {
  const pprofc_allocator *mem;
  pprofc_builder *builder;
  size_t types;
  uint64_t memory_bytes; /* memory limit in bytes; each array of the graph may use at most a quarter
                            of the limit */
  bool has_addresses;
  bool by_site; /* true to store calls from different lines of a caller separately */
  struct callgrind_function *functions;
  struct callgrind_cost *costs;
  struct callgrind_call *calls;
  int64_t *cost_values; /* for each cost, one value per type */
  double *call_values;  /* for each call, one inclusive cost per type */
  size_t function_count, cost_count, call_count;
  size_t function_room, cost_room, call_room, cost_value_room, call_value_room;
  struct map by_name, by_place, by_call; /* hash tables of functions, costs and calls */
  int64_t totals[CALLGRIND_MAX_EVENTS];  /* for each type, the sum of the absolute costs */
  int64_t before[CALLGRIND_MAX_EVENTS];  /* for each type, the sum of the absolute costs of earlier
                                            parts */
};

void callgrind_graph_init(struct callgrind_graph *graph, pprofc_builder *builder,
                          const pprofc_allocator *mem, size_t types, uint64_t memory_bytes);
void callgrind_graph_free(struct callgrind_graph *graph);
/* Clears the graph for the next part of the file. */
void callgrind_graph_clear(struct callgrind_graph *graph);

/* Returns the index of a function, and adds the function if it is new. Returns NONE when out of
 * memory. */
uint32_t callgrind_graph_function(struct callgrind_graph *graph,
                                  const struct callgrind_function *names);
/* Adds values to the self cost of a line. */
void callgrind_graph_cost(struct callgrind_graph *graph, uint32_t function,
                          const struct callgrind_place *place, const int64_t *values);
/* Adds values to the inclusive cost of a call. `site` is the call site in the caller. */
void callgrind_graph_call(struct callgrind_graph *graph, uint32_t caller, uint32_t callee,
                          const struct callgrind_place *site, const int64_t *values);

static inline int64_t *callgrind_cost_values(const struct callgrind_graph *graph, size_t cost) {
  return graph->cost_values + cost * graph->types;
}
static inline double *callgrind_call_values(const struct callgrind_graph *graph, size_t call) {
  return graph->call_values + call * graph->types;
}

/* ---- flow.c: shares of callers in the cost of a function */

struct callgrind_flow {
  const struct callgrind_graph *graph;
  double *calls;     /* for each function and type: cost of the calls to the function */
  double *root;      /* for each function and type: cost that does not come from calls */
  double *inclusive; /* for each function and type: inclusive cost */
  /* `calls`, `root` and `inclusive` are magnitudes: negative costs count as positive. */
  uint32_t *order; /* indices of the functions, callees before callers */
  bool *recursive; /* true for each function that is part of a cycle */
};

/* Computes the arrays of *flow in memory of the arena. Sets closes_cycle of each call that closes a
 * cycle. If `tree` is true, skips these calls and adds the cost of callees to `inclusive`. Returns
 * false when out of memory. */
bool callgrind_flow_init(struct callgrind_flow *flow, const struct callgrind_graph *graph,
                         struct arena *arena, bool tree);
/* callgrind_call_share returns the share of the callee's cost that comes from a call, from 0 to 1.
 * callgrind_root_share returns the share of a function's cost that does not come from any call. All
 * shares of a function add up to 1. */
double callgrind_call_share(const struct callgrind_flow *flow, uint32_t call, size_t type);
double callgrind_root_share(const struct callgrind_flow *flow, uint32_t function, size_t type);

/* ---- tree.c: the call tree */

/* A node of the call tree: a function with its callers, which are a stack. */
struct callgrind_node {
  uint32_t function;
  uint32_t above; /* index of the caller's node, or NONE */
  uint32_t site;  /* location of the call in the caller, or NONE */
  uint32_t next;  /* index of the next node of the same function, or NONE */
  uint32_t depth;
};

struct callgrind_tree {
  size_t types;
  struct callgrind_node *nodes;
  double *weights; /* for each node and type: share of the function's self cost */
  double *pruned;  /* for each node and type: cost of the pruned (omitted) branches below the
                      node */
  size_t node_count, node_room, weight_room, pruned_room;
  uint32_t *first; /* index of each function's first node, or NONE */
  size_t functions;
  const pprofc_allocator *mem;
  double pruned_roots[CALLGRIND_MAX_EVENTS];
  uint64_t frames; /* sum of the depths of all nodes */
  bool joined;     /* true if the graph had too many paths; the stacks of some nodes then contain
                      only the caller and the function */
};

void callgrind_tree_init(struct callgrind_tree *tree, const struct callgrind_graph *graph,
                         pprofc_builder *builder, pprofc_call_stacks stacks);
void callgrind_tree_free(struct callgrind_tree *tree);

static inline double *callgrind_weights(const struct callgrind_tree *tree, size_t node) {
  return tree->weights + node * tree->types;
}
static inline double *callgrind_pruned(const struct callgrind_tree *tree, size_t node) {
  return tree->pruned + node * tree->types;
}

/* ---- exact.c: stacks of functions whose names contain their callers */

/* Data of a context (a function and its callers, contexts.h) in the current part of the file. */
struct callgrind_entry {
  uint32_t call;     /* index of the most expensive call to the context's function, or NONE */
  uint32_t site;     /* location of the call, or NONE until the reader needs the location */
  uint32_t function; /* index of a function that has this context, or NONE */
  bool is_truncated; /* true if the name of the context lacks its outermost callers */
};

struct callgrind_exact {
  struct callgrind_contexts *contexts;
  pprofc_builder *builder;
  size_t deepest;                 /* maximum number of frames in a stack; longer stacks are cut */
  struct callgrind_entry *places; /* entry of each context */
  uint32_t *stack;
  size_t place_room, stack_room;
  bool is_truncated;      /* true if a stack lacks its outermost callers */
  uint64_t frames_left;   /* number of frames that may still be added before stacks are cut */
  uint64_t agree, differ; /* agree: number of calls whose caller is in the callee's name; differ:
                             number of calls that contradict the callee's name */
};

/* Initializes the state. The number of frames of all stacks is limited in proportion to `bytes`,
 * the size of the file. */
void callgrind_exact_init(struct callgrind_exact *exact, struct callgrind_contexts *contexts,
                          pprofc_builder *builder, pprofc_call_stacks stacks, size_t bytes);
void callgrind_exact_free(struct callgrind_exact *exact);
/* Compares each call of the graph with the callers in the callee's name. Returns true if most calls
 * that were compared so far agree with these names. */
bool callgrind_exact_may(struct callgrind_exact *exact, const struct callgrind_graph *graph);
/* Adds a sample with the given labels for each cost of the graph. */
void callgrind_exact_samples(struct callgrind_exact *exact, const struct callgrind_graph *graph,
                             const struct label *labels, size_t label_count);

/* ---- samples.c: samples with estimated stacks */

/* Adds the mapping of an object and returns its index. Returns NONE if `object` is 0. */
uint32_t callgrind_mapping(const struct callgrind_graph *graph, pprofc_builder *builder,
                           uint32_t object);

/* Adds the location of a line of a function and returns its index. */
uint32_t callgrind_location(const struct callgrind_graph *graph, pprofc_builder *builder,
                            uint32_t function, const struct callgrind_place *place);

/* Adds samples for the costs of the graph, with the given labels. Sets *joined to true if the graph
 * has too many paths for a complete tree. */
void callgrind_samples(const struct callgrind_graph *graph, pprofc_builder *builder,
                       pprofc_call_stacks stacks, const struct label *labels, size_t label_count,
                       bool *joined);

/* Splits `total`, which may be negative, in proportion to the weights, into out[0], out[stride] and
 * so on. Rounds each part down, then adds 1 to the parts with the largest remainders. The parts add
 * up to `total` unless all weights are 0. */
void callgrind_split(int64_t total, const double *weights, size_t count, int64_t *out,
                     size_t stride);

#endif
