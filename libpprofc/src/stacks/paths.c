/* Builds the prefix tree of stacks, and walks it in order. */
#include "stacks/paths.h"

#include "core/array.h"

static uint64_t path_hash(uint32_t node, uint32_t key) {
  return hash_mix(node, key);
}

bool stack_paths_init(struct stack_paths *p, const pprofc_allocator *mem) {
  *p = (struct stack_paths){.mem = mem};
  map_init(&p->map, mem);
  if (!ARRAY_RESERVE(mem, p->frames, p->capacity, 1) ||
      !ARRAY_RESERVE(mem, p->runs, p->run_capacity, 1))
    return false;
  p->frames[p->count++] = UINT32_MAX;
  p->runs[p->run_count++] = (struct path_run){.stack = MAP_NONE};
  return true;
}

void stack_paths_free(struct stack_paths *p) {
  if (!p->mem) return;
  ARRAY_FREE(p->mem, p->frames, p->capacity);
  ARRAY_FREE(p->mem, p->runs, p->run_capacity);
  ARRAY_FREE(p->mem, p->branches, p->branch_capacity);
  map_free(&p->map);
}

/* Returns the index after the last node of a run (a chain of parents and children, see paths.h). */
static uint32_t path_run_end(const struct stack_paths *p, uint32_t run) {
  return run + (size_t)1 < p->run_count ? p->runs[run + 1].first : (uint32_t)p->count;
}

/* ---- adding ------------------------------------------ */

/* Returns the branch of a node for a child, or for a stack that ends there (key 0), or NULL. */
static const struct path_branch *path_branch_find(const struct stack_paths *p, uint32_t node,
                                                  uint32_t key) {
  MAP_FIND(index, &p->map, path_hash(node, key),
           p->branches[index].node == node && p->branches[index].key == key);
  return index == MAP_NONE ? NULL : &p->branches[index];
}

static bool path_branch_add(struct stack_paths *p, struct path_branch branch) {
  if (p->branch_count >= MAP_NONE ||
      !ARRAY_RESERVE(p->mem, p->branches, p->branch_capacity, p->branch_count + 1) ||
      !map_insert(&p->map, path_hash(branch.node, branch.key), (uint32_t)p->branch_count))
    return false;
  p->branches[p->branch_count++] = branch;
  return true;
}

/* Prepares the last run (a chain of nodes) for another node. If a stack ends at the last node of
 * the run, stores this end as a branch. */
static bool path_run_extend(struct stack_paths *p) {
  struct path_run *run = &p->runs[p->run_count - 1];
  uint32_t stack = run->stack;
  run->stack = MAP_NONE;
  return stack == MAP_NONE ||
         path_branch_add(p, (struct path_branch){(uint32_t)p->count - 1, 0, stack});
}

/* Adds a child. A child of the newest node extends the run (chain) of this node. Any other child
 * starts a new run. */
static bool path_node_add(struct stack_paths *p, struct path_node *at, uint32_t frame) {
  if (p->count >= UINT32_MAX || !ARRAY_RESERVE(p->mem, p->frames, p->capacity, p->count + 1))
    return false;
  uint32_t node = (uint32_t)p->count;
  if (at->node + 1 != node) {
    uint32_t run = (uint32_t)p->run_count;
    if (!ARRAY_RESERVE(p->mem, p->runs, p->run_capacity, p->run_count + 1) ||
        !path_branch_add(p, (struct path_branch){at->node, frame + 1, run}))
      return false;
    p->runs[p->run_count++] = (struct path_run){.first = node, .above = *at, .stack = MAP_NONE};
    at->run = run;
  } else if (!path_run_extend(p)) {
    return false;
  }
  at->node = node;
  p->frames[p->count++] = frame;
  return true;
}

bool stack_paths_enter(struct stack_paths *p, struct path_node *at, uint32_t frame) {
  uint32_t next = at->node + 1;
  if (next == p->count) return path_node_add(p, at, frame);
  if (p->frames[next] == frame && next < path_run_end(p, at->run)) {
    at->node = next;
    return true;
  }
  const struct path_branch *branch = path_branch_find(p, at->node, frame + 1);
  if (!branch) return path_node_add(p, at, frame);
  *at = (struct path_node){p->runs[branch->to].first, branch->to};
  return true;
}

uint32_t stack_paths_end(struct stack_paths *p, struct path_node at) {
  struct path_run *run = &p->runs[at.run];
  if (at.node + 1 == path_run_end(p, at.run)) {
    if (run->stack == MAP_NONE) run->stack = p->stacks++;
    return run->stack;
  }
  const struct path_branch *branch = path_branch_find(p, at.node, 0);
  if (branch) return branch->to;
  if (!path_branch_add(p, (struct path_branch){at.node, 0, p->stacks})) return MAP_NONE;
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

#define PATH_BITS 11u /* number of bits in a digit of the radix sort */

/* Returns a digit of a branch's node (`of_node` is true) or key. */
static inline uint32_t path_digit(const struct path_branch *branch, bool of_node, unsigned shift) {
  return (of_node ? branch->node : branch->key) >> shift & ((1u << PATH_BITS) - 1);
}

/* Sorts branches by a digit. Branches with the same digit keep their order. */
static void path_sort_digit(const struct path_branch *from, struct path_branch *to, size_t count,
                            bool of_node, unsigned shift) {
  uint32_t place[1u << PATH_BITS] = {0}, next = 0;
  for (size_t i = 0; i < count; i++) place[path_digit(&from[i], of_node, shift)]++;
  for (size_t i = 0; i < 1u << PATH_BITS; i++) {
    uint32_t size = place[i];
    place[i] = next;
    next += size;
  }
  for (size_t i = 0; i < count; i++) to[place[path_digit(&from[i], of_node, shift)]++] = from[i];
}

/* Sorts the branches by node, then by key. Begins with the lowest digit of the key, and ends with
 * the highest digit of the node. Returns false when out of memory. */
static bool path_sort(struct stack_paths *p) {
  uint32_t largest[2] = {0, (uint32_t)p->count}; /* largest key, and a bound of node indices */
  struct path_branch *sorted = mem_array(p->mem, p->branch_capacity, sizeof *sorted);
  if (!sorted) return false;
  for (size_t i = 0; i < p->branch_count; i++)
    if (p->branches[i].key > largest[0]) largest[0] = p->branches[i].key;
  for (unsigned field = 0; field < 2; field++)
    for (unsigned shift = 0; shift < 32 && largest[field] >> shift; shift += PATH_BITS) {
      struct path_branch *from = p->branches;
      path_sort_digit(from, sorted, p->branch_count, field, shift);
      p->branches = sorted;
      sorted = from;
    }
  mem_free(p->mem, sorted, p->branch_capacity, sizeof *sorted);
  return true;
}

static bool path_wait(struct path_walk *w, struct path_place place) {
  return ARRAY_PUSH(w->paths->mem, w->waiting, w->count, w->capacity, place);
}

bool path_walk_begin(struct path_walk *w, struct stack_paths *p) {
  *w = (struct path_walk){.paths = p};
  map_free(&p->map);
  if (p->branch_count > 1 && !path_sort(p)) return false;
  uint32_t branch = 0;
  for (size_t i = 0; i < p->run_count; i++) {
    while (branch < p->branch_count && p->branches[branch].node < p->runs[i].first) branch++;
    p->runs[i].branches = branch;
  }
  return path_wait(w, (struct path_place){.branch = 0});
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
  if (w->paths) ARRAY_FREE(w->paths->mem, w->waiting, w->capacity);
}
