/* Builds a tree with a limited number of nodes. */
#ifndef PPROFC_STACKS_NARROW_H
#define PPROFC_STACKS_NARROW_H

#include "stacks/layout.h"

/* Fills in the nodes of the tree, but not `end` and `total`. Keeps the widest nodes, at most
 * `most`. For each parent, a node with the frame `frame` replaces the children that are too narrow.
 * Returns false when out of memory. */
bool narrow_tree_build(struct flame_tree *tree, const struct stack_set *set, uint32_t frame,
                       size_t most, const pprofc_allocator *mem);

#endif
