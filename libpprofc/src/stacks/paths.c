/* Builds the prefix tree of stacks. */
#include "stacks/paths.h"

#include "core/array.h"
#include "core/budget.h"

#include <stdlib.h>

/* Makes the root of a tree. Reserves space for a number of nodes and runs. */
static bool path_begin(struct stack_paths *p, size_t nodes, size_t runs) {
  if (!ARRAY_RESERVE(p->mem, p->frames, p->capacity, nodes) ||
      !ARRAY_RESERVE(p->mem, p->runs, p->run_capacity, runs))
    return false;
  p->frames[p->count++] = UINT32_MAX;
  p->runs[p->run_count++] = (struct path_run){0, 0, MAP_NONE, MAP_NONE, MAP_NONE};
  return true;
}

bool stack_paths_init(struct stack_paths *p, size_t samples, const pprofc_allocator *mem) {
  *p = (struct stack_paths){.mem = mem, .samples = samples};
  p->next = mem_array(mem, samples, sizeof *p->next);
  return p->next && path_begin(p, 1, 1);
}

void stack_paths_finish(struct stack_paths *p) {
  ARRAY_FREE(p->mem, p->runs, p->run_capacity);
  ARRAY_FREE(p->mem, p->next, p->samples);
}

void stack_paths_free(struct stack_paths *p) {
  if (!p->mem) return;
  stack_paths_finish(p);
  ARRAY_FREE(p->mem, p->frames, p->capacity);
}

/* ---- adding ------------------------------------------ */

/* Adds a run (a sequence of nodes in which each node is a child of the node before it). It begins
 * below the node `at` and has no nodes yet. Sets the run of `at` to this run. */
static bool path_run_add(struct stack_paths *p, struct path_node *at) {
  uint32_t run = (uint32_t)p->run_count;
  if (run == MAP_NONE || !ARRAY_RESERVE(p->mem, p->runs, p->run_capacity, p->run_count + 1))
    return false;
  struct path_run *above = &p->runs[at->run];
  p->runs[p->run_count++] =
      (struct path_run){(uint32_t)p->count, at->node, above->last, MAP_NONE, MAP_NONE};
  above->last = run;
  at->run = run;
  return true;
}

/* Adds a child to the node `at`, and sets `at` to the child. If `at` is the last node of the last
 * run and no stack ends there, the child extends this run. Otherwise it begins a run. */
static bool path_node_add(struct stack_paths *p, struct path_node *at, uint32_t frame) {
  if (p->count >= MAP_NONE || !ARRAY_RESERVE(p->mem, p->frames, p->capacity, p->count + 1))
    return false;
  bool extends = at->run && at->run + (size_t)1 == p->run_count && at->node + 1 == p->count &&
                 p->runs[at->run].samples == MAP_NONE;
  if (!extends && !path_run_add(p, at)) return false;
  at->node = (uint32_t)p->count;
  p->frames[p->count++] = frame;
  return true;
}

bool stack_paths_enter(struct stack_paths *p, struct path_node *at, uint32_t frame) {
  uint32_t next = at->node + 1, last = p->runs[at->run].last;
  bool branches = last != MAP_NONE;
  /* A run must not begin below the next node if a run already begins above the next node. */
  if (next < path_run_end(p, at->run) && p->frames[next] == frame &&
      (!branches || p->runs[last].parent >= next)) {
    at->node = next;
    return true;
  }
  uint32_t first = branches && p->runs[last].parent == at->node ? p->runs[last].first : 0;
  if (!first || first == path_run_end(p, last) || p->frames[first] != frame)
    return path_node_add(p, at, frame);
  *at = (struct path_node){first, last};
  return true;
}

bool stack_paths_end(struct stack_paths *p, struct path_node at, uint32_t sample) {
  if (at.node + 1 != path_run_end(p, at.run) && !path_run_add(p, &at)) return false;
  p->next[sample] = p->runs[at.run].samples;
  p->runs[at.run].samples = sample;
  return true;
}

/* ---- merging ----------------------------------------- */

/* A node that the merge must still visit. Nodes in the list `waiting` that have the same frame and
 * depth also have the same path. */
struct path_waiting {
  uint32_t frame, depth;
  struct path_node at;
  uint32_t branch; /* most recent run whose parent is this node or a later node of the same run, or
                      MAP_NONE */
};

struct path_merge {
  const struct stack_paths *from;
  struct stack_paths to;
  struct path_waiting *waiting;
  size_t count, capacity;
  /* For each depth, the node of `to` on the path to the node that was added last. */
  struct path_node *path;
  size_t path_capacity;
};

static bool path_wait(struct path_merge *m, struct path_waiting place) {
  return ARRAY_PUSH(m->from->mem, m->waiting, m->count, m->capacity, place);
}

/* Moves a list of samples to the run of `to` whose last node is the current node at `depth`.
 * `first` is the first sample of the list, or MAP_NONE for an empty list. */
static void path_move_samples(struct path_merge *m, uint32_t depth, uint32_t first) {
  uint32_t *samples = &m->to.runs[m->path[depth].run].samples, last = first;
  if (first == MAP_NONE) return;
  while (m->from->next[last] != MAP_NONE) last = m->from->next[last];
  m->from->next[last] = *samples;
  *samples = first;
}

/* Appends the children of a node to the list `waiting`. Moves the samples whose stacks end at the
 * node to the current node of `to`. */
static bool path_expand(struct path_merge *m, struct path_waiting place) {
  const struct stack_paths *p = m->from;
  uint32_t depth = place.depth, next = place.at.node + 1;
  for (; place.branch != MAP_NONE && p->runs[place.branch].parent == place.at.node;
       place.branch = p->runs[place.branch].before) {
    const struct path_run *run = &p->runs[place.branch];
    if (run->first == path_run_end(p, place.branch))
      path_move_samples(m, depth, run->samples);
    else if (!path_wait(
                 m, (struct path_waiting){
                        p->frames[run->first], depth + 1, {run->first, place.branch}, run->last}))
      return false;
  }
  if (next < path_run_end(p, place.at.run))
    return path_wait(
        m, (struct path_waiting){p->frames[next], depth + 1, {next, place.at.run}, place.branch});
  path_move_samples(m, depth, p->runs[place.at.run].samples);
  return true;
}

static int path_compare(const void *a, const void *b) {
  const struct path_waiting *x = a, *y = b;
  return (x->frame < y->frame) - (x->frame > y->frame);
}

/* Sorts waiting nodes by their frames, largest first. Uses an insertion sort for few nodes, because
 * most nodes have few children. */
static void path_sort(struct path_waiting *items, size_t count) {
  if (count > 16) {
    qsort(items, count, sizeof *items, path_compare);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    struct path_waiting item = items[i];
    size_t at = i;
    for (; at && items[at - 1].frame < item.frame; at--) items[at] = items[at - 1];
    items[at] = item;
  }
}

/* Adds a node to `to` for the last node in the list `waiting` and for all other waiting nodes with
 * the same path. Replaces these nodes in the list by their children. */
static bool path_merge_next(struct path_merge *m) {
  const struct path_waiting last = m->waiting[m->count - 1];
  size_t end = m->count, from = end - 1;
  while (from && m->waiting[from - 1].frame == last.frame &&
         m->waiting[from - 1].depth == last.depth)
    from--;
  if (!ARRAY_RESERVE(m->from->mem, m->path, m->path_capacity, last.depth + (size_t)1)) return false;
  m->path[last.depth] = m->path[last.depth - 1];
  if (!path_node_add(&m->to, &m->path[last.depth], last.frame)) return false;
  for (size_t i = from; i < end; i++)
    if (!path_expand(m, m->waiting[i])) return false;
  size_t children = m->count - end;
  if (children > 1) path_sort(m->waiting + end, children);
  memmove(m->waiting + from, m->waiting + end, children * sizeof *m->waiting);
  m->count = from + children;
  return true;
}

static bool path_merge_all(struct path_merge *m) {
  const struct stack_paths *p = m->from;
  if (!path_begin(&m->to, p->count, p->run_count) ||
      !ARRAY_RESERVE(p->mem, m->path, m->path_capacity, 1))
    return false;
  m->path[0] = (struct path_node){0, 0};
  if (!path_expand(m, (struct path_waiting){.branch = p->runs[0].last})) return false;
  path_sort(m->waiting, m->count);
  for (size_t i = 0; m->count; i++)
    if (!path_merge_next(m) || budget_poll(p->mem, i)) return false;
  return true;
}

bool stack_paths_merge(struct stack_paths *p) {
  struct path_merge m = {.from = p, .to = {.mem = p->mem}};
  bool done = path_merge_all(&m);
  ARRAY_FREE(p->mem, m.waiting, m.capacity);
  ARRAY_FREE(p->mem, m.path, m.path_capacity);
  if (!done) {
    stack_paths_free(&m.to);
    return false;
  }
  m.to.next = p->next;
  m.to.samples = p->samples;
  p->next = NULL;
  p->samples = 0;
  stack_paths_free(p);
  *p = m.to;
  return true;
}
