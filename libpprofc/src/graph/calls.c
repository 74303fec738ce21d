/* Lists the calls of each node, for a report that shows every call. Random stacks have nearly as
 * many calls as frames, so a table lookup for each call would miss the cache. Instead the
 * samples are read twice: the first pass counts the calls of each node, the second one stores
 * them node by node. Then equal calls of a node are added up. */
#include "core/array.h"
#include "core/budget.h"
#include "core/parallel.h"
#include "core/threshold.h"
#include "graph/delta.h"
#include "graph/graph.h"

#include <stdlib.h>

#define CALLS_GRAIN THRESHOLD(8192)

#define CALLS_FEW THRESHOLD((uint64_t)1 << 20) /* up to this many calls are always listed */
#define CALLS_SEEN                                                                                 \
  ((uint64_t)1 << 18) /* number of calls to sample; the calls are listed only if three in four of  \
                         them are new */
#define SEEN_BITS ((uint64_t)1 << 22)

#define CALLS_MAX UINT32_MAX

/* A frame of the path. `counts` is true if its call does not also occur nearer to the root. */
struct calls_step {
  int64_t pending;
  uint32_t node, offset;
  bool counts;
  uint32_t same; /* index + 1 of the next step towards the root with the same node, 0: no step */
};

struct calls_worker {
  uint32_t *place;   /* [nodes] number of calls from the node, then the index of its next call */
  uint32_t *on_path; /* [nodes] index + 1 of the last step of the node on the path, 0: no step */
  struct calls_step *path;
  size_t depth, capacity;
  uint64_t count;       /* calls counted */
  uint64_t steps;       /* steps of searches for a call on the path */
  uint64_t seen, fresh; /* sampled calls, and how many of them were new */
  uint8_t *seen_bits;
  bool failed, exceeded;
};

struct calls_pass {
  struct graph *graph;
  struct graph_call *calls; /* NULL during the first pass */
  uint32_t *rank;           /* [nodes] rank of each name, while calls are sorted */
  unsigned workers;
  struct calls_worker *items;
};

/* ---- the walk ---------------------------------------- */

/* Counts a sampled call, and whether it is new. The filter may take a new call for a known one. */
static void calls_note(struct calls_worker *w, uint32_t source, uint32_t target) {
  uint64_t bit = hash_mix(source, target) & (SEEN_BITS - 1);
  uint8_t mask = (uint8_t)(1u << (bit & 7));
  w->seen++;
  w->fresh += !(w->seen_bits[bit >> 3] & mask);
  w->seen_bits[bit >> 3] |= mask;
}

static void calls_pop(struct calls_pass *pass, struct calls_worker *w) {
  struct calls_step step = w->path[--w->depth];
  w->on_path[step.node] = step.same;
  if (!w->depth) return;
  struct calls_step *below = &w->path[w->depth - 1];
  below->pending = sum_add(below->pending, step.pending);
  if (!step.counts) return;
  if (pass->calls) {
    pass->calls[w->place[below->node]++] = (struct graph_call){step.pending, step.node};
    return;
  }
  w->place[below->node]++;
  if (w->seen < CALLS_SEEN) calls_note(w, below->node, step.node);
}

/* True if the path already has the call. */
static bool calls_repeats(struct calls_worker *w, uint32_t source, uint32_t target) {
  for (uint32_t k = w->on_path[target]; k; k = w->path[k - 1].same) {
    w->steps++;
    if (k > 1 && w->path[k - 2].node == source) return true;
  }
  return false;
}

static void calls_push(struct calls_worker *w, uint32_t node, uint32_t offset) {
  bool counts = false;
  if (w->depth) {
    uint32_t source = w->path[w->depth - 1].node;
    counts = source != node && !calls_repeats(w, source, node);
    w->count += counts;
  }
  w->path[w->depth++] = (struct calls_step){0, node, offset, counts, w->on_path[node]};
  w->on_path[node] = (uint32_t)w->depth;
}

static bool calls_push_location(struct calls_pass *pass, struct calls_worker *w,
                                struct fresh_frame frame, size_t following) {
  const struct frames *f = &pass->graph->frames;
  uint32_t node = f->of_location[frame.location];
  if (!(node & FRAME_LIST)) {
    calls_push(w, node, frame.offset);
    return true;
  }
  const uint32_t *list = frame_list(f, node);
  if (!ARRAY_RESERVE(pass->graph->mem, w->path, w->capacity, w->depth + list[0] + following))
    return false;
  for (uint32_t k = list[0]; k; k--) calls_push(w, list[k], frame.offset);
  return true;
}

static bool calls_follow(struct calls_pass *pass, struct calls_worker *w, struct stack_delta *delta,
                         int64_t value) {
  while (w->depth && w->path[w->depth - 1].offset > delta->shared) calls_pop(pass, w);
  if (!ARRAY_RESERVE(pass->graph->mem, w->path, w->capacity, w->depth + delta->count)) return false;
  for (size_t k = delta->count; k-- > 0;)
    if (!calls_push_location(pass, w, delta->fresh[k], k)) return false;
  if (!w->depth) return true;
  struct calls_step *leaf = &w->path[w->depth - 1];
  leaf->pending = sum_add(leaf->pending, value);
  return true;
}

/* True if the sampled calls show that most calls recur. */
static bool calls_recur(const struct calls_worker *w) {
  return w->count > CALLS_FEW && w->seen >= CALLS_SEEN && w->fresh <= w->seen - w->seen / 4;
}

/* True if listing calls costs more than it saves: most calls recur, searches are long because
 * functions call themselves from many places, or there are too many calls. */
static bool calls_exceed_limit(const struct calls_worker *w) {
  return calls_recur(w) || w->steps > 4 * w->count + (1 << 20) || w->count >= CALLS_MAX / 16;
}

static bool calls_walk(struct calls_pass *pass, struct calls_worker *w, struct stack_delta *delta,
                       size_t from, size_t to) {
  const struct graph *g = pass->graph;
  struct value_column column = profile_values(g->profile, g->options.value_index);
  for (size_t i = from; i < to && !w->exceeded; i++) {
    int64_t value = column.values[i * column.step];
    if (budget_poll(g->mem, i)) return false;
    if (!value) continue;
    delta_next(delta, i);
    if (!calls_follow(pass, w, delta, value)) return false;
    w->exceeded = !pass->calls && calls_exceed_limit(w); /* only the first pass may give up */
  }
  while (w->depth) calls_pop(pass, w);
  return true;
}

static void calls_run(void *context, unsigned index) {
  struct calls_pass *pass = context;
  struct calls_worker *w = &pass->items[index];
  const struct samples *samples = &pass->graph->profile->samples;
  struct stack_delta delta;
  w->count = w->steps = 0;
  w->failed = true;
  size_t from = parallel_from(samples->count, index, pass->workers);
  if (!delta_init(&delta, pass->graph->mem, samples, from)) return;
  w->failed =
      !calls_walk(pass, w, &delta, from, parallel_from(samples->count, index + 1, pass->workers));
  delta_free(&delta, pass->graph->mem);
}

static bool calls_prepare(struct calls_pass *pass, struct calls_worker *w) {
  const struct graph *g = pass->graph;
  w->capacity = g->profile->samples.max_depth + 1;
  w->path = mem_array(g->mem, w->capacity, sizeof *w->path);
  w->place = mem_zero_array(g->mem, g->node_count, sizeof *w->place);
  w->on_path = mem_zero_array(g->mem, g->node_count, sizeof *w->on_path);
  w->seen_bits = mem_zero_array(g->mem, SEEN_BITS / 8, 1);
  return w->path && w->place && w->on_path && w->seen_bits;
}

static void calls_release(const struct graph *g, struct calls_worker *w) {
  mem_free(g->mem, w->path, w->capacity, sizeof *w->path);
  mem_free(g->mem, w->place, g->node_count, sizeof *w->place);
  mem_free(g->mem, w->on_path, g->node_count, sizeof *w->on_path);
  mem_free(g->mem, w->seen_bits, SEEN_BITS / 8, 1);
}

/* ---- places ------------------------------------------ */

static bool calls_any_failed(const struct calls_pass *pass) {
  bool failed = false;
  for (unsigned k = 0; k < pass->workers; k++) failed = failed || pass->items[k].failed;
  return failed;
}

/* True if it pays to list every call. */
static bool calls_pay(const struct calls_pass *pass) {
  uint64_t count = 0, seen = 0, fresh = 0;
  for (unsigned k = 0; k < pass->workers; k++) {
    const struct calls_worker *w = &pass->items[k];
    if (w->exceeded) return false;
    count += w->count;
    seen += w->seen;
    fresh += w->fresh;
  }
  return count <= CALLS_FEW || (count < CALLS_MAX && fresh > seen - seen / 4);
}

/* Turns counts into indices: the calls of a node are adjacent, in the order of workers. */
static bool calls_place(struct calls_pass *pass) {
  struct graph *g = pass->graph;
  uint32_t at = 0;
  g->call_lists = arena_array(&g->arena, g->node_count, sizeof *g->call_lists);
  if (!g->call_lists) return false;
  for (size_t i = 0; i < g->node_count; i++) {
    g->call_lists[i].from = at;
    for (unsigned k = 0; k < pass->workers; k++) {
      uint32_t count = pass->items[k].place[i];
      pass->items[k].place[i] = at;
      at += count;
    }
    g->call_lists[i].count = at - g->call_lists[i].from;
  }
  g->calls_room = at;
  g->calls = pass->calls = mem_array(g->mem, at, sizeof *g->calls);
  return g->calls != NULL;
}

/* ---- sums and order ---------------------------------- */

/* Adds up equal calls of one node; returns how many are left. `last` has, for each target, the
 * index of the last call to it from any node. */
static uint32_t calls_join(struct graph_call *calls, uint32_t from, uint32_t count,
                           uint32_t *last) {
  uint32_t filled = from;
  for (uint32_t i = from; i < from + count; i++) {
    struct graph_call call = calls[i];
    uint32_t known = last[call.target];
    if (known >= from && known < filled && calls[known].target == call.target) {
      calls[known].weight = sum_add(calls[known].weight, call.weight);
      continue;
    }
    last[call.target] = filled;
    calls[filled++] = call;
  }
  return filled - from;
}

/* The sort key of a call among the calls of a node. */
struct calls_ranked {
  int64_t weight; /* magnitude of the weight */
  uint32_t rank;
  struct graph_call call;
};

static int calls_compare(const void *left, const void *right) {
  const struct calls_ranked *a = left, *b = right;
  if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  return (a->call.target > b->call.target) - (a->call.target < b->call.target);
}

static void calls_insertion_sort(struct calls_ranked *calls, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    struct calls_ranked call = calls[i];
    uint32_t k = i;
    for (; k && calls_compare(&call, &calls[k - 1]) < 0; k--) calls[k] = calls[k - 1];
    calls[k] = call;
  }
}

#define CALLS_SHORT 32

/* Sorts the calls of a node; `rank` has the rank of each node's name. */
static bool calls_sort(const struct graph *g, const uint32_t *rank, struct graph_call *calls,
                       uint32_t count) {
  struct calls_ranked few[CALLS_SHORT], *ranked = few;
  if (count > CALLS_SHORT) ranked = mem_array(g->mem, count, sizeof *ranked);
  if (!ranked) return false;
  for (uint32_t i = 0; i < count; i++)
    ranked[i] = (struct calls_ranked){number_abs(calls[i].weight), rank[calls[i].target], calls[i]};
  if (count > CALLS_SHORT)
    qsort(ranked, count, sizeof *ranked, calls_compare);
  else
    calls_insertion_sort(ranked, count);
  for (uint32_t i = 0; i < count; i++) calls[i] = ranked[i].call;
  if (count > CALLS_SHORT) mem_free(g->mem, ranked, count, sizeof *ranked);
  return true;
}

/* Sets the rank of each node's name, or 0: without shown nodes, names are not ranked. */
static void calls_rank(const struct graph *g, uint32_t *rank) {
  memset(rank, 0, g->node_count * sizeof *rank);
  for (size_t i = 0; g->name_rank && i < g->node_count; i++)
    rank[i] = g->name_rank[g->nodes[i].info];
}

/* Joins and sorts the calls for the nodes of one worker, whose on_path is all 0 again. */
static void calls_finish(void *context, unsigned index) {
  struct calls_pass *pass = context;
  struct calls_worker *w = &pass->items[index];
  struct graph *g = pass->graph;
  size_t end = parallel_from(g->node_count, index + 1, pass->workers);
  for (size_t i = parallel_from(g->node_count, index, pass->workers); i < end; i++) {
    struct graph_call_list *list = &g->call_lists[i];
    list->count = calls_join(g->calls, list->from, list->count, w->on_path);
    if (!calls_sort(g, pass->rank, g->calls + list->from, list->count)) w->failed = true;
  }
}

static bool calls_make(struct calls_pass *pass, bool *possible) {
  for (unsigned k = 0; k < pass->workers; k++)
    if (!calls_prepare(pass, &pass->items[k])) return false;
  parallel_run(pass->workers, calls_run, pass);
  if (calls_any_failed(pass)) return false;
  *possible = calls_pay(pass);
  if (!*possible) return true;
  if (!calls_place(pass)) return false;
  parallel_run(pass->workers, calls_run, pass);
  if (calls_any_failed(pass)) return false;
  pass->rank = mem_array(pass->graph->mem, pass->graph->node_count, sizeof *pass->rank);
  if (!pass->rank) return false;
  calls_rank(pass->graph, pass->rank);
  parallel_run(pass->workers, calls_finish, pass);
  mem_free(pass->graph->mem, pass->rank, pass->graph->node_count, sizeof *pass->rank);
  return !calls_any_failed(pass);
}

pprofc_status graph_find_calls(struct graph *g, bool *possible, pprofc_error *error) {
  struct calls_worker items[16] = {0};
  struct calls_pass pass = {.graph = g, .items = items};
  pass.workers = parallel_workers(g->options.threads, g->profile->samples.count, CALLS_GRAIN);
  *possible = false;
  bool done = calls_make(&pass, possible);
  for (unsigned k = 0; k < pass.workers; k++) calls_release(g, &items[k]);
  return done ? PPROFC_OK : error_nomem(error);
}
