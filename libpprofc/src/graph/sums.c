/* Flat and cum of every node: the pass over samples that every graph report needs.
 *
 * There are two ways to add a sample. A stack that shares little with the previous one is walked
 * frame by frame; a stamp per node prevents that a recursive function is counted twice. When
 * consecutive stacks share much, the worker keeps the current stack as a path from the root. A
 * sample adds its value at the leaf end only. When a frame is removed from the path, its pending
 * sum is added to its node and to the pending sum of the frame below. So the worker visits a shared
 * frame once for all samples that share it. */
#include "core/array.h"
#include "core/budget.h"
#include "core/parallel.h"
#include "graph/delta.h"
#include "graph/graph.h"

/* The number of samples for which a further thread pays. */
#define GRAIN 8192

#define REPEATED 0x80000000u /* the node is on the path already, nearer to the root */

struct sums_step {
  int64_t pending;
  uint32_t node; /* | REPEATED */
  uint32_t offset;
};

struct sums_worker {
  int64_t *flat, *cum;
  uint32_t *stamp;  /* of the last sample that was added by a walk */
  uint8_t *on_path; /* the path has the node */
  struct sums_step *path;
  size_t depth, capacity;
  bool failed;
};

struct sum_pass {
  const pprofc_allocator *mem;
  const pprofc_profile *profile;
  const struct frames *frames;
  size_t column, nodes;
  unsigned workers;
  struct sums_worker *items;
};

static void sums_pop(struct sums_worker *w) {
  struct sums_step step = w->path[--w->depth];
  if (!(step.node & REPEATED)) {
    w->cum[step.node] = sum_add(w->cum[step.node], step.pending);
    w->on_path[step.node] = 0;
  }
  if (w->depth)
    w->path[w->depth - 1].pending = sum_add(w->path[w->depth - 1].pending, step.pending);
}

static inline void push(struct sums_worker *w, uint32_t node, uint32_t offset) {
  uint32_t repeated = w->on_path[node] ? REPEATED : 0;
  w->on_path[node] = 1;
  w->path[w->depth++] = (struct sums_step){0, node | repeated, offset};
}

/* Makes room for `more` steps. */
static bool sums_reserve(const struct sum_pass *pass, struct sums_worker *w, size_t more) {
  return ARRAY_RESERVE(pass->mem, w->path, w->capacity, w->depth + more);
}

/* Pushes all frames of a location with several; `behind` more locations follow. */
static bool push_lines(struct sum_pass *pass, struct sums_worker *w, struct fresh_frame frame,
                       size_t behind) {
  const uint32_t *from = pass->frames->locations->line_from + frame.location;
  if (!sums_reserve(pass, w, (from[1] - from[0]) + behind)) return false;
  for (uint32_t line = from[1]; line-- > from[0];)
    push(w, pass->frames->of_line[line], frame.offset);
  return true;
}

/* Adds a sample along the path. */
static bool sums_follow(struct sum_pass *pass, struct sums_worker *w, struct stack_delta *delta,
                        int64_t value) {
  const uint32_t *of_location = pass->frames->of_location;
  while (w->depth && w->path[w->depth - 1].offset > delta->shared) sums_pop(w);
  delta_read(delta);
  if (!sums_reserve(pass, w, delta->count)) return false;
  for (size_t k = delta->count; k-- > 0;) {
    uint32_t node = of_location[delta->fresh[k].location];
    if (node != FRAME_LIST)
      push(w, node, delta->fresh[k].offset);
    else if (!push_lines(pass, w, delta->fresh[k], k))
      return false;
  }
  if (!w->depth) return true;
  struct sums_step *leaf = &w->path[w->depth - 1];
  uint32_t node = leaf->node & ~REPEATED;
  leaf->pending = sum_add(leaf->pending, value);
  w->flat[node] = sum_add(w->flat[node], value);
  return true;
}

static inline void add_once(struct sums_worker *w, uint32_t node, uint32_t stamp, int64_t value) {
  if (w->stamp[node] == stamp) return;
  w->stamp[node] = stamp;
  w->cum[node] = sum_add(w->cum[node], value);
}

/* Adds a sample frame by frame. The order does not matter, except that the first is the leaf. Not
 * inlined: this loop is where -top spends its time, and it needs the registers. */
__attribute__((noinline)) static void sums_walk(const struct frames *frames, struct sums_worker *w,
                                                struct packed_stack stack, uint32_t stamp,
                                                int64_t value) {
  const uint32_t *of_location = frames->of_location;
  uint32_t location, leaf = NONE;
  while (stack_take_leaf(&stack, &location)) {
    uint32_t node = of_location[location];
    if (node != FRAME_LIST) {
      add_once(w, node, stamp, value);
    } else {
      const uint32_t *from = frames->locations->line_from + location;
      for (uint32_t line = from[0]; line < from[1]; line++)
        add_once(w, frames->of_line[line], stamp, value);
      node = frames->of_line[from[0]];
    }
    if (leaf == NONE) leaf = node;
  }
  if (leaf != NONE) w->flat[leaf] = sum_add(w->flat[leaf], value);
}

static bool sum_range(struct sum_pass *pass, struct sums_worker *w, struct stack_delta *delta,
                      size_t from, size_t to) {
  size_t types = pass->profile->type_count;
  const int64_t *values = pass->profile->samples.values + pass->column;
  uint32_t stamp = 0;
  for (size_t i = from; i < to; i++) {
    int64_t value = values[i * types];
    if (budget_poll(pass->mem, i)) return false;
    if (value == 0) continue;
    delta_move(delta, i);
    if (delta->shared >= delta->size / 2) {
      if (!w->depth) delta->shared = 0; /* the stack before was walked: the path starts here */
      if (!sums_follow(pass, w, delta, value)) return false;
      continue;
    }
    while (w->depth) sums_pop(w);
    if (++stamp == 0) { /* once in four billion samples */
      memset(w->stamp, 0, pass->nodes * sizeof *w->stamp);
      stamp = 1;
    }
    sums_walk(pass->frames, w, delta->stack, stamp, value);
  }
  while (w->depth) sums_pop(w);
  return true;
}

static void sums_run(void *context, unsigned index) {
  struct sum_pass *pass = context;
  struct sums_worker *w = &pass->items[index];
  const struct samples *samples = &pass->profile->samples;
  size_t from = parallel_from(samples->count, index, pass->workers);
  size_t to = parallel_from(samples->count, index + 1, pass->workers);
  w->failed = true;
  w->flat = mem_zero_array(pass->mem, pass->nodes, sizeof *w->flat);
  w->cum = mem_zero_array(pass->mem, pass->nodes, sizeof *w->cum);
  w->stamp = mem_zero_array(pass->mem, pass->nodes, sizeof *w->stamp);
  w->on_path = mem_zero_array(pass->mem, pass->nodes, 1);
  w->capacity = samples->max_depth + 1;
  w->path = mem_array(pass->mem, w->capacity, sizeof *w->path);
  if (!w->flat || !w->cum || !w->stamp || !w->on_path || !w->path) return;
  struct stack_delta delta;
  if (!delta_init(&delta, pass->mem, samples, from)) return;
  w->failed = !sum_range(pass, w, &delta, from, to);
  delta_free(&delta, pass->mem);
}

static void sums_free_worker(const struct sum_pass *pass, struct sums_worker *w) {
  mem_free(pass->mem, w->flat, pass->nodes, sizeof *w->flat);
  mem_free(pass->mem, w->cum, pass->nodes, sizeof *w->cum);
  mem_free(pass->mem, w->stamp, pass->nodes, sizeof *w->stamp);
  mem_free(pass->mem, w->on_path, pass->nodes, 1);
  mem_free(pass->mem, w->path, w->capacity, sizeof *w->path);
}

/* Sums one column of values into the flat and cum of worker 0. */
static bool sum_column(struct sum_pass *pass) {
  parallel_run(pass->workers, sums_run, pass);
  bool failed = false;
  struct sums_worker *first = &pass->items[0];
  for (unsigned k = 0; k < pass->workers; k++) failed = failed || pass->items[k].failed;
  for (unsigned k = 1; k < pass->workers && !failed; k++)
    for (size_t i = 0; i < pass->nodes; i++) {
      first->flat[i] = sum_add(first->flat[i], pass->items[k].flat[i]);
      first->cum[i] = sum_add(first->cum[i], pass->items[k].cum[i]);
    }
  return !failed;
}

/* Nodes are made when all workers but the first have given their memory back. */
static bool make_nodes(struct graph *g) {
  if (g->nodes) return true;
  g->nodes = arena_zero_array(&g->arena, g->node_count, sizeof *g->nodes);
  if (!g->nodes) return false;
  for (size_t i = 0; i < g->node_count; i++) {
    g->nodes[i].info = (uint32_t)i;
    g->nodes[i].parent = NONE;
  }
  return true;
}

static bool sum_into(struct graph *g, size_t column, bool divisor) {
  struct sums_worker items[16] = {0};
  struct sum_pass pass = {.mem = g->mem,
                          .profile = g->profile,
                          .frames = &g->frames,
                          .column = column,
                          .nodes = g->node_count,
                          .items = items};
  size_t grain = g->node_count / 8 > GRAIN ? g->node_count / 8 : GRAIN;
  pass.workers = parallel_workers(g->options.threads, g->profile->samples.count, grain);
  bool done = sum_column(&pass);
  for (unsigned k = 1; k < pass.workers; k++) sums_free_worker(&pass, &items[k]);
  done = done && make_nodes(g);
  for (size_t i = 0; done && i < g->node_count; i++) {
    struct graph_node *n = &g->nodes[i];
    *(divisor ? &n->flat_div : &n->flat) = items[0].flat[i];
    *(divisor ? &n->cum_div : &n->cum) = items[0].cum[i];
  }
  sums_free_worker(&pass, &items[0]);
  return done;
}

pprofc_status graph_sum(struct graph *g, pprofc_error *error) {
  g->node_count = g->frames.count;
  bool done = sum_into(g, g->options.value_index, false);
  if (done && g->options.mean) done = sum_into(g, 0, true);
  return done ? PPROFC_OK : error_nomem(error);
}
