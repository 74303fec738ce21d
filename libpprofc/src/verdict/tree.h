/* The call tree of all runs: each node is a stack of names from the root. */
#ifndef PPROFC_VERDICT_TREE_H
#define PPROFC_VERDICT_TREE_H

#include "verdict/walk.h"

#define TREE_ROOT 0u

/* A node comes after its parent. */
struct tree_node {
  uint32_t parent, name, first_child, next; /* MAP_NONE: there is none */
};

struct call_tree {
  const pprofc_allocator *mem;
  struct tree_node *nodes; /* [count], the root first */
  size_t count, capacity;
  struct map map;
};

/* A tree of the root alone; false when out of memory. To be freed in any case. */
bool tree_init(struct call_tree *tree, const pprofc_allocator *mem);
void tree_free(struct call_tree *tree);

/* The node of the walk's current stack, which is made when there is none; MAP_NONE when out of
 * memory. */
uint32_t tree_reach(struct call_tree *tree, const struct walk *walk);

#endif
