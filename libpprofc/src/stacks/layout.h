/* The tree that every flame graph draws: one node for each distinct path from the root, with
 * the values of base and head. The tree has every node, unless there are more than can be
 * shown. Each drawing prints the number of nodes that it does not show. */
#ifndef PPROFC_STACKS_LAYOUT_H
#define PPROFC_STACKS_LAYOUT_H

#include "profile/sum.h"
#include "stacks/stacks.h"

/* Nodes in preorder: node 0 is the root, the nodes below node i are i + 1 .. end[i] - 1, siblings
 * in the order of their frames (by name). Values have `columns` per node: one for each sample type,
 * head first, then, when there is a base, one for each type again. */
struct flame_tree {
  const struct stack_frames *frames;
  struct arena arena;
  size_t count, columns, types;
  bool has_base;
  uint32_t *frame;  /* index in frames->items; NONE for the root */
  uint32_t *parent; /* NONE for the root */
  uint32_t *end;
  uint32_t *depth; /* 0 for the root */
  int64_t *self;   /* [count * columns] of stacks that end here */
  int64_t *total;  /* [count * columns] self and everything below */
  size_t max_depth;
  size_t folded; /* nodes that one with a frame FLAME_FOLDED stands for ... */
  double least;  /* ... which are narrower than this part of each column */
};

/* the begin of the name of a frame whose nodes stand for others: "(folded frames, each below
 * 0.01%)" */
#define FLAME_FOLDED "(folded frames"

/* The values of a tree of a profile may be as many as this, and this many for each value of a
 * sample and each frame, so that a small file of many sample types cannot become a large tree. */
#define FLAME_VALUES_FREE  (UINT64_C(1) << 22)
#define FLAME_VALUES_TIMES UINT64_C(32)

/* Makes room for the nodes of a new tree; their values are not set. */
bool flame_tree_alloc(struct flame_tree *tree, size_t count);

/* Of a set whose stacks come leaf first, the leaves are the children of the root, and callers are
 * below. */
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

/* A profile as a tree, with what the tree points into. */
struct flame_graph {
  struct stack_frames frames;
  struct stack_set set;
  struct flame_tree tree;
};

struct flame_graph_options {
  bool inlined;      /* inlined and other calls of a function are different frames */
  bool reverse;      /* the leaves are the children of the root */
  size_t most_nodes; /* a larger tree keeps a quarter of this number, the widest; 0: no limit */
  const char *trim_path, *source_path; /* paths of the report options, or NULL */
};

/* Builds the tree of a profile. Everything by which the (aggregated) profile still
 * distinguishes frames makes a frame. On failure there is nothing to free. */
pprofc_status flame_graph_build(const pprofc_profile *profile,
                                const struct flame_graph_options *options,
                                const pprofc_allocator *mem, struct flame_graph *graph,
                                pprofc_error *error);
void flame_graph_free(struct flame_graph *graph);

/* The value that decides the width of a box. */
enum flame_width { FLAME_HEAD, FLAME_BASE, FLAME_MAX, FLAME_SUM };

/* One box of a drawing. Boxes come level by level; the box of node 0 is as wide as everything. */
struct flame_box {
  uint32_t node;   /* or NONE: the box replaces `hidden` nodes of one parent that were too narrow */
  uint32_t parent; /* box, or NONE */
  uint32_t depth;
  uint32_t hidden; /* how many sibling subtrees this box replaces */
  double x, width; /* in units of the values */
  int64_t head, base;
};

struct flame_boxes {
  struct flame_box *items; /* boxes in the tree's arena */
  size_t count;
  double width; /* width of the whole graph */
  uint32_t max_depth;
};

/* Places the boxes of one sample type. Siblings are ordered by name when there is a base, else by
 * width, the widest first. A node narrower than `least` of the whole is not drawn. One box replaces
 * all nodes of one parent that are not drawn, so children, self and that box are together as wide
 * as their parent, for base and for head. Negative values, which a subtraction makes, count by
 * magnitude. */
pprofc_status flame_place(struct flame_tree *tree, size_t type, enum flame_width width,
                          double least, struct flame_boxes *boxes, pprofc_error *error);

#endif
