/* Callgrind's call graph, between its reader (callgrind.c) and the stacks that are made of it.
 *
 * A graph is one part of a file: functions, what each line of them cost, and what calls cost with
 * all that they called. Names and files are strings of the profile that is being built. */
#ifndef PPROFC_IMPORT_CALLGRIND_CALLGRIND_H
#define PPROFC_IMPORT_CALLGRIND_CALLGRIND_H

#include "core/buffer.h"
#include "core/map.h"
#include "profile/builder.h"

#define CALLGRIND_MOST_EVENTS 32u

/* A line of a function. `file` is not that of the function where code was inlined. */
struct callgrind_place {
  uint32_t file;
  uint32_t inlined; /* the inlined function, or 0 */
  int64_t line;
  uint64_t address; /* 0: unknown */
};

struct callgrind_function {
  uint32_t object, name, file;
  uint32_t plain_name;            /* without the level of recursion */
  uint32_t first_cost, last_cost; /* or NONE */
  uint32_t first_call, last_call; /* that it makes, or NONE */
  uint32_t cost_count, call_count;
};

struct callgrind_cost {
  uint32_t function;
  uint32_t next; /* of the same function, or NONE */
  struct callgrind_place place;
};

struct callgrind_call {
  uint32_t caller, callee;
  uint32_t next;               /* of the same caller, or NONE */
  bool closes_cycle;           /* set when a tree is made: to be left out of it */
  struct callgrind_place site; /* the one that costs most, where there are several */
  double heaviest;
};

struct callgrind_graph {
  const pprofc_allocator *mem;
  size_t types;
  bool has_addresses;
  bool by_site;                     /* calls of one function from two lines are two calls */
  struct buffer functions;          /* struct callgrind_function */
  struct buffer costs, cost_values; /* struct callgrind_cost, int64_t[types] */
  struct buffer calls, call_values; /* struct callgrind_call, double[types], inclusive */
  uint32_t *first; /* [first_room] by name: a function of that name, if it still is one */
  size_t first_room;
  struct map by_name;                    /* functions that `first` does not have */
  struct map by_place;                   /* lines of functions that have many */
  struct map by_call;                    /* calls of functions that make many */
  int64_t totals[CALLGRIND_MOST_EVENTS]; /* of magnitudes */
  int64_t before[CALLGRIND_MOST_EVENTS]; /* totals of earlier parts */
  bool too_large;                        /* it would need more than most_bytes */
  bool overflowed;                       /* a total does not fit */
};

/* None of the columns takes more than most_bytes. */
void callgrind_graph_init(struct callgrind_graph *graph, const pprofc_allocator *mem, size_t types,
                          size_t most_bytes);
void callgrind_graph_free(struct callgrind_graph *graph);
/* Forgets all of it, for the next part. */
void callgrind_graph_clear(struct callgrind_graph *graph);
/* False after running out of memory; what was added then is not whole. */
bool callgrind_graph_ok(const struct callgrind_graph *graph);

/* The index of a function, made when it is new; NONE when out of memory. */
uint32_t callgrind_graph_function(struct callgrind_graph *graph, uint32_t object, uint32_t name,
                                  uint32_t plain_name, uint32_t file);
/* Adds to what a line costs by itself. */
void callgrind_graph_cost(struct callgrind_graph *graph, uint32_t function,
                          const struct callgrind_place *place, const int64_t *values);
/* Adds to what calls cost. */
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
  double *calls;     /* [functions * types] cost of the calls of a function that are looked at */
  double *root;      /* [functions * types] cost that no call brought */
  double *inclusive; /* [functions * types] what a function and all below it cost */
  /* Costs below 0 are weights by their magnitude in all of them. */
  uint32_t *order; /* [functions] callees before callers */
  bool *recursive; /* [functions] */
};

/* Finds cycles and breaks them (closes_cycle) when `tree`; false when out of memory. To be freed in
 * any case. */
bool callgrind_flow_init(struct callgrind_flow *flow, const struct callgrind_graph *graph,
                         bool tree);
void callgrind_flow_free(struct callgrind_flow *flow);
/* The shares of all calls of a function, and of its being a root, are 1 together. */
double callgrind_call_share(const struct callgrind_flow *flow, uint32_t call, size_t type);
double callgrind_root_share(const struct callgrind_flow *flow, uint32_t function, size_t type);

/* ---- tree.c: the places of functions in stacks */

struct callgrind_position {
  uint32_t function;
  uint32_t above; /* the position of the caller, or NONE */
  uint32_t site;  /* location in the caller */
  uint32_t next;  /* of the same function, or NONE */
  uint32_t depth;
};

struct callgrind_tree {
  size_t types;
  struct buffer positions; /* struct callgrind_position */
  struct buffer weights;   /* double[types]: the share of the function's own cost that is here */
  struct buffer pruned;    /* double[types]: cost below that was cut off */
  uint32_t *first;         /* [functions] of each function, or NONE */
  size_t functions;
  const pprofc_allocator *mem;
  double pruned_roots[CALLGRIND_MOST_EVENTS];
  uint64_t frames; /* all depths */
  bool joined;     /* the paths were too many: some places are below their caller alone */
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

/* ---- samples.c --------------------------------------- */

/* The mapping of an object, NONE for none. */
uint32_t callgrind_mapping(const struct callgrind_graph *graph, pprofc_builder *builder,
                           uint32_t object);

/* The location of a line of a function. */
uint32_t callgrind_location(const struct callgrind_graph *graph, pprofc_builder *builder,
                            uint32_t function, const struct callgrind_place *place);

/* Makes samples of the graph, each with the labels; sets *joined where it had too many paths for a
 * tree. False when out of memory. */
bool callgrind_samples(const struct callgrind_graph *graph, pprofc_builder *builder,
                       pprofc_call_stacks stacks, const struct label *labels, size_t label_count,
                       bool *joined);

/* Shares `total`, which may be below 0, out by weight into out[0], out[stride] ..: whole numbers
 * first, then one more for the largest remainders. The parts add up to total unless all weights are
 * 0. */
void callgrind_split(int64_t total, const double *weights, size_t count, int64_t *out,
                     size_t stride);

#endif
