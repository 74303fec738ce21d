/* The call graph that top, tree, peek, dot, callgrind and topproto print.
 *
 * Building goes: frames (which node is each location), sums (flat and cum of each node), then
 * trimming, which decides what is kept; edges and tags are made only for what asks for them.
 * Section numbers are those of the behaviour notes in docs/COMPAT.md. */
#ifndef PPROFC_GRAPH_GRAPH_H
#define PPROFC_GRAPH_GRAPH_H

#include "core/error.h"
#include "core/map.h"
#include "graph/names.h"
#include "graph/number.h"
#include "profile/profile.h"
#include "regex/regex.h"
#include "transform/transform.h"

/* What a node is (17). Texts are ids into `texts` of the frames, so that equal texts are equal
 * numbers; text 0 is "". */
struct node_info {
  uint32_t name, file, object;
  const struct node_place *place; /* never NULL; many infos have the same one of zeros */
};

/* Which infos the lines of each location are. */
struct frames {
  const pprofc_allocator *mem;
  struct arena arena;
  struct interner texts;
  struct node_info *infos;
  size_t count, capacity;
  struct map map;
  const struct locations *locations;
  uint32_t *of_location; /* info of a location with one frame; of others FRAME_LIST + list */
  uint32_t *lists;       /* how many frames, then their infos, innermost first; NULL: none */
};

#define FRAME_LIST         0x80000000u
#define FRAME_LIST_PADDING 4 /* words that may be read behind the last list */

/* The list of an entry of of_location that has FRAME_LIST: frames [1] to [list[0]]. */
static inline const uint32_t *frame_list(const struct frames *frames, uint32_t entry) {
  return frames->lists + (entry & ~FRAME_LIST);
}

struct frame_options {
  const struct granularity *granularity; /* what nodes differ by; NULL: everything */
  bool object_names;                     /* nodes differ by mapping file and start line */
  const char *trim_path, *source_path;
};

pprofc_status frames_build(struct frames *frames, const pprofc_profile *profile,
                           const struct frame_options *options, pprofc_error *error);
void frames_free(struct frames *frames);

/* The printed name of an info, as frame_name_of makes it. */
pprofc_str frame_name(const struct frames *frames, uint32_t info, struct arena *arena);

/* ---- the graph --------------------------------------- */

struct graph_node {
  uint32_t info;
  uint32_t parent; /* in a call tree, or NONE */
  int64_t flat, flat_div, cum, cum_div;
};

struct graph_edge {
  uint32_t source, target; /* nodes */
  int64_t weight, weight_div;
  bool is_inline, residual, dead;
  uint32_t seen; /* while edges are found: stamp of the last sample that has it */
};

/* What a node calls. */
struct graph_call {
  int64_t weight;
  uint32_t target; /* node */
  uint32_t order;  /* of meeting it first */
};

/* The calls of a node: calls[from] to calls[from + count - 1]. */
struct graph_call_list {
  uint32_t from, count;
};

/* Labels of the samples of a node. A tag of numbers belongs to the label tag with the same
 * `labels`. */
struct graph_tag {
  uint32_t labels; /* which set of string labels; 0: none */
  bool is_number;
  pprofc_str name;
  int64_t value; /* a number tag's first value */
  int64_t flat, flat_div, cum, cum_div;
};

struct graph_options {
  struct frame_options frames;
  size_t value_index;
  bool mean, call_tree, drop_negative, cum_sort;
  bool visual;    /* entropy order and fewer edges, for pictures */
  bool by_change; /* with visual: the order of a difference, largest changes first */
  int nodecount;
  double nodefraction, edgefraction;
  bool want_edges, want_tags;
  bool any_order;         /* of shown nodes: they have neither order nor names then */
  bool want_inline_marks; /* node_marks, without edges */
  size_t most_edges; /* a thread makes for marks before it counts, or makes fewer; 0: the usual */
  bool want_calls;   /* with edges: `calls` in place of them where that is possible */
  struct regex *edges_of; /* with edges: only those at nodes of that printed name, or NULL */
  pprofc_str bytes_unit;  /* unit of the label "bytes" */
  pprofc_str tag_unit;    /* the unit option */
  unsigned threads;
};

enum inline_mark { MARK_NONE, MARK_INLINE, MARK_PARTIAL };

struct graph {
  const pprofc_allocator *mem;
  const pprofc_profile *profile;
  struct graph_options options;
  struct arena arena;
  struct frames frames;
  uint32_t *shared; /* of samples with long stacks: what the sums found, for the marks; or NULL */

  struct graph_node *nodes; /* all there are; those with nothing in them are never shown */
  size_t node_count, node_capacity;
  struct map tree;     /* of a call tree: parent and info to node */
  pprofc_str *names;   /* printed, by info; made for what is shown and its neighbours */
  uint32_t *name_rank; /* order of the names, by info; equal names have equal ranks */

  struct graph_edge *edges;
  size_t edge_count, edge_capacity;
  uint32_t *in_from,
      *in; /* edges into node i: in[in_from[i]] .. in[in_from[i + 1]], sorted (19.5) */
  uint32_t *out_from, *out; /* edges out of it */
  uint32_t *sorted;         /* all edges that are not dead, in that order */
  size_t sorted_count;
  size_t linked; /* room of `in`, `out` and `sorted` */

  struct graph_call *calls;           /* of all nodes, sorted as `out` is; NULL: there are edges */
  struct graph_call_list *call_lists; /* by node */
  size_t calls_room;

  uint32_t *shown; /* nodes in order of display */
  size_t shown_count;
  uint8_t *marks;   /* enum inline_mark per node, when wanted */
  uint8_t *matches; /* per node, when edges_of is set: its name matches */

  struct graph_tag *tags; /* by node */
  uint32_t *tag_from;     /* [node_count + 1], NULL: no tags */

  size_t nodes_before, dropped_nodes, dropped_edges;
  int64_t node_cutoff, edge_cutoff;
};

/* Builds, trims and sorts. The graph must be freed, also after a failure. */
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

/* What a number has to reach, in magnitude, not to be dropped. */
static inline int64_t graph_cutoff(int64_t total, double fraction) {
  return number_abs(number_from_double((double)total * fraction));
}

/* Makes a node of every info; false when out of memory. */
bool graph_make_nodes(struct graph *graph);

/* Flat and cum of every node (one per info); a cum below the cutoff may be another number below it.
 */
pprofc_status graph_sum(struct graph *graph, pprofc_error *error);

/* Makes nodes and edges of the call tree. */
pprofc_status graph_sum_tree(struct graph *graph, pprofc_error *error);
/* The node of a call path, NONE when there is none; `parent` is NONE for a root. */
uint32_t graph_tree_child(const struct graph *graph, uint32_t parent, uint32_t info);
/* Takes nodes out of the tree, one byte per node says which. */
void graph_trim_tree(struct graph *graph, const uint8_t *removed);

/* Which edges to make: between kept nodes, into nodes of `target` or out of nodes of `source`; each
 * an array of one byte per node, NULL for all. */
struct edge_choice {
  const uint8_t *kept, *target, *source;
  const struct edge_filter *filter; /* or NULL */
  size_t most;                      /* edges that a thread may make; 0: any number */
};

/* Pairs of nodes that may be made an edge: those whose bit is set. */
struct edge_filter {
  uint8_t *bits;
  uint64_t mask; /* number of bits - 1 */
};

static inline uint64_t edge_filter_bit(const struct edge_filter *filter, uint32_t source,
                                       uint32_t target) {
  return hash_mix(source, target) & filter->mask;
}
static inline bool edge_filter_has(const struct edge_filter *filter, uint64_t bit) {
  return filter->bits[bit >> 3] >> (bit & 7) & 1;
}
static inline void edge_filter_add(const struct edge_filter *filter, uint64_t bit) {
  filter->bits[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

/* Replaces the edges of the graph; adjacency is not made yet. PPROFC_E_NO_MATCH: there are more
 * than choice->most. */
pprofc_status graph_find_edges(struct graph *graph, const struct edge_choice *choice,
                               pprofc_error *error);

/* Marks the shown nodes that are inlined calls of what is kept. `kept`: an array of one byte per
 * node, NULL for all. */
pprofc_status graph_mark_inlined(struct graph *graph, const uint8_t *kept, pprofc_error *error);

/* Sorts edges and makes in/out of those that are not dead. Names must be there. */
pprofc_status graph_link_edges(struct graph *graph, pprofc_error *error);

/* Makes `calls` of all nodes. Not possible where most calls are met many times: then edges are
 * better. */
pprofc_status graph_find_calls(struct graph *graph, bool *possible, pprofc_error *error);

/* Names and ranks of the nodes that are shown and of the ends of edges. */
pprofc_status graph_rank_names(struct graph *graph, pprofc_error *error);

/* Sorts `shown`: flat, cum or entropy order. */
pprofc_status graph_sort_nodes(struct graph *graph, pprofc_error *error);

/* Tags of the kept nodes. */
pprofc_status graph_find_tags(struct graph *graph, const uint8_t *kept, pprofc_error *error);
/* Sorts count tags of one kind (19.6). */
void graph_sort_tags(struct graph_tag *tags, size_t count, bool by_flat);

#endif
