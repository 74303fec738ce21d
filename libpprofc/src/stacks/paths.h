/* Prefix tree of stacks. When it is complete, it has a node for each distinct path of frames from
 * the root.
 *
 * A run is a sequence of nodes in which each node is a child of the node before it. A node of a run
 * needs only 4 bytes for its frame. While stacks are added, a path may have several nodes, because
 * a new stack shares nodes only with the stack before it. stack_paths_merge then joins the nodes of
 * equal paths. Sorted stacks have few such nodes, so this is faster than a hash table of the
 * children. */
#ifndef PPROFC_STACKS_PATHS_H
#define PPROFC_STACKS_PATHS_H

#include "core/map.h"

/* A node: its index, and the run (see above) that contains it. */
struct path_node {
  uint32_t node, run;
};

/* A run. The runs whose parents are nodes of a run r form a list: runs[r].last, its `before`, and
 * so on. Runs later in the list were added earlier, and their parents are not closer to the start
 * of r. */
struct path_run {
  uint32_t first;  /* index of the run's first node */
  uint32_t parent; /* index of the parent of the first node */
  uint32_t before; /* the previous run whose parent is in the same run, or MAP_NONE */
  uint32_t last;   /* the last run whose parent is in this run, or MAP_NONE */
  /* The last sample whose stack ends at the last node of the run, or MAP_NONE. If the run has no
   * nodes, its stacks end at `parent`. */
  uint32_t samples;
};

struct stack_paths {
  const pprofc_allocator *mem;
  uint32_t *frames;      /* for each node, its frame; node 0 is the root and has no frame */
  struct path_run *runs; /* run 0 contains only the root */
  uint32_t *next;        /* for each sample, the next sample with the same stack, or MAP_NONE */
  size_t count, capacity, run_count, run_capacity, samples;
};

/* Makes the root. `samples` is the number of samples. Returns false when out of memory. */
bool stack_paths_init(struct stack_paths *paths, size_t samples, const pprofc_allocator *mem);
void stack_paths_free(struct stack_paths *paths);

/* Moves `at` to the child with the frame `frame`. Adds the child if it is new. `at` must be the
 * root, a node of the previous stack, or a node that this function reached. Returns false when out
 * of memory. */
bool stack_paths_enter(struct stack_paths *paths, struct path_node *at, uint32_t frame);

/* Adds a sample whose stack ends at a node. Returns false when out of memory. */
bool stack_paths_end(struct stack_paths *paths, struct path_node at, uint32_t sample);

/* Joins the nodes of equal paths. Afterwards, the runs are in preorder, siblings are sorted by
 * their frames, and each run except run 0 has samples. Returns false when out of memory,
 * or if the budget is stopped. */
bool stack_paths_merge(struct stack_paths *paths);

/* Frees all memory except the array `frames`. */
void stack_paths_finish(struct stack_paths *paths);

/* Returns the index after the last node of a run. */
static inline uint32_t path_run_end(const struct stack_paths *p, uint32_t run) {
  return run + (size_t)1 < p->run_count ? p->runs[run + 1].first : (uint32_t)p->count;
}

#endif
