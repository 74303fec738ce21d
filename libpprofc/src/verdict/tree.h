/* Declares the call tree of all runs of a comparison. A node is a stack of function names from the
 * root. */
#ifndef PPROFC_VERDICT_TREE_H
#define PPROFC_VERDICT_TREE_H

#include "verdict/walk.h"

#define TREE_ROOT 0u

/* A node of the call tree. The index of a node is larger than the index of its parent. */
struct tree_node {
  /* indices of the parent, name, first child and next sibling; MAP_NONE if missing */
  uint32_t parent, name, first_child, next;
};

struct call_tree {
  const pprofc_allocator *mem;
  struct tree_node *nodes; /* nodes; the root comes first */
  size_t count, capacity;
  struct map map;
};

/* Makes a tree that has only a root. Returns false when out of memory. The caller calls tree_free
 * even after an error. */
bool tree_init(struct call_tree *tree, const pprofc_allocator *mem);
void tree_free(struct call_tree *tree);

/* Returns the node for the current stack of the walk. Adds the node if it is new. Returns MAP_NONE
 * when out of memory. */
uint32_t tree_reach(struct call_tree *tree, const struct walk *walk);

#endif
