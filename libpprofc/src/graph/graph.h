/* The call graph that the reports top, tree, peek, dot, callgrind and topproto print.
 *
 * graph_build makes a graph in steps. The first step finds the node of each location (frames). The
 * second step adds up flat and cum of each node (sums). The third step selects the nodes to keep
 * (trimming). Edges and tags are made only for reports that need them. */
#ifndef PPROFC_GRAPH_GRAPH_H
#define PPROFC_GRAPH_GRAPH_H

#include "profile/delta.h"
#include "profile/sum.h"
#include "transform/transform.h"

/* Identity of a node (docs/spec/pprof.md, 17). The texts are ids in frames.texts, so equal texts
 * have equal ids. Id 0 is the text "". */
struct node_info {
  uint32_t name, file, object;
  /* Source position and address; never NULL. All its fields are 0 if only name, file and object
   * identify the node. */
  const struct node_place *place;
};

/* The node_info of each line of each location. */
struct frames {
  const pprofc_allocator *mem;
  struct arena arena;
  struct interner texts;
  struct node_info *infos;
  size_t count, capacity;
  struct map map;
  const struct locations *locations;
  /* For each location with one frame, the index of its node_info. For a location with several
   * frames (inlined calls), FRAME_LIST + the index of its list in `lists`. */
  uint32_t *of_location;
  /* Lists of the frames of locations. A list begins with its length. The indices of the
   * node_infos follow, innermost frame first. NULL if no location has a list. */
  uint32_t *lists;
};

#define FRAME_LIST 0x80000000u

/* Returns the list of node_infos of a location. `entry`, the location's element in `of_location`,
 * must have the flag FRAME_LIST. The list begins with its length. */
static inline const uint32_t *frame_list(const struct frames *frames, uint32_t entry) {
  return frames->lists + (entry & ~FRAME_LIST);
}

/* Maximum number of frames in all stacks together, inlined frames included: FRAMES_FREE, plus
 * FRAMES_TIMES for each byte of the encoded stacks. It prevents a small file with inlined functions
 * from taking much time and memory. */
#define FRAMES_FREE  (UINT64_C(1) << 24)
#define FRAMES_TIMES UINT64_C(64)

static inline uint64_t frames_permitted(uint64_t bytes) {
  return FRAMES_FREE + FRAMES_TIMES * bytes;
}

/* Sets the error for stacks with more than `most` frames in total. Returns PPROFC_E_LIMIT. */
pprofc_status frames_too_many(uint64_t most, pprofc_error *error);

/* Returns PPROFC_E_LIMIT if a stack, or all stacks together, have too many frames. Reads the stacks
 * only if the limits could be exceeded. */
pprofc_status frames_check(const pprofc_profile *profile, pprofc_error *error);

struct frame_options {
  /* Selects the fields of frames that distinguish nodes; NULL: all fields do. */
  const struct granularity *granularity;
  bool object_names; /* true if the object file and the start line also distinguish nodes */
  const char *trim_path, *source_path;
};

pprofc_status frames_build(struct frames *frames, const pprofc_profile *profile,
                           const struct frame_options *options, pprofc_error *error);
void frames_free(struct frames *frames);

/* Returns the printed name of the node_info at index `info`, see frame_name_of. */
pprofc_str frame_name(const struct frames *frames, uint32_t info, struct arena *arena);

/* ---- the graph --------------------------------------- */

struct graph_node {
  uint32_t info;
  uint32_t parent; /* index of the parent in a call tree, or NONE */
  int64_t flat, flat_div, cum, cum_div;
};

struct graph_edge {
  uint32_t source, target; /* index of the caller's node, and of the callee's node */
  int64_t weight, weight_div;
  /* is_inline: all calls along the edge are inlined. residual: the edge skips dropped nodes. dead:
   * the edge is dropped. */
  bool is_inline, residual, dead;
  bool on_path; /* true while the current stack contains the edge; only the code that finds edges
                   uses this field */
};

/* A tag of a node: a text, and the sum of the node's samples that have the text. The samples of a
 * string tag have equal string labels. The samples of a number tag have equal string labels and
 * equal texts of the label "bytes". Pictures draw a number tag below the string tag. */
struct graph_tag {
  uint32_t labels; /* id of the text of all string labels; 0: no string labels */
  bool is_number;
  pprofc_str name;
  int64_t value; /* value of a number tag in the first sample that has the tag */
  int64_t flat, flat_div, cum, cum_div;
};

struct graph_options {
  struct frame_options frames;
  size_t value_index;
  bool mean, call_tree, drop_negative, cum_sort;
  bool visual;    /* true for pictures: sort by entropy and drop redundant edges */
  bool by_change; /* true in pictures to sort the largest changes first */
  int nodecount;
  double nodefraction, edgefraction;
  bool want_edges, want_tags;
  bool any_order;         /* true: the shown nodes are neither sorted nor named */
  bool want_inline_marks; /* true to compute `marks`, even without want_edges */
  /* Expression for the names of nodes. The graph gets only the edges that begin or end at a
   * matching node. NULL: all edges. */
  struct regex *edges_of;
  pprofc_str bytes_unit; /* unit of numeric labels with the key "bytes" */
  pprofc_str tag_unit;   /* unit for labels, from the option -unit */
  unsigned threads;
};

enum inline_mark { MARK_NONE, MARK_INLINE, MARK_PARTIAL };

struct graph {
  const pprofc_allocator *mem;
  const pprofc_profile *profile;
  struct graph_options options;
  struct arena arena;
  struct frames frames;

  struct graph_node *nodes; /* all nodes; nodes without samples are never shown */
  size_t node_count, node_capacity;
  struct map tree;     /* map from parent and node_info to a node of the call tree */
  pprofc_str *names;   /* printed name of each node_info whose nodes are shown or have edges */
  uint32_t *name_rank; /* rank of the name of each node_info; equal names have equal ranks */

  struct graph_edge *edges;
  size_t edge_count, edge_capacity;
  /* Edges into node i: in[in_from[i]] to in[in_from[i + 1] - 1], sorted (docs/spec/pprof.md,
   * 19.5). */
  uint32_t *in_from, *in;
  /* Edges out of node i: out[out_from[i]] to out[out_from[i + 1] - 1], sorted like `in`. */
  uint32_t *out_from, *out;
  uint32_t *sorted; /* all edges that are not dropped (dead), sorted like `in` */
  size_t sorted_count;
  size_t linked; /* allocated number of elements of `in`, `out` and `sorted` */

  uint32_t *shown; /* shown nodes in display order */
  size_t shown_count;
  uint8_t *marks;   /* enum inline_mark of each node; NULL: no marks */
  uint8_t *matches; /* for each node, 1 if its name matches edges_of; NULL without edges_of */

  struct graph_tag *tags; /* tags of all nodes, grouped by node */
  /* For each node, the index of its first tag. An extra last element is the number of all tags.
   * NULL: no tags. */
  uint32_t *tag_from;

  size_t nodes_before, dropped_nodes, dropped_edges;
  int64_t node_cutoff, edge_cutoff;
};

/* Builds, trims and sorts a graph. The caller frees the graph, even after a failure. */
pprofc_status graph_build(struct graph *graph, const pprofc_profile *profile,
                          const struct graph_options *options, pprofc_error *error);
void graph_free(struct graph *graph);

static inline pprofc_str graph_name(const struct graph *g, uint32_t node) {
  return g->names[g->nodes[node].info];
}
static inline int64_t node_flat(const struct graph_node *n) {
  return number_mean(n->flat, n->flat_div);
}
static inline int64_t node_cum(const struct graph_node *n) {
  return number_mean(n->cum, n->cum_div);
}
static inline int64_t edge_weight(const struct graph_edge *e) {
  return number_mean(e->weight, e->weight_div);
}
static inline int64_t tag_flat(const struct graph_tag *t) {
  return number_mean(t->flat, t->flat_div);
}
static inline int64_t tag_cum(const struct graph_tag *t) {
  return number_mean(t->cum, t->cum_div);
}

/* ---- steps of graph_build ---------------------------- */

/* Returns the smallest absolute value that is kept: a fraction of the total. */
static inline int64_t graph_cutoff(int64_t total, double fraction) {
  return number_abs(number_from_double((double)total * fraction));
}

/* Makes a node for each node_info and computes its flat and cum. */
pprofc_status graph_sum(struct graph *graph, pprofc_error *error);

/* Builds nodes and edges of the call tree. */
pprofc_status graph_sum_tree(struct graph *graph, pprofc_error *error);
/* Returns the child of `parent` that has this node_info, or NONE. Searches the roots if `parent` is
 * NONE. */
uint32_t graph_tree_child(const struct graph *graph, uint32_t parent, uint32_t info);
/* Removes from the call tree each node i for which removed[i] is 1. */
void graph_trim_tree(struct graph *graph, const uint8_t *removed);

/* Selects edges between nodes in `kept`. If `target` or `source` is not NULL, the edge's target
 * must be in `target`, or its source in `source`. Each array has one byte per node, which is 1 if
 * the set contains the node. NULL for `kept` means all nodes. */
struct edge_choice {
  const uint8_t *kept, *target, *source;
};

/* Replaces the edges of the graph by the selected edges. The caller must then call graph_link_edges
 * to rebuild `in` and `out`. */
pprofc_status graph_find_edges(struct graph *graph, const struct edge_choice *choice,
                               pprofc_error *error);

/* Sets `marks`: finds the nodes whose calls from kept nodes are inlined. Then removes all edges
 * of the graph. `kept` has one byte per node; NULL: all nodes are kept. */
pprofc_status graph_mark_inlined(struct graph *graph, const uint8_t *kept, pprofc_error *error);

/* Sorts the edges, and rebuilds `in` and `out` without dropped (dead) edges. The caller must call
 * graph_rank_names before. */
pprofc_status graph_link_edges(struct graph *graph, pprofc_error *error);

/* Makes the names of the nodes that are shown or have edges. Then ranks these names. */
pprofc_status graph_rank_names(struct graph *graph, pprofc_error *error);

/* Sets `matches` of the shown nodes: 1 if the name matches options.edges_of. */
pprofc_status graph_match_names(struct graph *graph, pprofc_error *error);

/* Sorts `shown` by flat, cum or entropy. */
pprofc_status graph_sort_nodes(struct graph *graph, pprofc_error *error);

/* Finds the tags of each node i for which kept[i] is 1. */
pprofc_status graph_find_tags(struct graph *graph, const uint8_t *kept, pprofc_error *error);
/* Sorts `count` tags by flat or by cum (docs/spec/pprof.md, 19.6). The tags must be only string
 * tags or only number tags. */
void graph_sort_tags(struct graph_tag *tags, size_t count, bool by_flat);

/* ---- names ------------------------------------------ */

/* Position of a frame in the code. A field that does not distinguish frames is 0. */
struct node_place {
  uint64_t address;
  int64_t line, column, start_line;
};

/* Returns the printed name of a frame: its address, function and position in the file, with
 * `joint` between them. Omits unknown parts. Copies bytes of the profile unescaped. The result
 * is in `arena`. data is NULL when out of memory. */
pprofc_str frame_name_of(const struct node_place *place, pprofc_str name, pprofc_str file,
                         pprofc_str object, pprofc_str joint, struct arena *arena);

/* Applies the options trim_path and source_path to a path. Both options may be NULL. Returns a part
 * of `path`. */
pprofc_str trim_source_path(pprofc_str path, const char *trim_path, const char *source_path);

/* Shortens a function name for a box of a picture. The result is a part of the name, or is in
 * `arena`. data is NULL when out of memory. */
pprofc_str shorten_function_name(pprofc_str name, struct arena *arena);

#endif
