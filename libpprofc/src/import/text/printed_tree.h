/* Converts call trees printed as text to samples. Such a tree has a row for each node, with its
 * depth and its total cost. */
#ifndef PPROFC_IMPORT_TEXT_PRINTED_TREE_H
#define PPROFC_IMPORT_TEXT_PRINTED_TREE_H

#include "profile/builder.h"

#define PRINTED_TREE_VALUES 2
#define PRINTED_TREE_LABELS 2

struct printed_row {
  uint32_t location; /* index of the location, or NONE for a row that is not a function */
  int64_t values[PRINTED_TREE_VALUES]; /* cost of the node and its descendants */
  int64_t self;  /* printed self cost of the first sample type, or -1 if not printed */
  int64_t slack; /* sum of the largest possible rounding errors of values[0] and `self` */
  /* The functions below set the following fields. */
  int64_t below[PRINTED_TREE_VALUES]; /* sums of the children's values */
  int64_t below_slack;
  size_t depth; /* depth as printed; larger than the row's index in `open` if rows are missing */
};

struct printed_tree {
  pprofc_builder *builder;
  struct arena *arena;
  struct printed_row *open; /* rows whose children are not complete, root first */
  size_t depth, capacity;
  uint32_t *stack; /* buffer for the stack of the current sample, leaf first */
  size_t stack_capacity;
  struct label labels[PRINTED_TREE_LABELS]; /* labels for the samples made from the open rows */
  size_t label_count;
  bool callers; /* true if the parent of a row is its callee, false if its caller */
};

/* Adds a row. First closes open rows of the same or a greater depth. Returns false if no row of
 * depth `depth` - 1 is open; then the row becomes a child of the last open row. */
bool printed_tree_add(struct printed_tree *tree, size_t depth, const struct printed_row *row);

/* Closes all rows. A row with self cost becomes a sample. */
void printed_tree_end(struct printed_tree *tree);

#endif
