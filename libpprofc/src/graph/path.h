/* Follows the stacks of samples as a path of nodes from the root. Consecutive stacks share most of
 * their frames, so most steps of the path stay. The value of a sample is first added to the leaf
 * only. A step that leaves the path passes its sum on to its caller. */
#ifndef PPROFC_GRAPH_PATH_H
#define PPROFC_GRAPH_PATH_H

#include "graph/graph.h"

/* Sum of samples, and sum of their divisors if the report shows means. */
struct path_sum {
  int64_t value, divisor;
};

/* Position in the file of the first sample with a tag, and the value of a number tag there. */
struct tag_first {
  uint32_t order;
  int64_t value;
};

/* A frame of the path. */
struct path_step {
  struct path_sum pending; /* sum that is not yet added to the node and to the caller */
  uint32_t node, offset;   /* offset: as in struct fresh_frame */
  /* For edges: `offset` of the first dropped frame after this frame, or 0; and the index of the
   * edge from the previous frame. `edge` is NONE if the edge is not selected, leads from a node to
   * itself, or is also in the path nearer to the root. */
  uint32_t skipped, edge;
  /* For tags: the first sample with the tag; and true if this frame adds its sums to the node. The
   * node must be kept, and must not occur nearer to the root in the path. */
  struct tag_first first;
  bool counts;
};

struct graph_path {
  const struct graph *graph;
  void *context;
  /* Appends a frame to `steps`, unless the node is dropped. Returns false when out of memory. */
  bool (*push)(void *context, uint32_t info, uint32_t offset, bool is_inline);
  void (*pop)(void *context, const struct path_step *step); /* adds up a step after its removal */
  struct path_step *steps;
  size_t depth, capacity;
  struct stack_delta delta;
  struct value_column values, divisors;
};

/* Prepares an empty path for samples from `first` on. The caller sets `context`, `push` and `pop`.
 * Returns false when out of memory. The caller calls path_free even then. */
bool path_init(struct graph_path *path, const struct graph *graph, size_t first);
void path_free(struct graph_path *path);

static inline void path_sum_add(struct path_sum *sum, struct path_sum more) {
  sum->value = sum_add(sum->value, more.value);
  sum->divisor = sum_add(sum->divisor, more.divisor);
}

/* Returns the last step, or NULL if the path is empty. */
static inline struct path_step *path_leaf(const struct graph_path *path) {
  return path->depth ? &path->steps[path->depth - 1] : NULL;
}

/* Makes the stack of a sample the path, and adds the sample's value to the leaf. Sets *added to
 * this value. Ignores a sample whose value and divisor are 0. Returns false when out of memory. */
bool path_add(struct graph_path *path, size_t sample, struct path_sum *added);

/* Removes all steps. */
void path_end(struct graph_path *path);

#endif
