/* Callgrind's call graph. callgrind.c builds it, and samples.c makes stacks of it.
 *
 * A graph is one part of a file: the functions, the cost of each line, and the inclusive cost
 * of calls. Objects and files are strings of the profile that is being built. */
#ifndef PPROFC_IMPORT_CALLGRIND_CALLGRIND_H
#define PPROFC_IMPORT_CALLGRIND_CALLGRIND_H

#include "core/buffer.h"
#include "core/map.h"
#include "import/callgrind/contexts.h"
#include "profile/builder.h"

#define CALLGRIND_MAX_EVENTS 32u

/* A line of a function. For inlined code, `file` differs from the function's file. */
struct callgrind_place {
  uint32_t file;
  uint32_t inlined; /* inlined function, or 0 */
  int64_t line;
  uint64_t address; /* 0 if unknown */
};

struct callgrind_function {
  uint32_t object, file;
  uint32_t name;                  /* index of the name in the file */
  uint32_t context;               /* context: the callers that the name contains (contexts.h) */
  struct callgrind_symbol symbol; /* what reports show */
  uint32_t first_cost, last_cost; /* list of its costs, or NONE */
  uint32_t first_call, last_call; /* list of the calls it makes, or NONE */
  uint32_t cost_count, call_count;
};

struct callgrind_cost {
  uint32_t function;
  uint32_t next; /* next cost of the same function, or NONE */
  struct callgrind_place place;
};

struct callgrind_call {
  uint32_t caller, callee;
  uint32_t next;               /* next call of the same caller, or NONE */
  bool closes_cycle;           /* true if the tree leaves the call out to break a cycle */
  struct callgrind_place site; /* call site with the highest cost */
  double heaviest;
};

struct callgrind_graph {
  const pprofc_allocator *mem;
  size_t types;
  bool has_addresses;
  bool by_site;                     /* true to keep calls of a function from different lines
                                       apart */
  struct buffer functions;          /* struct callgrind_function */
  struct buffer costs, cost_values; /* struct callgrind_cost, int64_t[types] */
  struct buffer calls, call_values; /* struct callgrind_call, double[types] with inclusive costs */
  uint32_t *first; /* [first_room] a function for each name; stale if its name differs */
  size_t first_room;
  struct map by_name;                   /* other functions, whose names are not unique */
  struct map by_place;                  /* lines of functions with many lines */
  struct map by_call;                   /* calls of functions with many calls */
  int64_t totals[CALLGRIND_MAX_EVENTS]; /* sums of magnitudes */
  int64_t before[CALLGRIND_MAX_EVENTS]; /* totals of earlier parts */
  bool too_large;                       /* true if the graph would exceed most_bytes */
  bool overflowed;                      /* true if a total does not fit */
};

/* Initializes a graph. Each array is limited to most_bytes. */
void callgrind_graph_init(struct callgrind_graph *graph, const pprofc_allocator *mem, size_t types,
                          size_t most_bytes);
void callgrind_graph_free(struct callgrind_graph *graph);
/* Clears the graph for the next part. */
void callgrind_graph_clear(struct callgrind_graph *graph);
/* True unless memory ran out; then the graph is incomplete. */
bool callgrind_graph_ok(const struct callgrind_graph *graph);

/* Finds or adds a function and returns its index; NONE when out of memory. */
uint32_t callgrind_graph_function(struct callgrind_graph *graph,
                                  const struct callgrind_function *names);
/* Adds to the own cost of a line. */
void callgrind_graph_cost(struct callgrind_graph *graph, uint32_t function,
                          const struct callgrind_place *place, const int64_t *values);
/* Adds to the inclusive cost of a call. */
void callgrind_graph_call(struct callgrind_graph *graph, uint32_t caller, uint32_t callee,
                          const struct callgrind_place *site, const int64_t *values);

static inline size_t callgrind_function_count(const struct callgrind_graph *graph) {
  return graph->functions.size / sizeof(struct callgrind_function);
}
static inline struct callgrind_function *callgrind_functions(const struct callgrind_graph *graph) {
  return (struct callgrind_function *)(void *)graph->functions.data;
}
static inline struct callgrind_cost *callgrind_costs(const struct callgrind_graph *graph) {
  return (struct callgrind_cost *)(void *)graph->costs.data;
}
static inline int64_t *callgrind_cost_values(const struct callgrind_graph *graph, size_t cost) {
  return (int64_t *)(void *)graph->cost_values.data + cost * graph->types;
}
static inline size_t callgrind_call_count(const struct callgrind_graph *graph) {
  return graph->calls.size / sizeof(struct callgrind_call);
}
static inline struct callgrind_call *callgrind_calls(const struct callgrind_graph *graph) {
  return (struct callgrind_call *)(void *)graph->calls.data;
}
static inline double *callgrind_call_values(const struct callgrind_graph *graph, size_t call) {
  return (double *)(void *)graph->call_values.data + call * graph->types;
}

/* ---- flow.c: the share that each caller has of a function */

struct callgrind_flow {
  const struct callgrind_graph *graph;
  const pprofc_allocator *mem;
  double *calls;     /* [functions * types] cost of the calls to a function */
  double *root;      /* [functions * types] cost that is not from a call */
  double *inclusive; /* [functions * types] inclusive cost of a function */
  /* All three arrays hold magnitudes, so negative costs count as positive. */
  uint32_t *order; /* [functions] callees before callers */
  bool *recursive; /* [functions] true if in a cycle */
};

/* Computes the costs of calls and roots. If `tree` is set, also breaks cycles (closes_cycle).
 * Returns false when out of memory; free it in any case. */
bool callgrind_flow_init(struct callgrind_flow *flow, const struct callgrind_graph *graph,
                         bool tree);
void callgrind_flow_free(struct callgrind_flow *flow);
/* Return shares of a function's cost. The shares of its calls and of its being a root add up
 * to 1. */
double callgrind_call_share(const struct callgrind_flow *flow, uint32_t call, size_t type);
double callgrind_root_share(const struct callgrind_flow *flow, uint32_t function, size_t type);

/* ---- tree.c: the places of functions in stacks */

struct callgrind_position {
  uint32_t function;
  uint32_t above; /* position of the caller, or NONE */
  uint32_t site;  /* location in the caller */
  uint32_t next;  /* next position of the same function, or NONE */
  uint32_t depth;
};

struct callgrind_tree {
  size_t types;
  struct buffer positions; /* struct callgrind_position */
  struct buffer weights;   /* double[types]: share of the function's own cost at this position */
  struct buffer pruned;    /* double[types]: cost of pruned branches below this position */
  uint32_t *first;         /* [functions] first position of each function, or NONE */
  size_t functions;
  const pprofc_allocator *mem;
  double pruned_roots[CALLGRIND_MAX_EVENTS];
  uint64_t frames; /* sum of all depths */
  bool joined;     /* true if there were too many paths, so that some positions have only their
                      caller above */
};

bool callgrind_tree_init(struct callgrind_tree *tree, const struct callgrind_graph *graph,
                         pprofc_builder *builder, pprofc_call_stacks stacks);
void callgrind_tree_free(struct callgrind_tree *tree);

static inline size_t callgrind_position_count(const struct callgrind_tree *tree) {
  return tree->positions.size / sizeof(struct callgrind_position);
}
static inline struct callgrind_position *callgrind_positions(const struct callgrind_tree *tree) {
  return (struct callgrind_position *)(void *)tree->positions.data;
}
static inline double *callgrind_weights(const struct callgrind_tree *tree, size_t position) {
  return (double *)(void *)tree->weights.data + position * tree->types;
}
static inline double *callgrind_pruned(const struct callgrind_tree *tree, size_t position) {
  return (double *)(void *)tree->pruned.data + position * tree->types;
}

/* ---- exact.c: stacks of functions whose names have their callers */

/* A context in the current part. */
struct callgrind_entry {
  uint32_t call;     /* the call into it with the highest cost, or NONE */
  uint32_t site;     /* location of that call, or NONE until it is needed */
  uint32_t function; /* a function in this context, or NONE */
  bool is_truncated; /* true if callers are missing in the name */
};

struct callgrind_exact {
  struct callgrind_contexts *contexts;
  pprofc_builder *builder;
  size_t deepest;                 /* frames of a stack to keep */
  struct callgrind_entry *places; /* [contexts] */
  uint32_t *stack;
  size_t place_room, stack_room;
  bool is_truncated;      /* true if a stack lacks callers */
  uint64_t frames_left;   /* number of frames until stacks are cut */
  uint64_t agree, differ; /* calls that agree with names, and calls that do not */
};

/* `bytes` is the size of the file. */
void callgrind_exact_init(struct callgrind_exact *exact, struct callgrind_contexts *contexts,
                          pprofc_builder *builder, pprofc_call_stacks stacks, size_t bytes);
void callgrind_exact_free(struct callgrind_exact *exact);
/* True if the names have the callers: calls of this part and the parts before agree. */
bool callgrind_exact_may(struct callgrind_exact *exact, const struct callgrind_graph *graph);
/* Adds samples for the graph, each with the labels. Returns false when out of memory. */
bool callgrind_exact_samples(struct callgrind_exact *exact, const struct callgrind_graph *graph,
                             const struct label *labels, size_t label_count);

/* ---- samples.c --------------------------------------- */

/* Returns the mapping of an object, or NONE. */
uint32_t callgrind_mapping(const struct callgrind_graph *graph, pprofc_builder *builder,
                           uint32_t object);

/* Returns the location of a line of a function. */
uint32_t callgrind_location(const struct callgrind_graph *graph, pprofc_builder *builder,
                            uint32_t function, const struct callgrind_place *place);

/* Adds samples for the graph, each with the labels. Sets *joined if there are too many paths
 * for a complete tree. Returns false when out of memory. */
bool callgrind_samples(const struct callgrind_graph *graph, pprofc_builder *builder,
                       pprofc_call_stacks stacks, const struct label *labels, size_t label_count,
                       bool *joined);

/* Splits `total`, which may be negative, by weight into out[0], out[stride] and so on. Rounds
 * down, then adds 1 to the largest remainders. The parts add up to total unless all weights
 * are 0. */
void callgrind_split(int64_t total, const double *weights, size_t count, int64_t *out,
                     size_t stride);

#endif
