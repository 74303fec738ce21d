/* The tree that every flame graph draws. It has a node for each distinct path from the root, with
 * the values of base and head. If there are too many nodes to show, the tree has only the widest
 * nodes. Each drawing prints how many nodes it does not show. */
#ifndef PPROFC_STACKS_LAYOUT_H
#define PPROFC_STACKS_LAYOUT_H

#include "profile/sum.h"
#include "stacks/stacks.h"
#include "transform/transform.h"

/* The nodes of a tree in preorder. Node 0 is the root. The nodes below node i are the nodes i + 1
 * to end[i] - 1. Siblings are in the order of their frames (by name). Each node has `columns`
 * values. There is one value for each sample type of the head. If there is a base, one value for
 * each sample type of the base follows. */
struct flame_tree {
  const struct stack_frames *frames;
  struct arena arena;
  size_t count, columns, types;
  bool has_base;
  uint32_t *frame;  /* for each node, the index of its frame in frames->items; NONE for the root */
  uint32_t *parent; /* for each node, the index of its parent; NONE for the root */
  uint32_t *end;
  uint32_t *depth; /* for each node, its depth; 0 for the root */
  int64_t *self;   /* for each node and column, the sum of the stacks that end at the node */
  int64_t *total;  /* for each node and column, the sum of the node and of all nodes below it */
  size_t max_depth;
  size_t folded; /* number of folded nodes: nodes with the frame FLAME_FOLDED replace them */
  double least;  /* share of the total below which nodes were folded */
};

/* Start of the name of a frame that replaces folded nodes: "(folded frames, each below 0.01%)". */
#define FLAME_FOLDED "(folded frames"

/* Maximum number of values in a tree: FLAME_VALUES_FREE, plus FLAME_VALUES_TIMES for each node of
 * the tree and for each value in the profile. Without the limit, a small file with many sample
 * types could give a large tree. */
#define FLAME_VALUES_FREE  (UINT64_C(1) << 22)
#define FLAME_VALUES_TIMES UINT64_C(32)

/* Allocates the nodes of a new tree. Their values are not set. */
bool flame_tree_alloc(struct flame_tree *tree, size_t count);

/* Builds the tree of a stack set. If the stacks are leaf first, the leaves are the children of the
 * root, and callers are below their callees. */
pprofc_status flame_tree_build(const struct stack_frames *frames, const struct stack_set *set,
                               const pprofc_allocator *mem, struct flame_tree *tree,
                               pprofc_error *error);
void flame_tree_free(struct flame_tree *tree);

static inline int64_t flame_head(const struct flame_tree *t, size_t node, size_t type) {
  return t->total[node * t->columns + type];
}
static inline int64_t flame_base(const struct flame_tree *t, size_t node, size_t type) {
  return t->has_base ? t->total[node * t->columns + t->types + type] : 0;
}
static inline int64_t flame_self_head(const struct flame_tree *t, size_t node, size_t type) {
  return t->self[node * t->columns + type];
}
static inline int64_t flame_self_base(const struct flame_tree *t, size_t node, size_t type) {
  return t->has_base ? t->self[node * t->columns + t->types + type] : 0;
}

/* A profile's tree, and the data that the tree points to. */
struct flame_graph {
  struct stack_frames frames;
  struct stack_set set;
  struct flame_tree tree;
};

struct flame_graph_options {
  struct granularity granularity;
  bool inlined;      /* true if inlined calls and other calls of a function have different frames */
  bool reverse;      /* true if the leaves are the children of the root */
  size_t most_nodes; /* maximum number of nodes; 0: no limit. A larger tree is reduced to its widest
                        nodes, at most a quarter of this number */
  /* values of the options trim_path and source_path, or NULL */
  const char *trim_path, *source_path;
};

/* Builds the tree of a profile. Frames that the granularity does not distinguish share a node. On
 * failure there is nothing to free. */
pprofc_status flame_graph_build(const pprofc_profile *profile,
                                const struct flame_graph_options *options,
                                const pprofc_allocator *mem, struct flame_graph *graph,
                                pprofc_error *error);
void flame_graph_free(struct flame_graph *graph);

/* Value that determines the width of a box. */
enum flame_width { FLAME_HEAD, FLAME_BASE, FLAME_MAX, FLAME_SUM };

/* A box of a drawing. The boxes are sorted by level. The box of node 0 has the whole width. */
struct flame_box {
  uint32_t node;   /* node of the box, or NONE if the box replaces several narrow siblings */
  uint32_t parent; /* index of the parent's box, or NONE */
  uint32_t depth;
  uint32_t hidden; /* if `node` is NONE, number of sibling nodes that this box replaces */
  double x, width; /* left edge and width, in the unit of the values */
  int64_t head, base;
};

struct flame_boxes {
  struct flame_box *items; /* boxes of the drawing; the tree's arena owns them */
  size_t count;
  double width; /* width of the whole graph, in the unit of the values */
  uint32_t max_depth;
};

/* Places the boxes for a sample type. If there is a base, siblings are ordered by name, else by
 * width, widest first. One box replaces all children of a node that are narrower than the share
 * `least` of the whole width. So a parent is as wide as its self value, the boxes of its children
 * and this box together. A negative value, which a subtraction can make, counts by its absolute
 * value. */
pprofc_status flame_place(struct flame_tree *tree, size_t type, enum flame_width width,
                          double least, struct flame_boxes *boxes, pprofc_error *error);

#endif
