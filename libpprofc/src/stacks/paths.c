/* Builds the prefix tree of stacks, and walks it in order. */
#include "stacks/paths.h"

#include "core/array.h"

#include <stdlib.h>

/* Maximum number of branches of a run (a chain of nodes) that a search visits one by one. The
 * latest branches are in processor caches, because consecutive stacks share most nodes. */
#define PATH_LISTED 8

/* path_run.listed is at least this number if the hash table has branches of the run. */
#define PATH_HASHED (PATH_LISTED + 1)

static uint64_t path_hash(const struct path_branch *branch) {
  return hash_mix(branch->node, branch->key);
}

bool stack_paths_init(struct stack_paths *p, const pprofc_allocator *mem) {
  *p = (struct stack_paths){.mem = mem};
  map_init(&p->map, mem);
  if (!ARRAY_RESERVE(mem, p->frames, p->capacity, 1) ||
      !ARRAY_RESERVE(mem, p->runs, p->run_capacity, 1))
    return false;
  p->frames[p->count++] = UINT32_MAX;
  p->runs[p->run_count++] = (struct path_run){.branches = MAP_NONE, .stack = MAP_NONE};
  return true;
}

void stack_paths_free(struct stack_paths *p) {
  if (!p->mem) return;
  ARRAY_FREE(p->mem, p->frames, p->capacity);
  ARRAY_FREE(p->mem, p->runs, p->run_capacity);
  ARRAY_FREE(p->mem, p->branches, p->branch_capacity);
  map_free(&p->map);
}

/* ---- adding ------------------------------------------ */

static bool path_branch_same(const struct path_branch *x, const struct path_branch *y) {
  return x->node == y->node && x->key == y->key;
}

/* Returns the branch of a node with the key `key` (path_branch.key), or NULL. */
static const struct path_branch *path_branch_find(const struct stack_paths *p, struct path_node at,
                                                  uint32_t key) {
  const struct path_run *run = &p->runs[at.run];
  const struct path_branch wanted = {.node = at.node, .key = key}, *branch;
  uint32_t next = run->branches;
  for (uint32_t left = run->listed % PATH_HASHED; left; left--) {
    branch = &p->branches[next];
    if (path_branch_same(branch, &wanted)) return branch;
    next = branch->before;
  }
  if (run->listed < PATH_HASHED) return NULL;
  MAP_FIND(index, &p->map, path_hash(&wanted), path_branch_same(&p->branches[index], &wanted));
  return index == MAP_NONE ? NULL : &p->branches[index];
}

/* Adds the latest branches of a run (a chain of nodes) to the hash table. */
static bool path_branches_hash(struct stack_paths *p, struct path_run *run) {
  uint32_t next = run->branches;
  for (uint32_t left = PATH_LISTED; left; left--) {
    const struct path_branch *branch = &p->branches[next];
    if (!map_insert(&p->map, path_hash(branch), next)) return false;
    next = branch->before;
  }
  run->listed = PATH_HASHED;
  return true;
}

/* Adds a branch to a run (a chain of nodes). */
static bool path_branch_add(struct stack_paths *p, uint32_t run_index, struct path_branch branch) {
  struct path_run *run = &p->runs[run_index];
  if (p->branch_count >= MAP_NONE ||
      !ARRAY_RESERVE(p->mem, p->branches, p->branch_capacity, p->branch_count + 1) ||
      (run->listed % PATH_HASHED == PATH_LISTED && !path_branches_hash(p, run)))
    return false;
  branch.before = run->branches;
  run->branches = (uint32_t)p->branch_count;
  run->listed++;
  p->branches[p->branch_count++] = branch;
  return true;
}

/* Prepares the newest run (a chain of nodes) for another node. If a stack ends at the last node of
 * the run, stores this end as a branch. */
static bool path_run_extend(struct stack_paths *p) {
  uint32_t run = (uint32_t)p->run_count - 1, stack = p->runs[run].stack;
  p->runs[run].stack = MAP_NONE;
  return stack == MAP_NONE ||
         path_branch_add(p, run, (struct path_branch){(uint32_t)p->count - 1, 0, stack, 0});
}

static const struct path_node path_no_node = {MAP_NONE, 0};

/* Adds a child. A child of the newest node extends the run (chain) of this node. Any other child
 * starts a new run. Returns path_no_node when out of memory. */
static struct path_node path_node_add(struct stack_paths *p, struct path_node at, uint32_t frame) {
  if (p->count >= MAP_NONE || !ARRAY_RESERVE(p->mem, p->frames, p->capacity, p->count + 1))
    return path_no_node;
  uint32_t node = (uint32_t)p->count;
  if (at.node + 1 != node) {
    uint32_t run = (uint32_t)p->run_count;
    if (!ARRAY_RESERVE(p->mem, p->runs, p->run_capacity, p->run_count + 1) ||
        !path_branch_add(p, at.run, (struct path_branch){at.node, frame + 1, run, 0}))
      return path_no_node;
    p->runs[p->run_count++] =
        (struct path_run){.first = node, .above = at, .branches = MAP_NONE, .stack = MAP_NONE};
    at.run = run;
  } else if (!path_run_extend(p)) {
    return path_no_node;
  }
  p->frames[p->count++] = frame;
  return (struct path_node){node, at.run};
}

struct path_node stack_paths_search(struct stack_paths *p, struct path_node at, uint32_t frame) {
  const struct path_branch *branch = NULL;
  if (at.node + 1 != p->count) branch = path_branch_find(p, at, frame + 1);
  if (!branch) return path_node_add(p, at, frame);
  return (struct path_node){p->runs[branch->to].first, branch->to};
}

uint32_t stack_paths_end(struct stack_paths *p, struct path_node at) {
  struct path_run *run = &p->runs[at.run];
  if (at.node + 1 == path_run_end(p, at.run)) {
    if (run->stack == MAP_NONE) run->stack = p->stacks++;
    return run->stack;
  }
  const struct path_branch *branch = path_branch_find(p, at, 0);
  if (branch) return branch->to;
  if (!path_branch_add(p, at.run, (struct path_branch){at.node, 0, p->stacks, 0})) return MAP_NONE;
  return p->stacks++;
}

void stack_paths_read(const struct stack_paths *p, struct path_node at, uint32_t depth,
                      uint32_t from, uint32_t *frames) {
  while (depth > from) {
    const struct path_run *run = &p->runs[at.run];
    uint32_t count = at.node - run->first + (at.run > 0), left = depth - from;
    if (count > left) count = left;
    depth -= count;
    memcpy(frames + depth, p->frames + at.node + 1 - count, count * sizeof *frames);
    at = run->above;
  }
}

/* ---- walking ----------------------------------------- */

static int path_branch_compare(const void *left, const void *right) {
  const struct path_branch *x = left, *y = right;
  if (x->node != y->node) return x->node < y->node ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

/* Sorts branches by node, then by key. Uses insertion sort for a few branches. */
static void path_branches_sort(struct path_branch *branches, size_t count) {
  if (count > PATH_LISTED) {
    qsort(branches, count, sizeof *branches, path_branch_compare);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    struct path_branch branch = branches[i];
    size_t at = i;
    for (; at && path_branch_compare(&branches[at - 1], &branch) > 0; at--)
      branches[at] = branches[at - 1];
    branches[at] = branch;
  }
}

/* Stores the branches in the order of their runs, and sorts the branches of each run. Returns false
 * when out of memory. */
static bool path_sort(struct stack_paths *p) {
  struct path_branch *sorted = mem_array(p->mem, p->branch_capacity, sizeof *sorted);
  if (!sorted) return false;
  uint32_t count = 0;
  for (size_t i = 0; i < p->run_count; i++) {
    uint32_t next = p->runs[i].branches, from = count;
    for (; next != MAP_NONE; next = p->branches[next].before) sorted[count++] = p->branches[next];
    path_branches_sort(sorted + from, count - from);
    p->runs[i].branches = from;
  }
  mem_free(p->mem, p->branches, p->branch_capacity, sizeof *sorted);
  p->branches = sorted;
  return true;
}

static bool path_wait(struct path_walk *w, struct path_place place) {
  return ARRAY_PUSH(w->paths->mem, w->waiting, w->count, w->capacity, place);
}

bool path_walk_begin(struct path_walk *w, struct stack_paths *p) {
  *w = (struct path_walk){.paths = p};
  map_free(&p->map);
  return path_sort(p) && path_wait(w, (struct path_place){.branch = 0});
}

/* Returns the index after the last branch of the node place->at. */
static uint32_t path_branches_end(const struct stack_paths *p, const struct path_place *place) {
  uint32_t end = place->branch;
  while (end < p->branch_count && p->branches[end].node == place->at.node) end++;
  return end;
}

/* Adds all children of a node to the nodes that the walk must visit, so that it visits the first
 * child first. */
static bool path_wait_for_children(struct path_walk *w, struct path_place place) {
  const struct stack_paths *p = w->paths;
  uint32_t end = path_branches_end(p, &place), next = place.at.node + 1;
  bool more = next < path_run_end(p, place.at.run);
  for (uint32_t i = end; i > place.branch || more;) {
    const struct path_branch *branch = i > place.branch ? &p->branches[i - 1] : NULL;
    struct path_place child = {{next, place.at.run}, place.depth + 1, end};
    if (branch && (!more || branch->key > p->frames[next] + 1)) {
      const struct path_run *run = &p->runs[branch->to];
      child.at = (struct path_node){run->first, branch->to};
      child.branch = run->branches;
      i--;
    } else {
      more = false;
    }
    if (!path_wait(w, child)) return false;
  }
  return true;
}

/* Moves `place` along its run (chain) to the next node that has another child or ends a stack.
 * Returns false at the end of the run. */
static bool path_skip(const struct stack_paths *p, struct path_place *place) {
  uint32_t node = path_run_end(p, place->at.run) - 1;
  bool ends = p->runs[place->at.run].stack != MAP_NONE;
  if (place->branch < p->branch_count && p->branches[place->branch].node <= node)
    node = p->branches[place->branch].node;
  else if (!ends)
    return false;
  place->depth += node - place->at.node;
  place->at.node = node;
  return true;
}

/* Returns the index of the stack that ends at `place`, and moves `place` over the branch that marks
 * this end. Returns MAP_NONE if no stack ends there. */
static uint32_t path_take_stack(const struct stack_paths *p, struct path_place *place) {
  if (place->at.node + 1 == path_run_end(p, place->at.run)) return p->runs[place->at.run].stack;
  const struct path_branch *branch = &p->branches[place->branch];
  if (branch->key) return MAP_NONE;
  place->branch++;
  return branch->to;
}

bool path_walk_next(struct path_walk *w, struct path_stack *stack, bool *done) {
  const struct stack_paths *p = w->paths;
  while (w->count) {
    struct path_place place = w->waiting[--w->count];
    if (place.depth && place.depth - 1 < w->shared) w->shared = place.depth - 1;
    if (!path_skip(p, &place)) continue;
    uint32_t number = path_take_stack(p, &place);
    if (!path_wait_for_children(w, place)) return false;
    if (number == MAP_NONE) continue;
    *stack = (struct path_stack){place.at, number, place.depth, w->shared};
    w->shared = place.depth;
    return true;
  }
  *done = true;
  return true;
}

void path_walk_end(struct path_walk *w) {
  ARRAY_FREE(w->paths->mem, w->waiting, w->capacity);
  ARRAY_FREE(w->paths->mem, w->paths->branches, w->paths->branch_capacity);
}
