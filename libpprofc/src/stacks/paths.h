/* Prefix tree of stacks. It has a node for each distinct path of frames from the root.
 *
 * Most nodes are children of the node before them. A run is a sequence of these nodes, and each
 * needs only 4 bytes for its frame. Each run has a list of its branches: the other children
 * of its nodes, and the ends of stacks. In a long list, a hash table finds the older branches. */
#ifndef PPROFC_STACKS_PATHS_H
#define PPROFC_STACKS_PATHS_H

#include "core/map.h"

/* A node: its index, and the run (a chain of nodes) that contains it. */
struct path_node {
  uint32_t node, run;
};

struct path_run {
  uint32_t first;         /* index of the first node of the run (a chain of nodes) */
  struct path_node above; /* parent of the run's first node */
  uint32_t branches; /* index of the latest branch at a node of the run, or MAP_NONE; after sorting,
                        index of the first branch */
  uint32_t listed;   /* number of branches of the run outside the hash table; PATH_HASHED is added
                        if other branches are in the table */
  /* index of the stack that ends at the last node of the run, or MAP_NONE */
  uint32_t stack;
};

/* A branch: a child that is not the next node of its parent's run, or a stack that ends before the
 * end of the run. */
struct path_branch {
  uint32_t node;
  uint32_t key;    /* frame of the child + 1; 0 for the end of a stack */
  uint32_t to;     /* run of the child, or index of the stack that ends */
  uint32_t before; /* index of the previous branch of the run, or MAP_NONE */
};

struct stack_paths {
  const pprofc_allocator *mem;
  uint32_t *frames; /* for each node, its frame; node 0 is the root and has no frame */
  struct path_run *runs;
  struct path_branch *branches;
  size_t count, capacity, run_count, run_capacity, branch_count, branch_capacity;
  uint32_t stacks; /* number of different stacks; each ends at a node */
  struct map map;  /* map from node and key to the index of a branch */
};

/* Makes the root. Returns false when out of memory. */
bool stack_paths_init(struct stack_paths *paths, const pprofc_allocator *mem);
void stack_paths_free(struct stack_paths *paths);

/* Returns the index after the last node of a run (a chain of parents and children). */
static inline uint32_t path_run_end(const struct stack_paths *p, uint32_t run) {
  return run + (size_t)1 < p->run_count ? p->runs[run + 1].first : (uint32_t)p->count;
}

/* Does the same as stack_paths_enter, but also finds children outside the run (chain) of `at`. */
struct path_node stack_paths_search(struct stack_paths *paths, struct path_node at, uint32_t frame);

/* Returns the child with the frame `frame`. Adds the child if it is new. Returns a node with the
 * index MAP_NONE when out of memory. */
static inline struct path_node stack_paths_enter(struct stack_paths *paths, struct path_node at,
                                                 uint32_t frame) {
  uint32_t next = at.node + 1;
  if (next == paths->count || paths->frames[next] != frame || next >= path_run_end(paths, at.run))
    return stack_paths_search(paths, at, frame);
  return (struct path_node){next, at.run};
}

/* Returns the index of the stack that ends at a node. Adds the stack if it is new: its index is the
 * number of earlier stacks. Returns MAP_NONE when out of memory. */
uint32_t stack_paths_end(struct stack_paths *paths, struct path_node at);

/* Stores the frames of the path to a node at `depth`. The first `from` frames are already in
 * `frames`. */
void stack_paths_read(const struct stack_paths *paths, struct path_node at, uint32_t depth,
                      uint32_t from, uint32_t *frames);

/* A stack that the walk returns. The stacks are in the order of the tree. */
struct path_stack {
  struct path_node end;
  uint32_t number; /* index of the stack, as stack_paths_end returned it */
  uint32_t depth;
  uint32_t shared; /* number of frames that the stack shares with the previous stack */
};

/* A node that the walk must still visit, and the index `branch` of its first branch. */
struct path_place {
  struct path_node at;
  uint32_t depth, branch;
};

struct path_walk {
  struct stack_paths *paths;
  struct path_place *waiting;
  size_t count, capacity;
  uint32_t shared;
};

/* Sorts the children of each node by frame, and begins a walk over the stacks. A stack comes before
 * the stacks that continue it. No stacks may be added afterwards. Returns false when out of
 * memory. */
bool path_walk_begin(struct path_walk *walk, struct stack_paths *paths);
/* Sets *stack to the next stack, or sets *done to true after the last stack. Returns false when out
 * of memory. */
bool path_walk_next(struct path_walk *walk, struct path_stack *stack, bool *done);
void path_walk_end(struct path_walk *walk);

#endif
