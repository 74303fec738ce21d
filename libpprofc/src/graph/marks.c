/* "(inline)" and "(partial-inline)": what the calls of a node are that are shown.
 *
 * A node is marked for the edges that lead to it, and an edge counts when it is not below the
 * cutoff. All calls of the nodes in question are added up, which most profiles have few of
 * (graph/marks_calls.c).
 *
 * A profile of random stacks has many more edges than samples, and hardly one of them reaches the
 * cutoff. As soon as the edges are too many, a pass over the samples adds the values of calls to
 * counters, far fewer than there are edges: where a counter stays below the cutoff, so does every
 * edge in it. Calls inside a location are known before, and each has a sum of its own. That settles
 * nearly all nodes. For the others edges are made, of those calls whose counters are not below the
 * cutoff. */
#include "graph/marks.h"

#include "core/array.h"
#include "core/budget.h"
#include "core/parallel.h"
#include "graph/mark_parts.h"

#define ON_PATH UINT32_MAX

#define MOST_EDGES ((size_t)1 << 17) /* that a thread makes before it gives up */

/* A call of the current path; a location has one or more. */
struct marks_step {
  int64_t pending;
  uint64_t pending_size; /* the same, as counters count */
  uint64_t bit;          /* its counter */
  uint32_t known;        /* the known call, or NONE */
  uint32_t target;       /* of a call with a counter, or NONE */
  uint32_t caller;       /* of what is nearer to the leaf */
  uint32_t offset;
};

enum { SEEN_PLAIN = 1, SEEN_INLINE = 2, SEEN_HEAVY = 4 };

struct marks_worker {
  uint16_t *counters;
  uint8_t *seen; /* by node: SEEN_*, of calls that are not known */
  struct known_edge *known;
  struct marks_step *path;
  size_t depth, capacity;
  bool failed;
};

/* ---- counting ---------------------------------------- */

/* Adds to the sum of a known call; false when the sample has the call already, nearer to the root.
 */
static inline bool enter_known(struct known_edge *edge, uint32_t stamp, bool is_inline) {
  if (edge->seen == stamp) return false;
  edge->seen = stamp;
  edge->has_inline |= is_inline;
  edge->has_plain |= !is_inline;
  return true;
}

/* The known call between two nodes, or NONE; sets its counter. */
static inline uint32_t look_up(const struct marks *m, uint32_t source, uint32_t target,
                               uint64_t *bit) {
  *bit = edge_filter_bit(&m->filter, source, target);
  return edge_filter_has(&m->filter, *bit) ? marks_find_call(m, source, target) : NONE;
}

/* Counters stop at the limit, so that they need few bytes: they are used in no order, and what
 * does not fit the cache costs more than all the rest. */
static inline void add_to_counter(const struct marks *m, struct marks_worker *w, uint64_t bit,
                                  uint32_t target, uint64_t size) {
  uint64_t sum = w->counters[bit] + size;
  if (sum >= m->limit) {
    sum = m->limit;
    w->seen[target] |= SEEN_HEAVY;
  }
  w->counters[bit] = (uint16_t)sum;
}

/* A value as counters count it, rounded up. */
static inline uint64_t counted_size(const struct marks *m, int64_t value) {
  uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  size = ((size - 1) >> m->shift) + 1;
  return size < m->limit ? size : m->limit;
}

static void marks_pop(const struct marks *m, struct marks_worker *w) {
  const struct marks_step *step = &w->path[--w->depth];
  if (step->known != NONE) {
    struct known_edge *edge = &w->known[step->known];
    edge->weight = sum_add(edge->weight, step->pending);
    edge->seen = 0;
  }
  if (step->target != NONE) add_to_counter(m, w, step->bit, step->target, step->pending_size);
  if (!w->depth) return;
  struct marks_step *below = &w->path[w->depth - 1];
  below->pending = sum_add(below->pending, step->pending);
  below->pending_size += step->pending_size;
}

/* The call that leads to a location. */
static void marks_push_place(const struct marks *m, struct marks_worker *w,
                             const struct mark_place *place, uint32_t offset) {
  uint32_t above = w->depth ? w->path[w->depth - 1].caller : NONE;
  struct marks_step *step = &w->path[w->depth++];
  *step = (struct marks_step){.known = NONE, .target = NONE, .caller = above, .offset = offset};
  if (place->caller != NONE) step->caller = place->caller;
  if (place->target == NONE || above == NONE || above == place->target) return;
  uint32_t known = look_up(m, above, place->target, &step->bit);
  if (known == NONE) {
    step->target = place->target;
    w->seen[place->target] |= place->is_inline ? SEEN_INLINE : SEEN_PLAIN;
  } else if (enter_known(&w->known[known], ON_PATH, place->is_inline)) {
    step->known = known;
  }
}

static bool marks_push(const struct marks *m, struct marks_worker *w, struct fresh_frame frame) {
  const struct mark_place *place = marks_place(m, frame.location);
  const uint32_t *list = place->inner == NONE ? NULL : m->lists + place->inner;
  size_t more = list ? (size_t)list[0] + 1 : 1;
  if (!ARRAY_RESERVE(m->mem, w->path, w->capacity, w->depth + more)) return false;
  marks_push_place(m, w, place, frame.offset);
  for (uint32_t k = 1; list && k <= list[0]; k++) {
    bool first = enter_known(&w->known[list[k]], ON_PATH, true);
    w->path[w->depth++] = (struct marks_step){.known = first ? list[k] : NONE,
                                              .target = NONE,
                                              .caller = place->caller,
                                              .offset = frame.offset};
  }
  return true;
}

static bool marks_follow(const struct marks *m, struct marks_worker *w, struct stack_delta *delta,
                         int64_t value, uint64_t size) {
  while (w->depth && w->path[w->depth - 1].offset > delta->shared) marks_pop(m, w);
  delta_read(delta);
  for (size_t k = delta->count; k-- > 0;)
    if (!marks_push(m, w, delta->fresh[k])) return false;
  if (!w->depth) return true;
  struct marks_step *leaf = &w->path[w->depth - 1];
  leaf->pending = sum_add(leaf->pending, value);
  leaf->pending_size += size;
  return true;
}

/* What a sample adds that is walked. */
struct marks_amount {
  int64_t value;
  uint64_t size;
  uint32_t stamp;
};

static inline void add_known(struct known_edge *edge, const struct marks_amount *amount,
                             bool is_inline) {
  if (enter_known(edge, amount->stamp, is_inline))
    edge->weight = sum_add(edge->weight, amount->value);
}

static inline void add_place(const struct marks *m, struct marks_worker *w,
                             const struct mark_place *place, uint32_t above,
                             const struct marks_amount *amount) {
  if (place->target == NONE || above == NONE || above == place->target) return;
  uint64_t bit;
  uint32_t known = look_up(m, above, place->target, &bit);
  if (known != NONE) {
    add_known(&w->known[known], amount, place->is_inline);
    return;
  }
  w->seen[place->target] |= place->is_inline ? SEEN_INLINE : SEEN_PLAIN;
  add_to_counter(m, w, bit, place->target, amount->size);
}

/* Adds a stack that shares little with the one before, from the root. */
static void marks_walk(const struct marks *m, struct marks_worker *w, struct packed_stack stack,
                       struct marks_amount amount) {
  uint32_t id, above = NONE;
  while (stack_take_root_id(&stack, &id)) {
    uint32_t location = stack_location(stack.map, id);
    if (location == LOCATION_HIDDEN) continue;
    const struct mark_place *place = marks_place(m, location);
    if (place->caller == NONE) continue;
    add_place(m, w, place, above, &amount);
    above = place->caller;
    if (place->inner == NONE) continue;
    const uint32_t *list = m->lists + place->inner;
    for (uint32_t k = 1; k <= list[0]; k++) add_known(&w->known[list[k]], &amount, true);
  }
}

/* The stamp of the next sample. */
static uint32_t next_stamp(const struct marks *m, struct marks_worker *w, uint32_t stamp) {
  if (++stamp != ON_PATH) return stamp;
  for (size_t k = 0; k < m->call_count; k++) w->known[k].seen = 0;
  return 1; /* once in four billion samples */
}

static bool marks_count_range(const struct marks *m, struct marks_worker *w,
                              struct stack_delta *delta, size_t from, size_t to) {
  struct value_column column = profile_values(m->graph->profile, m->graph->options.value_index);
  uint32_t stamp = 0;
  for (size_t i = from; i < to; i++) {
    int64_t value = column.values[i * column.step];
    if (budget_poll(m->mem, i)) return false;
    if (value == 0) continue;
    uint64_t size = counted_size(m, value);
    delta_move(delta, i);
    if (delta->shared >= delta->size / 2) {
      if (!w->depth) delta->shared = 0; /* the stack before was walked: the path starts here */
      if (!marks_follow(m, w, delta, value, size)) return false;
      continue;
    }
    while (w->depth) marks_pop(m, w);
    stamp = next_stamp(m, w, stamp);
    marks_walk(m, w, delta->stack, (struct marks_amount){value, size, stamp});
  }
  while (w->depth) marks_pop(m, w);
  return true;
}

static void marks_run(void *context, unsigned index) {
  struct marks *m = context;
  struct marks_worker *w = &m->items[index];
  const struct samples *samples = &m->graph->profile->samples;
  size_t from = parallel_from(samples->count, index, m->workers);
  size_t to = parallel_from(samples->count, index + 1, m->workers);
  w->failed = true;
  w->counters = mem_zero_array(m->mem, m->filter.mask + 1, sizeof *w->counters);
  w->seen = mem_zero_array(m->mem, m->graph->node_count, 1);
  w->known = mem_zero_array(m->mem, m->call_count + 1, sizeof *w->known);
  w->capacity = samples->max_depth + 1;
  w->path = mem_array(m->mem, w->capacity, sizeof *w->path);
  struct stack_delta delta;
  if (!w->counters || !w->seen || !w->known || !w->path) return;
  if (!delta_init(&delta, m->mem, samples, from)) return;
  w->failed = !marks_count_range(m, w, &delta, from, to);
  delta_free(&delta, m->mem);
}

static void marks_free_worker(const struct marks *m, struct marks_worker *w) {
  mem_free(m->mem, w->counters, m->filter.mask + 1, sizeof *w->counters);
  mem_free(m->mem, w->seen, m->graph->node_count, 1);
  mem_free(m->mem, w->known, m->call_count + 1, sizeof *w->known);
  mem_free(m->mem, w->path, w->capacity, sizeof *w->path);
}

/* ---- the counters ------------------------------------ */

#define MOST_COUNTERS ((uint64_t)1 << 20)
#define MOST_LIMIT    ((uint64_t)1 << 14)

/* An edge that reaches the cutoff has at least one of `workers` parts of it from one of them. */
static void set_limit(struct marks *m) {
  uint64_t cutoff = (uint64_t)m->graph->edge_cutoff;
  uint64_t limit = cutoff / m->workers + (cutoff % m->workers != 0);
  while (limit >> m->shift > MOST_LIMIT) m->shift++;
  m->limit = (uint32_t)(limit >> m->shift);
}

/* Twice as many counters as it takes to spread all calls of candidates below the cutoff. */
static bool size_counters(struct marks *m) {
  const struct graph *g = m->graph;
  const struct samples *s = &g->profile->samples;
  double calls = 0;
  for (size_t i = 0; i < g->node_count; i++)
    if (m->candidates[i]) calls += (double)number_abs(g->nodes[i].cum);
  double wanted = g->edge_cutoff ? 2 * calls / (double)g->edge_cutoff : 0;
  double most = (double)s->count * (double)s->max_depth;
  if (wanted > most) wanted = most;
  if (wanted < 8 * (double)m->call_count) wanted = 8 * (double)m->call_count;
  uint64_t count = 64;
  while (count < MOST_COUNTERS && (double)count < wanted) count *= 2;
  m->filter.mask = count - 1;
  m->filter.bits = mem_zero_array(m->mem, count / 8, 1);
  if (!m->filter.bits) return false;
  for (size_t i = 0; i < m->call_count; i++)
    edge_filter_add(&m->filter,
                    edge_filter_bit(&m->filter, m->calls[i].source, m->calls[i].target));
  return true;
}

/* Adds what the workers counted to the first. */
static void add_counts(struct marks *m) {
  struct marks_worker *sum = &m->items[0];
  for (unsigned k = 1; k < m->workers; k++) {
    const struct marks_worker *w = &m->items[k];
    for (uint64_t i = 0; i <= m->filter.mask; i++)
      if (w->counters[i] > sum->counters[i]) sum->counters[i] = w->counters[i];
    for (size_t i = 0; i < m->graph->node_count; i++) sum->seen[i] |= w->seen[i];
    for (size_t i = 0; i < m->call_count; i++) {
      struct known_edge *edge = &sum->known[i];
      edge->weight = sum_add(edge->weight, w->known[i].weight);
      edge->has_inline |= w->known[i].has_inline;
      edge->has_plain |= w->known[i].has_plain;
    }
  }
}

/* ---- decisions --------------------------------------- */

/* What is known of the edges that lead to a node. */
enum { HAS_INLINE = MARK_HAS_INLINE, HAS_PLAIN = MARK_HAS_PLAIN, UNKNOWN = 4 };

/* Whether the edge of a known call counts, and what it is. */
static unsigned judge_known(const struct marks *m, const struct known_edge *edge) {
  if (number_abs(edge->weight) < m->graph->edge_cutoff) return 0;
  if (edge->has_plain) return HAS_PLAIN;
  return edge->has_inline ? HAS_INLINE : 0;
}

/* The same for other edges of a node with edges of known calls. */
static unsigned judge_others(const struct marks *m, uint8_t seen, unsigned known) {
  bool all_count = m->graph->edge_cutoff == 0;
  if (!all_count && !(seen & SEEN_HEAVY)) return 0;
  if (seen & SEEN_INLINE) return UNKNOWN;
  if (!(known & HAS_INLINE) || !(seen & SEEN_PLAIN)) return 0; /* there is no mark, either way */
  return all_count ? HAS_PLAIN : UNKNOWN;
}

/* Sets the marks that are known; returns whether candidates are left. */
static bool decide(struct marks *m, uint8_t *has) {
  struct graph *g = m->graph;
  bool left = false;
  for (size_t i = 0; i < m->call_count; i++)
    has[m->calls[i].target] |= (uint8_t)judge_known(m, &m->items[0].known[i]);
  for (size_t i = 0; i < g->node_count; i++) {
    if (!m->candidates[i]) continue;
    unsigned all = has[i];
    if (all != (HAS_INLINE | HAS_PLAIN)) all |= judge_others(m, m->items[0].seen[i], all);
    m->candidates[i] = (all & UNKNOWN) != 0;
    left = left || (all & UNKNOWN);
    if (all & HAS_INLINE) g->marks[i] = all & HAS_PLAIN ? MARK_PARTIAL : MARK_INLINE;
  }
  return left;
}

/* Marks the targets of inlined calls among edges; those that are also called without inlining are
 * partial. */
static bool mark_targets(struct graph *g) {
  uint8_t *plain = arena_zero_array(&g->arena, g->node_count, 1);
  if (!plain) return false;
  for (size_t i = 0; i < g->edge_count; i++) {
    const struct graph_edge *e = &g->edges[i];
    if (number_abs(e->weight) < g->edge_cutoff) continue;
    if (e->is_inline)
      g->marks[e->target] = MARK_INLINE;
    else
      plain[e->target] = 1;
  }
  for (size_t i = 0; i < g->node_count; i++)
    if (g->marks[i] && plain[i]) g->marks[i] = MARK_PARTIAL;
  return true;
}

/* Marks the candidates with all edges that lead to them. */
static pprofc_status mark_by_edges(struct marks *m, pprofc_error *error) {
  struct edge_choice choice = {m->kept, m->candidates, NULL, NULL, 0};
  pprofc_status status = graph_find_edges(m->graph, &choice, error);
  if (!status && !mark_targets(m->graph)) status = error_nomem(error);
  return status;
}

static void keep_heavy_counters(struct marks *m) {
  for (uint64_t i = 0; i <= m->filter.mask; i++)
    if (m->items[0].counters[i] >= m->limit) edge_filter_add(&m->filter, i);
}

static pprofc_status mark_by_counts(struct marks *m, pprofc_error *error) {
  parallel_run(m->workers, marks_run, m);
  for (unsigned k = 0; k < m->workers; k++)
    if (m->items[k].failed) return error_nomem(error);
  add_counts(m);
  uint8_t *has = arena_zero_array(&m->graph->arena, m->graph->node_count, 1);
  if (!has) return error_nomem(error);
  bool left = decide(m, has);
  if (!left) return PPROFC_OK;
  keep_heavy_counters(m);
  struct mark_parts parts = {m->graph, m->kept, m->candidates, has, &m->filter};
  return mark_parts_find(&parts, error);
}

static pprofc_status marks_find(struct marks *m, pprofc_error *error) {
  struct graph *g = m->graph;
  size_t candidates;
  bool few;
  if (!marks_find_candidates(m, &candidates)) return error_nomem(error);
  if (!candidates) return PPROFC_OK;
  if (g->options.mean) return mark_by_edges(m, error);
  if (!marks_read_places(m)) return error_nomem(error);
  size_t most = g->options.most_edges ? g->options.most_edges : MOST_EDGES;
  pprofc_status status = marks_by_calls(m, g->edge_cutoff >= 0 ? most : 0, &few, error);
  if (status || few) return status;
  m->workers = parallel_workers(g->options.threads, g->profile->samples.count, MARKS_GRAIN);
  set_limit(m);
  return size_counters(m) ? mark_by_counts(m, error) : error_nomem(error);
}

pprofc_status graph_mark_inlined(struct graph *g, const uint8_t *kept, pprofc_error *error) {
  g->marks = arena_zero_array(&g->arena, g->node_count, 1);
  if (!g->marks) return error_nomem(error);
  if (!g->frames.lists) return PPROFC_OK;
  struct marks_worker items[MARKS_WORKERS] = {0};
  struct marks m = {.graph = g, .mem = g->mem, .kept = kept, .items = items};
  map_init(&m.map, g->mem);
  pprofc_status status = marks_find(&m, error);
  for (unsigned k = 0; k < m.workers; k++) marks_free_worker(&m, &items[k]);
  mem_free(g->mem, m.filter.bits, (m.filter.mask + 1) / 8, 1);
  marks_free_places(&m);
  return status;
}
