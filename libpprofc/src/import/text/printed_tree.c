/* Converts the rows of a printed call tree to samples. The self cost of a row is printed, or else
 * it is the row's total minus the totals of the row's children. The samples add up to the totals of
 * the root rows. */
#include "import/text/printed_tree.h"
#include "import/reader.h"

/* Returns a + b, saturated at INT64_MAX. Costs are not negative. */
static int64_t printed_tree_sum(int64_t a, int64_t b) {
  return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Returns all - part, or 0 if the difference is negative. */
static int64_t printed_tree_rest(int64_t all, int64_t part) {
  return all > part ? all - part : 0;
}

/* Returns the self cost of a row. If the row's total exceeds its self cost plus its children by
 * more than rounding errors, rows are missing. In this case, the cost of the missing rows counts as
 * self cost. */
static int64_t printed_tree_own(const struct printed_row *row) {
  if (row->self < 0) return printed_tree_rest(row->values[0], row->below[0]);
  int64_t rest = printed_tree_rest(printed_tree_rest(row->values[0], row->below[0]), row->self);
  return rest > printed_tree_sum(row->slack, row->below_slack) ? printed_tree_sum(row->self, rest)
                                                               : row->self;
}

static void printed_tree_sample(struct printed_tree *tree, const int64_t *values) {
  size_t depth = 0;
  if (!import_need(tree->builder,
                   ARRAY_RESERVE_IN(tree->arena, tree->stack, tree->stack_capacity, tree->depth)))
    return;
  for (size_t i = 0; i < tree->depth; i++) {
    uint32_t location = tree->open[tree->callers ? i : tree->depth - 1 - i].location;
    if (location != NONE) tree->stack[depth++] = location;
  }
  pprofc_builder_sample(tree->builder, tree->stack, depth, values);
  for (size_t i = 0; i < tree->label_count; i++) builder_add_label(tree->builder, &tree->labels[i]);
}

/* Closes the last open row: adds a sample if the row has self cost, and adds the row's cost to its
 * parent. */
static void printed_tree_close(struct printed_tree *tree) {
  const struct printed_row *row = &tree->open[tree->depth - 1];
  int64_t own[PRINTED_TREE_VALUES] = {printed_tree_own(row)};
  for (size_t i = 1; i < PRINTED_TREE_VALUES; i++)
    own[i] = printed_tree_rest(row->values[i], row->below[i]);
  if (!values_are_zero(own, PRINTED_TREE_VALUES)) printed_tree_sample(tree, own);
  tree->depth--;
  if (!tree->depth) return;
  struct printed_row *parent = &tree->open[tree->depth - 1];
  for (size_t i = 0; i < PRINTED_TREE_VALUES; i++) {
    int64_t all = row->values[i] > row->below[i] ? row->values[i] : row->below[i];
    parent->below[i] = printed_tree_sum(parent->below[i], all);
  }
  parent->below_slack = printed_tree_sum(parent->below_slack, row->slack);
}

bool printed_tree_add(struct printed_tree *tree, size_t depth, const struct printed_row *row) {
  struct printed_row added = *row;
  added.depth = depth;
  while (tree->depth && tree->open[tree->depth - 1].depth >= depth) printed_tree_close(tree);
  bool fits = depth == (tree->depth ? tree->open[tree->depth - 1].depth + 1 : 0);
  return !import_need(tree->builder,
                      ARRAY_PUSH_IN(tree->arena, tree->open, tree->depth, tree->capacity, added)) ||
         fits;
}

void printed_tree_end(struct printed_tree *tree) {
  while (tree->depth) printed_tree_close(tree);
}
