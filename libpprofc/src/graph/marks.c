/* Marks nodes that are inlined where they are called: "(inline)" and "(partial-inline)".
 *
 * A call of a node counts if its edge is not dropped, and an edge is inlined if every call along
 * it is inlined (20.1). So marks need the weights of edges, but only of edges to nodes that are
 * inlined somewhere. Each worker follows the stacks of its samples from the root end and keeps a
 * path, as edges.c does, but only of these calls. It finds the caller in the stack itself. The
 * calls inside locations are known in advance. */
#include "graph/marks.h"

#include "core/array.h"
#include "core/budget.h"
#include "core/parallel.h"

struct mark_calls_edge {
  int64_t weight;
  uint32_t source, target;
};

/* Flags of an edge, in an array of their own so that they fit the cache. */
enum { CALL_ON_PATH = 1, CALL_INLINE = 2, CALL_PLAIN = 4 };

/* A recently found edge. */
struct mark_calls_recent {
  uint32_t source, target, edge; /* edge 0: unused entry */
};

#define CALLS_RECENT 4096

/* A call on the current path that is not on the path nearer to the root. */
struct mark_calls_step {
  int64_t pending;
  uint32_t edge;
  uint32_t offset;
};

/* A location with wanted calls in the current stack. */
struct mark_calls_fresh {
  uint32_t place, offset;
  uint32_t above; /* node that calls the location, or NONE */
};

struct mark_calls_worker {
  struct mark_calls_edge *edges; /* the known calls from index 1 on, then others in the order
                                    found */
  uint8_t *flags;                /* flags of each edge */
  size_t count, capacity, flag_capacity;
  uint32_t *slots; /* hash table of the other edges; 0: free slot */
  size_t slot_count;
  struct mark_calls_recent *recent; /* [CALLS_RECENT] cache */
  struct mark_calls_step *path;
  size_t depth, path_capacity;
  struct mark_calls_fresh *fresh; /* [max_depth + 1], leaf first */
  bool failed;
};

struct mark_calls_pass {
  const struct marks *marks;
  unsigned workers;
  struct mark_calls_worker *items;
};

/* ---- edges ------------------------------------------- */

static size_t mark_calls_slot(const struct mark_calls_worker *w, uint32_t source, uint32_t target) {
  return (size_t)(hash_mix(source, target) >> 32) & (w->slot_count - 1);
}

/* Returns the slot of the edge between two nodes, or a free slot for it. */
static size_t mark_calls_probe(const struct mark_calls_worker *w, uint32_t source,
                               uint32_t target) {
  size_t at = mark_calls_slot(w, source, target);
  for (; w->slots[at]; at = (at + 1) & (w->slot_count - 1)) {
    const struct mark_calls_edge *edge = &w->edges[w->slots[at]];
    if (edge->source == source && edge->target == target) break;
  }
  return at;
}

/* Doubles the number of slots. */
static bool mark_calls_grow_slots(const struct marks *m, struct mark_calls_worker *w) {
  size_t before = w->slot_count;
  mem_free(m->mem, w->slots, before, sizeof *w->slots);
  w->slot_count = 2 * before;
  w->slots = mem_zero_array(m->mem, w->slot_count, sizeof *w->slots);
  if (!w->slots) return false;
  for (size_t i = m->call_count + 1; i < w->count; i++)
    w->slots[mark_calls_probe(w, w->edges[i].source, w->edges[i].target)] = (uint32_t)i;
  return true;
}

/* Makes room for one more edge. */
static bool mark_calls_reserve(const struct marks *m, struct mark_calls_worker *w) {
  size_t others = w->count - m->call_count;
  return w->count < NONE && (others < w->slot_count / 2 || mark_calls_grow_slots(m, w)) &&
         ARRAY_RESERVE(m->mem, w->edges, w->capacity, w->count + 1) &&
         ARRAY_RESERVE(m->mem, w->flags, w->flag_capacity, w->count + 1);
}

/* Returns the edge between two nodes and adds it if it is new; NONE when out of memory. */
static uint32_t mark_calls_look_up(const struct marks *m, struct mark_calls_worker *w,
                                   uint32_t source, uint32_t target) {
  uint32_t known = marks_find_call(m, source, target);
  if (known != NONE) return known + 1;
  size_t at = mark_calls_probe(w, source, target);
  if (w->slots[at]) return w->slots[at];
  if (!mark_calls_reserve(m, w)) return NONE;
  w->slots[mark_calls_probe(w, source, target)] = (uint32_t)w->count;
  w->flags[w->count] = 0;
  w->edges[w->count] = (struct mark_calls_edge){0, source, target};
  return (uint32_t)w->count++;
}

/* Works like mark_calls_look_up, but is faster for recently found edges. */
static inline uint32_t mark_calls_find(const struct marks *m, struct mark_calls_worker *w,
                                       uint32_t source, uint32_t target) {
  uint32_t mixed = (source ^ target * 0x9E3779B1u) * 0x85EBCA6Bu;
  struct mark_calls_recent *recent = &w->recent[mixed >> 16 & (CALLS_RECENT - 1)];
  if (recent->edge && recent->source == source && recent->target == target) return recent->edge;
  uint32_t edge = mark_calls_look_up(m, w, source, target);
  if (edge != NONE) *recent = (struct mark_calls_recent){source, target, edge};
  return edge;
}

/* ---- the path ---------------------------------------- */

/* Adds an edge to the path, which has room, unless the path has it already. */
static inline void mark_calls_enter(struct mark_calls_worker *w, uint32_t edge, uint32_t offset,
                                    bool is_inline) {
  uint8_t *flags = &w->flags[edge];
  if (*flags & CALL_ON_PATH) return;
  *flags |= CALL_ON_PATH | (is_inline ? CALL_INLINE : CALL_PLAIN);
  w->path[w->depth++] = (struct mark_calls_step){0, edge, offset};
}

static inline void mark_calls_pop(struct mark_calls_worker *w) {
  const struct mark_calls_step *step = &w->path[--w->depth];
  struct mark_calls_edge *edge = &w->edges[step->edge];
  edge->weight = sum_add(edge->weight, step->pending);
  w->flags[step->edge] &= (uint8_t)~CALL_ON_PATH;
  if (!w->depth) return;
  struct mark_calls_step *below = &w->path[w->depth - 1];
  below->pending = sum_add(below->pending, step->pending);
}

static bool mark_calls_push(const struct marks *m, struct mark_calls_worker *w,
                            const struct mark_calls_fresh *fresh) {
  const struct mark_place *place = &m->places[fresh->place];
  const uint32_t *list = place->inner == NONE ? NULL : m->lists + place->inner;
  size_t calls = list ? list[0] : 0;
  if (!ARRAY_RESERVE(m->mem, w->path, w->path_capacity, w->depth + calls + 1)) return false;
  if (place->target != NONE && fresh->above != NONE && fresh->above != place->target) {
    uint32_t edge = mark_calls_find(m, w, fresh->above, place->target);
    if (edge == NONE) return false;
    mark_calls_enter(w, edge, fresh->offset, place->is_inline);
  }
  for (size_t k = 1; k <= calls; k++) mark_calls_enter(w, list[k] + 1, fresh->offset, true);
  return true;
}

/* Reads the frames that are not shared into `fresh`, only locations with wanted calls; returns
 * their number. Continues into the shared frames to find the caller of the last one. */
static inline size_t mark_calls_read(const struct marks *m, const struct mark_calls_worker *w,
                                     const struct stack_delta *d) {
  const uint8_t *end = d->stack.root, *known = end - d->shared;
  struct packed_stack rest = d->stack;
  bool waits = false;
  size_t count = 0;
  uint32_t id;
  while (rest.leaf < known || waits) {
    uint32_t offset = (uint32_t)(end - rest.leaf);
    if (!stack_take_leaf_id(&rest, &id)) break;
    uint32_t location = stack_location(rest.map, id);
    uint32_t place = location == LOCATION_HIDDEN ? 0 : m->place_of[location];
    if (!place) continue;
    if (waits) w->fresh[count - 1].above = m->places[place & ~PLACE_WANTED].caller;
    waits = offset > d->shared && (place & PLACE_WANTED);
    if (waits) w->fresh[count++] = (struct mark_calls_fresh){place & ~PLACE_WANTED, offset, NONE};
  }
  return count;
}

static bool mark_calls_follow(const struct marks *m, struct mark_calls_worker *w,
                              struct stack_delta *delta, int64_t value) {
  while (w->depth && w->path[w->depth - 1].offset > delta->shared) mark_calls_pop(w);
  for (size_t k = mark_calls_read(m, w, delta); k-- > 0;)
    if (!mark_calls_push(m, w, &w->fresh[k])) return false;
  if (!w->depth) return true;
  struct mark_calls_step *leaf = &w->path[w->depth - 1];
  leaf->pending = sum_add(leaf->pending, value);
  return true;
}

static bool mark_calls_follow_range(const struct marks *m, struct mark_calls_worker *w,
                                    struct stack_delta *delta, size_t from, size_t to) {
  const struct graph *g = m->graph;
  struct value_column column = profile_values(g->profile, g->options.value_index);
  struct value_column divisors = g->options.mean ? profile_values(g->profile, 0) : column;
  for (size_t i = from; i < to; i++) {
    int64_t value = column.values[i * column.step];
    if (budget_poll(m->mem, i)) return false;
    if (value == 0 && divisors.values[i * divisors.step] == 0) continue;
    delta_move(delta, i);
    if (!mark_calls_follow(m, w, delta, value)) return false;
  }
  while (w->depth) mark_calls_pop(w);
  return true;
}

/* ---- workers ----------------------------------------- */

static bool mark_calls_allocate(const struct marks *m, struct mark_calls_worker *w) {
  w->count = m->call_count + 1;
  w->slot_count = 1024;
  w->slots = mem_zero_array(m->mem, w->slot_count, sizeof *w->slots);
  w->recent = mem_zero_array(m->mem, CALLS_RECENT, sizeof *w->recent);
  w->fresh = mem_array(m->mem, m->graph->profile->samples.max_depth + 1, sizeof *w->fresh);
  if (!w->slots || !w->recent || !w->fresh ||
      !ARRAY_RESERVE(m->mem, w->edges, w->capacity, w->count) ||
      !ARRAY_RESERVE(m->mem, w->flags, w->flag_capacity, w->count))
    return false;
  memset(w->flags, 0, w->count);
  w->edges[0] = (struct mark_calls_edge){0, NONE, NONE};
  for (size_t i = 0; i < m->call_count; i++)
    w->edges[i + 1] = (struct mark_calls_edge){0, m->calls[i].source, m->calls[i].target};
  return true;
}

static void mark_calls_run(void *context, unsigned index) {
  struct mark_calls_pass *pass = context;
  struct mark_calls_worker *w = &pass->items[index];
  const struct marks *m = pass->marks;
  const struct samples *samples = &m->graph->profile->samples;
  size_t from = parallel_from(samples->count, index, pass->workers);
  size_t to = parallel_from(samples->count, index + 1, pass->workers);
  w->failed = true;
  struct stack_delta delta;
  if (!mark_calls_allocate(m, w) || !delta_init(&delta, m->mem, samples, from)) return;
  w->failed = !mark_calls_follow_range(m, w, &delta, from, to);
  delta_free(&delta, m->mem);
}

static void mark_calls_free(const struct marks *m, struct mark_calls_worker *w) {
  mem_free(m->mem, w->edges, w->capacity, sizeof *w->edges);
  mem_free(m->mem, w->flags, w->flag_capacity, sizeof *w->flags);
  mem_free(m->mem, w->slots, w->slot_count, sizeof *w->slots);
  mem_free(m->mem, w->recent, CALLS_RECENT, sizeof *w->recent);
  mem_free(m->mem, w->path, w->path_capacity, sizeof *w->path);
  mem_free(m->mem, w->fresh, m->graph->profile->samples.max_depth + 1, sizeof *w->fresh);
}

/* Adds the edges of a later worker to the edges of the first. */
static bool mark_calls_merge(const struct mark_calls_pass *pass,
                             const struct mark_calls_worker *from) {
  struct mark_calls_worker *to = &pass->items[0];
  for (size_t i = 1; i < from->count; i++) {
    const struct mark_calls_edge *edge = &from->edges[i];
    bool known = i <= pass->marks->call_count;
    uint32_t index =
        known ? (uint32_t)i : mark_calls_look_up(pass->marks, to, edge->source, edge->target);
    if (index == NONE) return false;
    struct mark_calls_edge *sum = &to->edges[index];
    sum->weight = sum_add(sum->weight, edge->weight);
    to->flags[index] |= from->flags[i];
  }
  return true;
}

static bool mark_calls_add_up(struct mark_calls_pass *pass) {
  for (unsigned k = 1; k < pass->workers; k++)
    if (!mark_calls_merge(pass, &pass->items[k])) return false;
  return true;
}

/* ---- marks ------------------------------------------- */

/* Marks the targets of calls that count. A target that is also called without inlining is
 * partial. */
static bool mark_calls_mark(struct graph *g, const struct mark_calls_worker *w) {
  uint8_t *plain = arena_zero_array(&g->arena, g->node_count, 1);
  if (!plain) return false;
  for (size_t i = 1; i < w->count; i++) {
    const struct mark_calls_edge *edge = &w->edges[i];
    if (number_abs(edge->weight) < g->edge_cutoff) continue;
    if (w->flags[i] & CALL_PLAIN)
      plain[edge->target] = 1;
    else if (w->flags[i] & CALL_INLINE)
      g->marks[edge->target] = MARK_INLINE;
  }
  for (size_t i = 0; i < g->node_count; i++)
    if (g->marks[i] && plain[i]) g->marks[i] = MARK_PARTIAL;
  return true;
}

static bool marks_find(const struct marks *m) {
  struct mark_calls_worker items[MARKS_WORKERS] = {0};
  struct mark_calls_pass pass = {.marks = m, .items = items};
  struct graph *g = m->graph;
  pass.workers = parallel_workers(g->options.threads, g->profile->samples.count, MARKS_GRAIN);
  parallel_run(pass.workers, mark_calls_run, &pass);
  bool failed = false;
  for (unsigned k = 0; k < pass.workers; k++) failed = failed || items[k].failed;
  failed = failed || !mark_calls_add_up(&pass) || !mark_calls_mark(g, &items[0]);
  for (unsigned k = 0; k < pass.workers; k++) mark_calls_free(m, &items[k]);
  return !failed;
}

pprofc_status graph_mark_inlined(struct graph *g, const uint8_t *kept, pprofc_error *error) {
  size_t candidates;
  g->marks = arena_zero_array(&g->arena, g->node_count, 1);
  if (!g->marks) return error_nomem(error);
  if (!g->frames.lists) return PPROFC_OK;
  struct marks m = {.graph = g, .mem = g->mem, .kept = kept};
  map_init(&m.map, g->mem);
  bool done = marks_find_candidates(&m, &candidates);
  if (done && candidates) done = marks_read_places(&m) && marks_find(&m);
  marks_free_places(&m);
  return done ? PPROFC_OK : error_nomem(error);
}
