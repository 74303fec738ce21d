/* Groups the samples of a page by the values of their labels. */
#include "report/stacks/flame_groups.h"

#include "core/array.h"
#include "core/budget.h"
#include "profile/delta.h"
#include "profile/stack_tree.h"

#include <stdlib.h>

/* ---- label groups of the page ------------------------ */

static void free_group(struct grouping *g, struct page_group *group) {
  ARRAY_FREE(g->arena.mem, group->samples, group->capacity);
}

/* Drops the groups of a label key. Makes note_label ignore the key from then on. */
static bool leave_out(struct grouping *g, uint32_t key) {
  size_t kept = 0;
  for (size_t i = 0; i < g->count; i++) {
    if (g->groups[i].key == key)
      free_group(g, &g->groups[i]);
    else
      g->groups[kept++] = g->groups[i];
  }
  g->count = kept;
  return interner_add(&g->left_out, g->texts.items[key]) != MAP_NONE;
}

/* Finds the group of a label's key and value. Adds the group if it is new. If the key has too many
 * values or the page has too many groups, drops all groups of the key and sets *group to NULL.
 * Returns false when out of memory. */
static bool group_of(struct grouping *g, uint32_t key, uint32_t value, struct page_group **group) {
  size_t same_key = 0;
  *group = NULL;
  for (size_t i = 0; i < g->count; i++) {
    if (g->groups[i].key == key && g->groups[i].value == value) {
      *group = &g->groups[i];
      return true;
    }
    same_key += g->groups[i].key == key;
  }
  /* If the tree folded narrow nodes into one, it may lack nodes of a group, so make no groups. */
  if (same_key == MAX_VALUES || g->count == MAX_GROUPS || g->graph->tree.folded)
    return leave_out(g, key);
  *group = &g->groups[g->count++];
  **group = (struct page_group){.key = key, .value = value};
  return true;
}

/* Adds a sample to the group of one of its labels. */
static bool note_label(struct grouping *g, uint32_t sample, pprofc_str name, pprofc_str text) {
  if (interner_find(&g->left_out, name) != MAP_NONE) return true;
  uint32_t key = interner_add(&g->texts, name), value = interner_add(&g->texts, text);
  struct page_group *group;
  if (key == MAP_NONE || value == MAP_NONE || !group_of(g, key, value, &group)) return false;
  if (!group || (group->count && group->samples[group->count - 1] == sample)) return true;
  return ARRAY_PUSH(g->arena.mem, group->samples, group->count, group->capacity, sample);
}

/* Adds a sample to the groups of its string labels. Ignores the label that marks samples of the
 * base. Returns false when out of memory, or if the work is cancelled. */
static bool note_labels(struct grouping *g, uint32_t sample) {
  const pprofc_profile *p = g->report->result.profile;
  const struct label *labels = sample_labels(&p->samples, sample);
  if (budget_poll(g->arena.mem, sample)) return false;
  for (size_t k = 0; k < label_count(&p->samples, sample); k++) {
    pprofc_str name = profile_string(p, labels[k].key);
    if (labels[k].is_number || str_equal(name, BASE_LABEL)) continue;
    if (!note_label(g, sample, name, profile_string(p, labels[k].string))) return false;
  }
  return true;
}

static int flame_groups_compare(const void *x, const void *y) {
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return a < b ? -1 : a > b;
}

/* Groups the samples of a stack tree by their labels. Reads samples in the order of the file. */
static bool find_groups_of_tree(struct grouping *g) {
  const struct samples *s = &g->report->result.profile->samples;
  size_t room = 0;
  for (size_t k = 0; k < s->segment_count; k++) room += s->tree[k].ref_count;
  uint32_t *at = mem_array(g->arena.mem, room, sizeof *at);
  bool done = at != NULL;
  for (size_t i = 0; done && i < room; i++) at[i] = NONE;
  for (uint32_t i = 0; done && i < s->count; i++) at[stack_position(s, i)] = i;
  for (size_t i = 0; done && i < room; i++) done = at[i] == NONE || note_labels(g, at[i]);
  mem_free(g->arena.mem, at, room, sizeof *at);
  for (size_t i = 0; i < g->count; i++)
    if (g->groups[i].count > 1)
      qsort(g->groups[i].samples, g->groups[i].count, sizeof(uint32_t), flame_groups_compare);
  return done;
}

/* True if samples may have a string label other than BASE_LABEL. */
static bool flame_groups_may_be(const pprofc_profile *p) {
  const struct samples *s = &p->samples;
  for (size_t i = 0; s->label_set && i < s->label_set_count; i++)
    for (size_t k = 0; k < s->label_sets[i].count; k++) {
      const struct label *label = &s->labels[(size_t)s->label_sets[i].first + k];
      if (!label->is_number && !str_equal(profile_string(p, label->key), BASE_LABEL)) return true;
    }
  return false;
}

/* Groups samples by their labels. Returns false when out of memory, or if the work is cancelled. */
static bool find_groups(struct grouping *g) {
  const struct samples *s = &g->report->result.profile->samples;
  if (!flame_groups_may_be(g->report->result.profile)) return true;
  if (s->tree) return find_groups_of_tree(g);
  for (size_t i = 0; i < s->count; i++)
    if (!note_labels(g, (uint32_t)i)) return false;
  return true;
}

/* Fills in `children`, the map from a node and a frame to the child with this frame. Returns false
 * when out of memory, or if the work is cancelled. */
static bool flame_groups_map(struct grouping *g) {
  const struct flame_tree *t = &g->graph->tree;
  if (g->mapped) return true;
  if (!map_reserve(&g->children, t->count)) return false;
  for (size_t i = 1; i < t->count; i++)
    if (budget_poll(g->arena.mem, i) ||
        !map_insert(&g->children, hash_mix(t->parent[i], t->frame[i]), (uint32_t)i))
      return false;
  g->mapped = true;
  return true;
}

/* Returns the child of a node with the frame `frame`, or 0 if there is no such child. `children`
 * must be complete. */
static uint32_t flame_groups_child(const struct grouping *g, uint32_t parent, uint32_t frame) {
  const struct flame_tree *t = &g->graph->tree;
  MAP_FIND(node, &g->children, hash_mix(parent, frame),
           t->parent[node] == parent && t->frame[node] == frame);
  return node == MAP_NONE ? 0 : node;
}

/* Finds the nodes at which the stacks of a group end. The nodes are ascending, because the stacks
 * are in the order of the tree. */
static pprofc_status place_group(struct grouping *g, const struct page_group *from,
                                 struct flame_group *to, pprofc_error *error) {
  struct stack_selection selection = {.samples = from->samples, .count = from->count};
  struct stack_set set;
  pprofc_status status =
      stack_set_build(&g->graph->frames, &selection, g->report->mem, &set, error);
  if (status != PPROFC_OK) return status;
  size_t columns = g->graph->tree.columns;
  uint32_t *nodes = arena_array(&g->arena, set.count, sizeof *nodes);
  int64_t *self = arena_zero_array(&g->arena, set.count * columns, sizeof *self);
  uint32_t *frames = arena_array(&g->arena, set.max_depth, sizeof *frames);
  uint32_t *path = arena_zero_array(&g->arena, set.max_depth + 1, sizeof *path);
  bool good = nodes && self && frames && path;
  for (size_t i = 0; good && i < set.count; i++) {
    good = !budget_poll(g->arena.mem, i);
    stack_set_read(&set, i, set.shared[i], frames);
    for (uint32_t d = set.shared[i]; d < set.depth[i]; d++)
      path[d + 1] = flame_groups_child(g, path[d], frames[d]);
    nodes[i] = path[set.depth[i]];
    /* A group without base samples has fewer columns than the tree. */
    for (size_t c = 0; c < set.columns && c < columns; c++)
      self[i * columns + c] = stack_values(&set, i)[c];
  }
  to->count = set.count;
  to->node = nodes;
  to->self = self;
  stack_set_free(&set);
  return good ? PPROFC_OK : error_nomem(error);
}

static pprofc_str group_name(struct grouping *g, const struct page_group *group) {
  struct buffer text = buffer_make(g->arena.mem, SIZE_MAX / 2);
  buffer_add_str(&text, g->texts.items[group->key]);
  buffer_add_char(&text, '=');
  buffer_add_str(&text, g->texts.items[group->value]);
  return buffer_take(&text, &g->arena);
}

pprofc_status flame_groups_make(struct grouping *g, struct flame_group **groups,
                                pprofc_error *error) {
  if (!find_groups(g)) return error_nomem(error);
  *groups = arena_array(&g->arena, g->count, sizeof **groups);
  if (!*groups || (g->count && !flame_groups_map(g))) return error_nomem(error);
  for (size_t i = 0; i < g->count; i++) {
    (*groups)[i].name = group_name(g, &g->groups[i]);
    if (!(*groups)[i].name.data) return error_nomem(error);
    pprofc_status status = place_group(g, &g->groups[i], &(*groups)[i], error);
    if (status != PPROFC_OK) return status;
  }
  return PPROFC_OK;
}

void flame_groups_begin(struct grouping *g, const struct report *report,
                        const struct flame_graph *graph) {
  *g = (struct grouping){.report = report, .graph = graph};
  arena_init(&g->arena, report->mem);
  interner_init(&g->texts, report->mem);
  interner_init(&g->left_out, report->mem);
  map_init(&g->children, report->mem);
}

void flame_groups_end(struct grouping *g) {
  map_free(&g->children);
  for (size_t i = 0; i < g->count; i++) free_group(g, &g->groups[i]);
  interner_free(&g->left_out);
  interner_free(&g->texts);
  arena_free(&g->arena);
}

/* ---- times ------------------------------------------ */

/* Finds the tree node at which each sample's stack ends.
 *
 * Each stack is read as the difference from the previous stack, so frames that both stacks share
 * are looked up only once. With a lookup of all frames, a chain of calls with a sample in each
 * function would take quadratic time. */

/* The node for the first n frames of a stack. For n = 0, this is the root. */
struct reached {
  uint32_t node; /* node of the tree; NONE if the tree does not have it */
  bool ended;    /* true if `node` stands for several folded nodes, so the stack ends there */
};

/* Returns the child of `at` with the frame `frame`. If the tree folded this child and its narrow
 * siblings into one node, returns that node. */
static struct reached reach_frame(const struct grouping *g, struct reached at, uint32_t frame) {
  if (at.ended || at.node == NONE) return at;
  uint32_t child = flame_groups_child(g, at.node, frame);
  if (child) return (struct reached){child, false};
  if (!g->graph->tree.folded) return (struct reached){NONE, false};
  child = flame_groups_child(g, at.node, (uint32_t)g->graph->frames.count - 1);
  return (struct reached){child ? child : at.node, true};
}

static struct reached reach_location(const struct grouping *g, struct reached at,
                                     uint32_t location) {
  const struct stack_frames *frames = &g->graph->frames;
  uint32_t to = frames->location_from[location + 1];
  for (uint32_t i = frames->location_from[location]; i < to; i++)
    at = reach_frame(g, at, frames->location_frames[i]);
  return at;
}

/* Returns the node at which the current stack ends. Sets path[n] to the node for the first n bytes
 * of the encoded stack, counted from the root. Keeps path[n] for the bytes that the previous stack
 * shares. */
static uint32_t end_of_stack(const struct grouping *g, const struct stack_delta *d,
                             struct reached *path) {
  uint32_t byte = d->shared;
  struct reached at = path[byte];
  for (size_t i = d->count; i-- > 0;) {
    /* Bytes up to the next frame encode frames that filters removed: the node stays the same. */
    while (++byte < d->fresh[i].offset) path[byte] = at;
    at = reach_location(g, at, d->fresh[i].location);
    path[byte] = at;
  }
  while (++byte <= d->size) path[byte] = at;
  return at.node;
}

pprofc_status flame_times_make(struct grouping *g, const uint32_t **node_of, pprofc_error *error) {
  const struct samples *samples = &g->report->result.profile->samples;
  uint32_t longest = 0;
  for (size_t i = 0; i < samples->count; i++)
    if (samples->stack_size[i] > longest) longest = samples->stack_size[i];
  uint32_t *nodes = arena_array(&g->arena, samples->count, sizeof *nodes);
  struct reached *path = arena_zero_array(&g->arena, (size_t)longest + 1, sizeof *path);
  struct stack_delta delta;
  if (!nodes || !path || !flame_groups_map(g) || !delta_init(&delta, g->arena.mem, samples, 0))
    return error_nomem(error);
  bool stopped = false;
  for (size_t i = 0; i < samples->count && !stopped; i++) {
    delta_next(&delta, i);
    nodes[i] = end_of_stack(g, &delta, path);
    stopped = budget_poll(g->arena.mem, i);
  }
  delta_free(&delta, g->arena.mem);
  *node_of = nodes;
  return stopped ? error_nomem(error) : PPROFC_OK;
}

/* ---- costs ------------------------------------------ */

/* Estimates which resource limits a function, from the counters of callgrind.
 *
 * The cost of a counter is its value times a weight. The weights are the usual estimate of cycles:
 * 1 for an instruction, 5 for a first-level miss, 30 more for a last-level miss. System time counts
 * as cycles at 3 GHz. Profiles of -simulate do not have misses by type of access, but only the sums
 * of all misses (L1m, LLm). */

static const struct {
  const char *kind, *type;
  double weight;
} known[] = {
    {"instruction", "Ir", 1}, {"cache", "I1mr", 5},   {"cache", "D1mr", 5},
    {"cache", "D1mw", 5},     {"memory", "ILmr", 30}, {"memory", "DLmr", 30},
    {"memory", "DLmw", 30},   {"cache", "L1m", 5},    {"memory", "LLm", 30},
    {"system", "sysTime", 3},
};

size_t flame_costs_find(const pprofc_profile *profile, struct flame_cost costs[FLAME_COSTS_MAX]) {
  size_t count = 0;
  bool instructions = false;
  for (size_t k = 0; k < COUNT(known); k++)
    for (size_t i = 0; i < profile->type_count && count < FLAME_COSTS_MAX; i++) {
      pprofc_str type = profile_type(profile, i);
      if (!str_equal(type, str_of(known[k].type))) continue;
      costs[count++] = (struct flame_cost){known[k].kind, i, known[k].weight};
      instructions |= k == 0;
    }
  return instructions && count > 1 ? count : 0;
}
