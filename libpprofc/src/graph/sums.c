/* Computes flat and cum of every node from the samples, for every graph report.
 *
 * A worker keeps the current stack as a path from the root. It adds the value of a sample only to
 * the pending sum of the leaf. When it removes a frame from the path, it adds the frame's pending
 * sum to the frame's nodes and to the caller's pending sum. So it visits a frame once for all
 * samples that share the frame. A location with inlined functions is one step of the path, although
 * it has several nodes. */
#include "core/parallel.h"
#include "graph/graph.h"

/* Minimum number of samples per thread. */
#define GRAIN THRESHOLD(8192)

struct sums_step {
  int64_t pending;
  uint32_t entry; /* element of frames.of_location for the step's location */
  uint32_t offset;
};

/* Sum and state of a node. Both are in one struct, because each access to another node is a
 * cache miss. */
struct sums_node {
  int64_t cum;
  uint32_t on_path; /* number of times that the path contains the node */
};

struct sums_worker {
  int64_t *flat;
  struct sums_node *nodes;
  struct sums_step *path; /* path from the root to the leaf, with space for max_depth + 1 steps */
  size_t depth;
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

/* Removes an occurrence of a node from the path. Adds `pending` to the node's cum if the path
 * has no other occurrence of the node. */
static inline void sums_leave(struct sums_worker *w, uint32_t index, int64_t pending) {
  struct sums_node *node = &w->nodes[index];
  if (--node->on_path == 0) node->cum = sum_add(node->cum, pending);
}

static inline void sums_pop(const struct frames *frames, struct sums_worker *w) {
  struct sums_step step = w->path[--w->depth];
  if (!(step.entry & FRAME_LIST)) {
    sums_leave(w, step.entry, step.pending);
  } else {
    const uint32_t *list = frame_list(frames, step.entry);
    for (uint32_t k = 1; k <= list[0]; k++) sums_leave(w, list[k], step.pending);
  }
  if (w->depth)
    w->path[w->depth - 1].pending = sum_add(w->path[w->depth - 1].pending, step.pending);
}

static inline void sums_push(const struct frames *frames, struct sums_worker *w,
                             struct fresh_frame fresh) {
  uint32_t entry = frames->of_location[fresh.location];
  if (!(entry & FRAME_LIST)) {
    w->nodes[entry].on_path++;
  } else {
    const uint32_t *list = frame_list(frames, entry);
    for (uint32_t k = 1; k <= list[0]; k++) w->nodes[list[k]].on_path++;
  }
  w->path[w->depth++] = (struct sums_step){0, entry, fresh.offset};
}

/* Changes w->path to the next sample's stack. Adds the sample's value to the leaf of the path. */
static void sums_follow(const struct frames *frames, struct sums_worker *w,
                        struct stack_delta *delta, int64_t value) {
  while (w->depth && w->path[w->depth - 1].offset > delta->shared) sums_pop(frames, w);
  delta_read(delta);
  for (size_t k = delta->count; k-- > 0;) sums_push(frames, w, delta->fresh[k]);
  if (!w->depth) return;
  struct sums_step *leaf = &w->path[w->depth - 1];
  uint32_t node = leaf->entry & FRAME_LIST ? frame_list(frames, leaf->entry)[1] : leaf->entry;
  leaf->pending = sum_add(leaf->pending, value);
  w->flat[node] = sum_add(w->flat[node], value);
}

static bool sum_range(struct sum_pass *pass, struct sums_worker *w, struct stack_delta *delta,
                      size_t from, size_t to) {
  struct value_column column = profile_values(pass->profile, pass->column);
  for (size_t i = from; i < to; i++) {
    int64_t value = column.values[i * column.step];
    if (budget_poll(pass->mem, i)) return false;
    if (value == 0) continue;
    delta_move(delta, i);
    sums_follow(pass->frames, w, delta, value);
  }
  while (w->depth) sums_pop(pass->frames, w);
  return true;
}

static bool sums_allocate(const struct sum_pass *pass, struct sums_worker *w) {
  size_t deepest = pass->profile->samples.max_depth + 1;
  w->flat = mem_zero_array(pass->mem, pass->nodes, sizeof *w->flat);
  w->nodes = mem_zero_array(pass->mem, pass->nodes, sizeof *w->nodes);
  w->path = mem_array(pass->mem, deepest, sizeof *w->path);
  return w->flat && w->nodes && w->path;
}

static void sums_run(void *context, unsigned index) {
  struct sum_pass *pass = context;
  struct sums_worker *w = &pass->items[index];
  const struct samples *samples = &pass->profile->samples;
  size_t from = parallel_from(samples->count, index, pass->workers);
  size_t to = parallel_from(samples->count, index + 1, pass->workers);
  w->failed = true;
  struct stack_delta delta;
  if (!sums_allocate(pass, w) || !delta_init(&delta, pass->mem, samples, from)) return;
  w->failed = !sum_range(pass, w, &delta, from, to);
  delta_free(&delta, pass->mem);
}

static void sums_free_worker(const struct sum_pass *pass, struct sums_worker *w) {
  mem_free(pass->mem, w->flat, pass->nodes, sizeof *w->flat);
  mem_free(pass->mem, w->nodes, pass->nodes, sizeof *w->nodes);
  mem_free(pass->mem, w->path, pass->profile->samples.max_depth + 1, sizeof *w->path);
}

/* Adds up a column of values. Stores flat and cum of each node in the first thread's arrays. */
static bool sum_column(struct sum_pass *pass) {
  parallel_run(pass->workers, sums_run, pass);
  bool failed = false;
  struct sums_worker *first = &pass->items[0];
  for (unsigned k = 0; k < pass->workers; k++) failed = failed || pass->items[k].failed;
  for (unsigned k = 1; k < pass->workers && !failed; k++)
    for (size_t i = 0; i < pass->nodes; i++) {
      first->flat[i] = sum_add(first->flat[i], pass->items[k].flat[i]);
      first->nodes[i].cum = sum_add(first->nodes[i].cum, pass->items[k].nodes[i].cum);
    }
  return !failed;
}

/* Makes a node for every node_info, with sums of 0. */
static bool sums_make_nodes(struct graph *g) {
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
  done = done && sums_make_nodes(g);
  for (size_t i = 0; done && i < g->node_count; i++) {
    struct graph_node *n = &g->nodes[i];
    *(divisor ? &n->flat_div : &n->flat) = items[0].flat[i];
    *(divisor ? &n->cum_div : &n->cum) = items[0].nodes[i].cum;
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
