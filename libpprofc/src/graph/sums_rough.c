/* Sums of profiles whose stacks have hardly anything in common, as far as rows need them.
 *
 * There, a pass that adds up nodes misses the cache twice for each frame, and more often with
 * inlined functions: once for the nodes of a location, once for each of them. But a row is shown
 * only where cum reaches the cutoff. So the first pass adds values to small counters of locations,
 * rounded up, each as often as a stack has it. What the counters of its locations come to, a node
 * does not pass: mostly that is below the cutoff. Flat is exact, and with it the total and the
 * cutoff. A second pass adds up what is left, and skips all locations that have nothing of it.
 *
 * Where the reader has counted (codec/fold_counts.c), the first pass is done. */
#include "graph/sums_rough.h"

#include "core/budget.h"
#include "core/parallel.h"
#include "graph/delta.h"

#define GRAIN 8192

/* Bits of the cutoff in units of the counters, which are small to fit the cache. */
#define ROUGH_BITS 15

/* The least cutoff in units of the reader's counters: below that they tell too little. */
#define ROUGH_LEAST 1024

#define ROUGH_WORKERS 16

struct rough_worker {
  uint16_t *counts; /* by location */
  int64_t *flat;    /* by node */
  struct rough_node *nodes;
  bool failed;
};

/* A node that may be shown. */
struct rough_node {
  int64_t cum;
  uint32_t stamp; /* of the last sample that has it */
};

struct rough {
  struct graph *graph;
  const pprofc_allocator *mem;
  struct value_column column;
  unsigned shift;                   /* counters have values in units of 2^shift */
  uint32_t limit;                   /* and stop here: that is not below the cutoff */
  const struct stack_counts *known; /* what the reader has counted, or NULL */
  const uint16_t *counts;           /* of locations */
  size_t counted;                   /* locations that have a counter */
  uint8_t *open;                    /* nodes that may be shown; NULL: not known yet */
  uint8_t *skip;                    /* locations without one of them */
  unsigned workers;
  struct rough_worker *items;
};

/* ---- whether it serves ------------------------------- */

/* Adds up all values; false when one is below 0 or the sum passes 63 bits. */
static bool rough_total(const struct rough *r, int64_t *total) {
  size_t count = r->graph->profile->samples.count;
  bool good = true;
  *total = 0;
  for (size_t i = 0; i < count && good; i++) {
    int64_t value = r->column.values[i * r->column.step];
    good = value >= 0 && !__builtin_add_overflow(*total, value, total);
  }
  return good;
}

static bool rough_rows_are_short(const struct samples *s) {
  return s->tree && s->tree->rows && s->count &&
         stack_row_bytes(s) <= s->count * (uint64_t)STACK_COUNTED;
}

/* What the reader has counted, where the profile is still as it was read: of the sample type that
 * is shown, with the same total. */
static const struct stack_counts *rough_known(const struct graph *g, int64_t total) {
  const struct samples *s = &g->profile->samples;
  const struct stack_tree *tree = s->tree;
  if (s->segment_count != 1 || s->segments[0].map || !tree->counts) return NULL;
  bool same = tree->type == g->options.value_index && tree->counts->total == total;
  return same ? tree->counts : NULL;
}

/* Chooses the units of counters, or takes those of the reader where they tell enough. */
static void rough_scale(struct rough *r, int64_t cutoff) {
  if (r->known) r->shift = r->known->shift;
  uint64_t limit = (uint64_t)cutoff >> r->shift;
  if (r->known && limit >= ROUGH_LEAST && limit <= STACK_COUNT_FULL) return;
  r->known = NULL;
  r->shift = 0;
  while (cutoff >> r->shift >> ROUGH_BITS) r->shift++;
  r->limit = (uint32_t)(cutoff >> r->shift);
}

static bool rough_begin(struct rough *r) {
  const struct graph_options *o = &r->graph->options;
  const struct samples *s = &r->graph->profile->samples;
  int64_t total;
  if (o->mean || o->call_tree || !(o->nodefraction > 0) || !rough_rows_are_short(s)) return false;
  if (!rough_total(r, &total)) return false;
  r->known = rough_known(r->graph, total);
  int64_t cutoff = graph_cutoff(total, o->nodefraction);
  if (cutoff <= 0) return false;
  rough_scale(r, cutoff);
  return true;
}

/* ---- counters ---------------------------------------- */

static inline uint16_t rough_add(const struct rough *r, uint32_t count, uint32_t size) {
  uint32_t sum = count + size;
  return (uint16_t)(sum < r->limit ? sum : r->limit);
}

static inline uint32_t rough_leaf(const struct frames *f, uint32_t location) {
  uint32_t entry = f->of_location[location];
  return entry & FRAME_LIST ? frame_list(f, entry)[1] : entry;
}

static void rough_count(const struct rough *r, struct rough_worker *w, struct packed_stack stack,
                        int64_t value) {
  uint64_t units = ((uint64_t)(value - 1) >> r->shift) + 1;
  uint32_t size = units < r->limit ? (uint32_t)units : r->limit, location;
  if (!stack_take_leaf(&stack, &location)) return;
  uint32_t leaf = rough_leaf(&r->graph->frames, location);
  w->flat[leaf] = sum_add(w->flat[leaf], value);
  do {
    w->counts[location] = rough_add(r, w->counts[location], size);
  } while (stack_take_leaf(&stack, &location));
}

/* ---- nodes that may be shown ------------------------- */

static inline void rough_enter(const struct rough *r, struct rough_worker *w, uint32_t node,
                               uint32_t stamp, int64_t value) {
  struct rough_node *n = &w->nodes[node];
  if (!r->open[node] || n->stamp == stamp) return;
  n->stamp = stamp;
  n->cum = sum_add(n->cum, value);
}

static void rough_sum(const struct rough *r, struct rough_worker *w, struct packed_stack stack,
                      uint32_t stamp, int64_t value) {
  const struct frames *f = &r->graph->frames;
  uint32_t location;
  while (stack_take_leaf(&stack, &location)) {
    if (r->skip[location]) continue;
    uint32_t entry = f->of_location[location];
    if (!(entry & FRAME_LIST)) {
      rough_enter(r, w, entry, stamp, value);
      continue;
    }
    const uint32_t *list = frame_list(f, entry);
    for (uint32_t k = 1; k <= list[0]; k++) rough_enter(r, w, list[k], stamp, value);
  }
}

/* ---- passes ------------------------------------------ */

static bool rough_range(const struct rough *r, struct rough_worker *w, struct stack_delta *delta,
                        size_t from, size_t to) {
  uint32_t stamp = 0; /* samples are fewer than 2^32 */
  for (size_t i = from; i < to; i++) {
    int64_t value = r->column.values[i * r->column.step];
    if (budget_poll(r->mem, i)) return false;
    if (value == 0) continue;
    delta_move(delta, i);
    if (r->open)
      rough_sum(r, w, delta->stack, ++stamp, value);
    else
      rough_count(r, w, delta->stack, value);
  }
  return true;
}

static bool rough_allocate(const struct rough *r, struct rough_worker *w) {
  const struct graph *g = r->graph;
  if (r->open) {
    w->nodes = mem_zero_array(r->mem, g->node_count, sizeof *w->nodes);
    return w->nodes != NULL;
  }
  w->counts = mem_zero_array(r->mem, g->frames.locations->count, sizeof *w->counts);
  w->flat = mem_zero_array(r->mem, g->node_count, sizeof *w->flat);
  return w->counts && w->flat;
}

static void rough_run(void *context, unsigned index) {
  struct rough *r = context;
  struct rough_worker *w = &r->items[index];
  const struct samples *samples = &r->graph->profile->samples;
  size_t from = parallel_from(samples->count, index, r->workers);
  size_t to = parallel_from(samples->count, index + 1, r->workers);
  struct stack_delta delta;
  w->failed = true;
  if (!rough_allocate(r, w) || !delta_init(&delta, r->mem, samples, from)) return;
  w->failed = !rough_range(r, w, &delta, from, to);
  delta_free(&delta, r->mem);
}

static void rough_free_worker(const struct rough *r, struct rough_worker *w) {
  const struct graph *g = r->graph;
  mem_free(r->mem, w->counts, g->frames.locations->count, sizeof *w->counts);
  mem_free(r->mem, w->flat, g->node_count, sizeof *w->flat);
  mem_free(r->mem, w->nodes, g->node_count, sizeof *w->nodes);
  *w = (struct rough_worker){0};
}

static void rough_free_workers(const struct rough *r, unsigned first) {
  for (unsigned k = first; k < r->workers; k++) rough_free_worker(r, &r->items[k]);
}

/* Adds what the workers have to the first. */
static void rough_join(const struct rough *r) {
  const struct graph *g = r->graph;
  struct rough_worker *sum = &r->items[0];
  for (unsigned k = 1; k < r->workers; k++) {
    const struct rough_worker *w = &r->items[k];
    for (size_t i = 0; w->counts && i < g->frames.locations->count; i++)
      sum->counts[i] = rough_add(r, sum->counts[i], w->counts[i]);
    for (size_t i = 0; w->flat && i < g->node_count; i++)
      sum->flat[i] = sum_add(sum->flat[i], w->flat[i]);
    for (size_t i = 0; w->nodes && i < g->node_count; i++)
      sum->nodes[i].cum = sum_add(sum->nodes[i].cum, w->nodes[i].cum);
  }
  rough_free_workers(r, 1);
}

static bool rough_pass(struct rough *r) {
  parallel_run(r->workers, rough_run, r);
  bool failed = false;
  for (unsigned k = 0; k < r->workers; k++) failed = failed || r->items[k].failed;
  if (!failed) rough_join(r);
  return !failed;
}

/* Takes what the reader has counted in place of the first pass. */
static bool rough_take_known(struct rough *r) {
  const struct graph *g = r->graph;
  const struct stack_counts *known = r->known;
  struct rough_worker *w = &r->items[0];
  w->flat = mem_zero_array(r->mem, g->node_count, sizeof *w->flat);
  if (!w->flat) return false;
  r->counts = known->sizes;
  r->counted =
      g->frames.locations->count < known->count ? g->frames.locations->count : known->count;
  for (size_t i = 0; i < r->counted; i++) {
    uint32_t leaf = rough_leaf(&g->frames, (uint32_t)i);
    w->flat[leaf] = sum_add(w->flat[leaf], known->leaves[i]);
  }
  return true;
}

/* The first pass. */
static bool rough_count_all(struct rough *r) {
  if (r->known) return rough_take_known(r);
  if (!rough_pass(r)) return false;
  r->counts = r->items[0].counts;
  r->counted = r->graph->frames.locations->count;
  return true;
}

/* ---- what the counters tell -------------------------- */

/* What each node does not pass, in units of the counters, to `bound`; where a counter is full, the
 * limit or more. */
static void rough_bounds(const struct rough *r, uint64_t *bound) {
  const struct frames *f = &r->graph->frames;
  for (size_t i = 0; i < r->counted; i++) {
    uint32_t entry = f->of_location[i];
    if (!(entry & FRAME_LIST)) {
      bound[entry] += r->counts[i];
      continue;
    }
    const uint32_t *list = frame_list(f, entry);
    for (uint32_t k = 1; k <= list[0]; k++) bound[list[k]] += r->counts[i];
  }
}

/* Makes nodes, and finds those that may reach the cutoff. The others get a cum of 1 when a sample
 * has them: that is below the cutoff, as their own is. */
static bool rough_open_nodes(struct rough *r, const uint64_t *bound) {
  struct graph *g = r->graph;
  int64_t total = 0;
  bool any = false;
  for (size_t i = 0; i < g->node_count; i++) total = sum_add(total, r->items[0].flat[i]);
  uint64_t limit = (uint64_t)graph_cutoff(total, g->options.nodefraction) >> r->shift;
  for (size_t i = 0; i < g->node_count; i++) {
    g->nodes[i].flat = r->items[0].flat[i];
    r->open[i] = bound[i] && bound[i] >= limit;
    g->nodes[i].cum = bound[i] != 0;
    any = any || r->open[i];
  }
  return any;
}

static void rough_skip_locations(struct rough *r) {
  const struct frames *f = &r->graph->frames;
  for (size_t i = 0; i < f->locations->count; i++) {
    uint32_t entry = f->of_location[i];
    bool open = false;
    if (!(entry & FRAME_LIST)) {
      open = r->open[entry];
    } else {
      const uint32_t *list = frame_list(f, entry);
      for (uint32_t k = 1; k <= list[0]; k++) open = open || r->open[list[k]];
    }
    r->skip[i] = !open;
  }
}

/* ---- all of it --------------------------------------- */

/* The nodes with their flat, and which of them may be shown; *any: some. */
static bool rough_decide(struct rough *r, bool *any) {
  struct graph *g = r->graph;
  uint64_t *bound = mem_zero_array(r->mem, g->node_count, sizeof *bound);
  r->open = mem_zero_array(r->mem, g->node_count, 1);
  bool done = bound && r->open && graph_make_nodes(g);
  if (done) {
    rough_bounds(r, bound);
    *any = rough_open_nodes(r, bound);
  }
  mem_free(r->mem, bound, g->node_count, sizeof *bound);
  rough_free_workers(r, 0);
  return done;
}

static bool rough_sum_open(struct rough *r) {
  struct graph *g = r->graph;
  r->skip = mem_zero_array(r->mem, g->frames.locations->count, 1);
  if (!r->skip) return false;
  rough_skip_locations(r);
  if (!rough_pass(r)) return false;
  for (size_t i = 0; i < g->node_count; i++)
    if (r->open[i]) g->nodes[i].cum = r->items[0].nodes[i].cum;
  return true;
}

bool graph_sum_roughly(struct graph *g, bool *served) {
  struct rough_worker items[ROUGH_WORKERS] = {0};
  struct rough r = {.graph = g, .mem = g->mem, .items = items};
  r.column = profile_values(g->profile, g->options.value_index);
  *served = rough_begin(&r);
  if (!*served) return true;
  size_t grain = g->frames.locations->count / 16;
  r.workers = parallel_workers(g->options.threads, g->profile->samples.count,
                               grain > GRAIN ? grain : GRAIN);
  bool any = false;
  bool done = rough_count_all(&r) && rough_decide(&r, &any) && (!any || rough_sum_open(&r));
  rough_free_workers(&r, 0);
  mem_free(r.mem, r.open, g->node_count, 1);
  mem_free(r.mem, r.skip, g->frames.locations->count, 1);
  return done;
}
