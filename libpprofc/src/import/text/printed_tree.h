/* Texts that print a call tree, a row for each node, with its depth and what it cost in all. */
#ifndef PPROFC_IMPORT_TEXT_PRINTED_TREE_H
#define PPROFC_IMPORT_TEXT_PRINTED_TREE_H

#include "core/mem.h"
#include "profile/builder.h"

#define PRINTED_TREE_VALUES 2

struct printed_row {
  uint32_t location;
  int64_t values[PRINTED_TREE_VALUES]; /* of the node and all below it */
  int64_t self;                        /* part of values[0] that is its own, or -1: not printed */
  int64_t slack; /* how far values[0] and `self` may be off: they are rounded */
  int64_t below[PRINTED_TREE_VALUES]; /* sums of the rows below it; the tree's */
  int64_t below_slack;
};

struct printed_tree {
  pprofc_builder *builder;
  const pprofc_allocator *mem;
  struct printed_row *open; /* from a root to the last row */
  size_t depth, capacity;
  uint32_t *stack; /* [stack_capacity] leaf first, of the sample that is being added */
  size_t stack_capacity;
  bool callers; /* a row's parent is what it calls, not its caller */
  bool failed;  /* out of memory */
};

void printed_tree_init(struct printed_tree *tree, pprofc_builder *builder,
                       const pprofc_allocator *mem, bool callers);
void printed_tree_free(struct printed_tree *tree);

/* Adds a row; rows that are as deep or deeper are complete now. False when there is no row at
 * `depth` - 1 to put it below: then it is put below the last one. */
bool printed_tree_add(struct printed_tree *tree, size_t depth, const struct printed_row *row);

/* Completes all rows. A row becomes a sample of what none of the rows below it has. */
void printed_tree_end(struct printed_tree *tree);

#endif
