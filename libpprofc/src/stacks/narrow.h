/* Trees with more nodes than can be shown. */
#ifndef PPROFC_STACKS_NARROW_H
#define PPROFC_STACKS_NARROW_H

#include "stacks/layout.h"

/* Fills the nodes of the tree, but for `end` and `total`. At most `most` nodes are kept, the
 * widest; `frame` is the frame of nodes that stand for folded ones. False when out of memory. */
bool narrow_tree_build(struct flame_tree *tree, const struct stack_set *set, uint32_t frame,
                       size_t most, const pprofc_allocator *mem);

#endif
