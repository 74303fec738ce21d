/* Prefix tree of stacks. It has a node for each distinct path of frames from the root.
 *
 * A run is a sequence of nodes in which each node is a child of the node before it. A node of a run
 * needs only 4 bytes for its frame. At first, a path may have several nodes: a new stack only
 * shares nodes with the stack before it. stack_paths_merge then joins the nodes of equal paths. In
 * sorted stacks, few nodes are joined. This is faster than a hash table of the children. */
#ifndef PPROFC_STACKS_PATHS_H
#define PPROFC_STACKS_PATHS_H

#include "core/map.h"

/* A node: its index, and the run (see above) that contains it. */
struct path_node {
  uint32_t node, run;
};

/* The runs that begin below a run r form a list: runs[r].last, its `before`, and so on. Their
 * parents never come closer to the end of r. */
struct path_run {
  uint32_t first;   /* index of the run's first node */
  uint32_t parent;  /* index of the parent of the first node */
  uint32_t before;  /* run that was added before this run below the same run, or MAP_NONE */
  uint32_t last;    /* run that was added last below this run, or MAP_NONE */
  uint32_t samples; /* last sample whose stack ends at the last node of the run, or MAP_NONE. If the
                       run has no nodes, the stack ends at `parent` */
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

/* Moves to a child that has a frame. Adds the child if it is new. `at` is the root or a node of the
 * previous stack. Returns false when out of memory. */
bool stack_paths_enter(struct stack_paths *paths, struct path_node *at, uint32_t frame);

/* Adds a sample whose stack ends at a node. Returns false when out of memory. */
bool stack_paths_end(struct stack_paths *paths, struct path_node at, uint32_t sample);

/* Joins the nodes of equal paths. Afterwards, the runs are in preorder, siblings are sorted by
 * their frames, and each run except run 0 has samples. Returns false when out of memory,
 * or if the budget is stopped. */
bool stack_paths_merge(struct stack_paths *paths);

/* Frees everything except the frames. */
void stack_paths_finish(struct stack_paths *paths);

/* Returns the index after the last node of a run. */
static inline uint32_t path_run_end(const struct stack_paths *p, uint32_t run) {
  return run + (size_t)1 < p->run_count ? p->runs[run + 1].first : (uint32_t)p->count;
}

#endif
